"""Arguments for the operators of flag-gems.

The same arguments go to torch's operator and to the function that flag-gems registers for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch


class Call:
    """Positional and keyword arguments of one call."""

    def __init__(self, *args: Any, **kwargs: Any):
        self.args = args
        self.kwargs = kwargs


def x() -> torch.Tensor:
    return torch.randn(37, 65)


def positive() -> torch.Tensor:
    return x().abs() + 0.1


def unit() -> torch.Tensor:
    return x().tanh() * 0.9


def ints(high: int = 50) -> torch.Tensor:
    return torch.randint(1, high, (37, 65), dtype=torch.int32)


def bools() -> torch.Tensor:
    return x() > 0


def image(*shape: int) -> torch.Tensor:
    return torch.randn(*(shape or (2, 3, 8, 8)))


def index(high: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, high, shape)


UNARY = (
    "abs absolute alias_copy angle arcsinh asinh_ atan atan_ arcsinh_ ceil ceil_ cos cos_ cosh cosh_ erf erf_ exp exp_ "
    "exp2 exp2_ expm1 expm1_ floor_ gelu gelu_ hardsigmoid hardswish_ i0 i0_ isfinite isinf isnan isneginf "
    "log_sigmoid neg neg_ relu relu_ relu6 resolve_neg resolve_conj round round_ selu selu_ sgn_ "
    "sigmoid sigmoid_ signbit silu silu_ sin sin_ sinh_ special_i1 special_i0e square square_ tan tan_ tanh tanh_ "
    "nan_to_num zeros_like ones_like lift_fresh_copy t_copy elu elu_ celu celu_ softplus softshrink abs_ "
    "sum mean max min argmax prod zero_ conj_physical zero nonzero count_nonzero logical_not "
)
POSITIVE = "log log10 log10_ log1p_ sqrt sqrt_ rsqrt rsqrt_ reciprocal reciprocal_ digamma_"
UNIT = "acos arctanh_ logit logit_"
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "greater")
BINARY = (
    "add.Tensor sub.Tensor mul.Tensor div.Tensor divide.Tensor true_divide.Tensor maximum minimum atan2 hypot fmin "
    "logaddexp add_.Tensor sub_.Tensor mul_.Tensor div_.Tensor divide_.Tensor true_divide_.Tensor"
)
INTEGER = (
    "bitwise_and.Tensor bitwise_or.Tensor bitwise_and_.Tensor bitwise_or_.Tensor floor_divide "
    "floor_divide_.Tensor remainder.Tensor remainder_.Tensor __or__.Tensor __ior__.Tensor"
)
WITH_OUT = "arcsinh ceil cosh exp expm1 hardsigmoid i0 isneginf log10 round signbit softshrink special_i0e square"


def _single(names: str, make: Callable[[], torch.Tensor]) -> Iterator[tuple[str, Callable[[], Call]]]:
    for name in names.split():
        yield name, lambda: Call(make())


def _elementwise() -> Iterator[tuple[str, Callable[[], Call]]]:
    yield from _single(UNARY, x)
    yield from _single(POSITIVE, positive)
    yield from _single(UNIT, unit)
    yield from _single("all any _is_all_true", bools)
    yield from _single("bitwise_not bitwise_not_", ints)
    for name in BINARY.split():
        yield name, lambda: Call(x(), positive())
    for name in INTEGER.split():
        yield name, lambda: Call(ints(), ints())
    for name in ("bitwise_left_shift", "bitwise_right_shift"):
        yield f"{name}:{name}.Tensor", lambda: Call(ints(), ints(8))
    for name in COMPARISONS:
        yield f"{name}.Tensor", lambda: Call(ints(), ints())
        yield f"{name}.Scalar", lambda: Call(ints(), 20)
    for name in ("logical_and", "logical_or", "logical_xor", "logical_and_", "logical_or_"):
        yield name, lambda: Call(bools(), bools())
    for name in ("div.Tensor_mode", "div_.Tensor_mode", "divide.Tensor_mode", "divide_.Tensor_mode"):
        yield name, lambda: Call(x(), positive(), rounding_mode="floor")
    for name in ("div.Scalar_mode", "div_.Scalar_mode", "divide.Scalar_mode", "divide_.Scalar_mode"):
        yield name, lambda: Call(x(), 0.7, rounding_mode="trunc")
    for name in "div.Scalar div_.Scalar divide.Scalar true_divide.Scalar pow_.Scalar true_divide_.Scalar".split():
        yield name, lambda: Call(positive(), 3.0)
    for name in (
        "bitwise_and.Scalar",
        "bitwise_or.Scalar",
        "bitwise_and_.Scalar",
        "bitwise_or_.Scalar",
        "__or__.Scalar",
        "__ior__.Scalar",
        "floor_divide.Scalar",
        "floor_divide_.Scalar",
        "remainder.Scalar",
        "remainder_.Scalar",
    ):
        yield name, lambda: Call(ints(), 7)
    for name in ("bitwise_and.Scalar_Tensor", "bitwise_or.Scalar_Tensor", "remainder.Scalar_Tensor"):
        yield name, lambda: Call(100, ints())
    for name in WITH_OUT.split():
        yield (
            f"{name}.out",
            lambda name=name: Call(
                x().abs(),
                out=torch.empty(37, 65, dtype=torch.bool if name in ("isneginf", "signbit") else torch.float32),
            ),
        )
    yield "copysign:copysign.Tensor", lambda: Call(x(), x())
    for name in ("atan2", "copysign", "fmin", "logaddexp", "div"):
        yield f"{name}.out", lambda: Call(x(), positive(), out=torch.empty(37, 65))
    yield "greater.out:greater.Tensor_out", lambda: Call(x(), x(), out=torch.empty(37, 65, dtype=torch.bool))
    yield "greater.Scalar_out", lambda: Call(x(), 0.5, out=torch.empty(37, 65, dtype=torch.bool))
    yield "pow.Scalar", lambda: Call(2.0, x())
    yield "pow.Tensor_Scalar", lambda: Call(x(), 3)
    yield "pow.Tensor_Tensor", lambda: Call(positive(), x())
    yield "pow_.Tensor", lambda: Call(positive(), x())
    yield "addcdiv", lambda: Call(x(), x(), positive(), value=0.5)
    yield "addcmul", lambda: Call(x(), x(), x(), value=0.5)
    for name in ("clamp", "clamp_", "clip", "clip_"):
        yield name, lambda: Call(x(), -1.0, 1.0)
    for name in ("clamp.Tensor", "clamp_.Tensor"):
        yield name, lambda: Call(x(), x() - 2, x() + 2)
    for name in ("clamp_min", "clamp_min_"):
        yield name, lambda: Call(x(), 0.25)
    yield "lerp.Scalar", lambda: Call(x(), x(), 0.3)
    yield "lerp_.Scalar", lambda: Call(x(), x(), 0.3)
    yield "lerp.Tensor", lambda: Call(x(), x(), x())
    yield "lerp_.Tensor", lambda: Call(x(), x(), x())
    yield "polar", lambda: Call(positive(), x())
    yield "prelu", lambda: Call(image(), torch.rand(3))
    yield "threshold", lambda: Call(x(), 0.1, 2.0)
    yield "isclose", lambda: Call(x(), x())
    yield "allclose", lambda: Call(x(), x())
    yield "equal", lambda: Call(ints(), ints())
    for name in ("masked_fill.Scalar", "masked_fill_.Scalar"):
        yield name, lambda: Call(x(), bools(), 0.5)
    for name in ("masked_fill.Tensor", "masked_fill_.Tensor"):
        yield name, lambda: Call(x(), bools(), torch.tensor(0.5))
    yield "where.self", lambda: Call(bools(), x(), x())
    yield "where.self_out", lambda: Call(bools(), x(), x(), out=torch.empty(37, 65))
    yield "_to_copy", lambda: Call(x(), dtype=torch.float16)
    yield "copy_", lambda: Call(x(), ints())
    for name in ("fill.Scalar", "fill_.Scalar"):
        yield name, lambda: Call(x(), 2.5)
    for name in ("fill.Tensor", "fill_.Tensor"):
        yield name, lambda: Call(x(), torch.tensor(2.5))
    yield "fill.Scalar_out", lambda: Call(x(), 2.5, out=torch.empty(37, 65))
    yield "fill.Tensor_out", lambda: Call(x(), torch.tensor(2.5), out=torch.empty(37, 65))
    yield "zero.out", lambda: Call(x(), out=torch.ones(37, 65))


def _gradients() -> Iterator[tuple[str, Callable[[], Call]]]:
    yield "gelu_backward", lambda: Call(x(), x())
    yield "silu_backward", lambda: Call(x(), x())
    yield "sigmoid_backward", lambda: Call(x(), x().sigmoid())
    yield "tanh_backward", lambda: Call(x(), x().tanh())
    yield "threshold_backward", lambda: Call(x(), x(), 0.1)
    yield "elu_backward", lambda: Call(x(), 1.0, 1.0, 1.0, False, x())
    yield "glu", lambda: Call(image(8, 64), -1)
    yield "glu_backward", lambda: Call(image(8, 32), image(8, 64), 1)
    yield "_softmax_backward_data", lambda: Call(x(), x().softmax(1), 1, torch.float32)
    yield "_log_softmax_backward_data", lambda: Call(x(), x().log_softmax(1), 1, torch.float32)
    yield "embedding_dense_backward", lambda: Call(image(5, 16), index(20, 5), 20, -1, False)
    yield "select_backward", lambda: Call(image(5, 16), [5, 4, 16], 1, 2)
    yield "slice_backward", lambda: Call(image(5, 4), [5, 16], 1, 2, 10, 2)
    yield "diagonal_backward", lambda: Call(image(16), [16, 16], 0, 0, 1)
    yield "unfold_backward", lambda: Call(image(5, 7, 4), [5, 16], 1, 4, 2)
    yield "rrelu_with_noise_backward", lambda: Call(x(), x(), x(), 0.1, 0.3, False, False)
    yield "native_dropout_backward", lambda: Call(x(), bools(), 2.0)
    yield "avg_pool2d_backward", lambda: Call(image(2, 3, 4, 4), image(), [2, 2], [2, 2], [0, 0], False, True, None)
    yield "nll_loss_backward", lambda: Call(torch.tensor(1.0), x(), index(65, 37), None, 1, -100, torch.tensor(37.0))
    yield "native_layer_norm_backward", lambda: _layer_norm_backward()
    yield (
        "native_group_norm_backward",
        lambda: Call(
            image(), image(), torch.zeros(2, 1), torch.ones(2, 1), torch.ones(3), 2, 3, 64, 1, [True, True, True]
        ),
    )
    yield (
        "native_batch_norm_backward",
        lambda: Call(
            image(), image(), torch.ones(3), None, None, torch.zeros(3), torch.ones(3), True, 1e-5, [True, True, True]
        ),
    )


def _layer_norm_backward() -> Call:
    values = x()
    weight, bias = torch.ones(65), torch.zeros(65)
    _, mean, rstd = torch.native_layer_norm(values, [65], weight, bias, 1e-5)
    return Call(x(), values, [65], mean, rstd, weight, bias, [True, True, True])


def _reductions() -> Iterator[tuple[str, Callable[[], Call]]]:
    for name in ("sum.dim_IntList", "mean.dim", "amax", "var.dim"):
        yield name, lambda: Call(x(), [1])
    for name in ("max.dim", "min.dim", "prod.dim_int", "argmax@dim", "cumsum", "cummax", "cummin", "sort", "topk"):
        yield name, lambda name=name: Call(x(), 5 if name == "topk" else 1)
    # The kernel for the last dimension has no masks, so it needs sizes that are multiples of its blocks.
    yield "argmin", lambda: Call(image(64, 512), 1)
    yield "argmin@all", lambda: Call(x())
    yield "argmin@first", lambda: Call(x(), 0)
    for name in ("all.dim", "any.dim"):
        yield name, lambda: Call(bools(), 1)
    for name in ("all.dims", "any.dims"):
        yield name, lambda: Call(bools(), [0, 1])
    yield "sort.stable", lambda: Call(ints(), stable=True, dim=1)
    yield "sum.out", lambda: Call(x(), out=torch.empty(()))
    yield "sum.IntList_out", lambda: Call(x(), [0], out=torch.empty(65))
    yield "cumsum.out", lambda: Call(x(), 1, out=torch.empty(37, 65))
    yield "aminmax", lambda: Call(x(), dim=1)
    yield "std.correction", lambda: Call(x(), [1], correction=1)
    yield "var.correction", lambda: Call(x(), [1], correction=1)
    yield "var", lambda: Call(x(), True)
    yield "var_mean.correction", lambda: Call(x(), [1], correction=1)
    yield "linalg_vector_norm", lambda: Call(x(), 2, [1])
    yield "_softmax", lambda: Call(x(), 1, False)
    yield "_log_softmax", lambda: Call(x(), 1, False)
    yield "_safe_softmax", lambda: Call(x(), 1)
    yield "native_layer_norm", lambda: Call(x(), [65], torch.rand(65), torch.rand(65), 1e-5)
    yield "native_group_norm", lambda: Call(image(), torch.rand(3), torch.rand(3), 2, 3, 64, 1, 1e-5)
    # Without running statistics its kernel updates elements of the input in their place.
    yield (
        "native_batch_norm",
        lambda: Call(image(), torch.rand(3), torch.rand(3), torch.zeros(3), torch.ones(3), True, 0.1, 1e-5),
    )
    yield "rms_norm", lambda: Call(x(), [65], torch.rand(65))
    yield "_weight_norm_interface", lambda: Call(x(), torch.rand(37, 1), 0)
    yield "trace", lambda: Call(image(8, 8))
    yield "dot", lambda: Call(image(300), image(300))
    yield "vdot", lambda: Call(image(300), image(300))
    yield "quantile", lambda: Call(x(), torch.tensor([0.25, 0.5]), 1)
    yield "bincount", lambda: Call(index(20, 300))
    yield "unique_consecutive", lambda: Call(index(3, 300))
    yield "_unique2", lambda: Call(index(30, 300), True, True, True)
    yield "mse_loss", lambda: Call(x(), x(), 1)
    yield "soft_margin_loss", lambda: Call(x(), x().sign(), 1)
    yield "margin_ranking_loss", lambda: Call(image(50), image(50), image(50).sign(), 0.1)
    yield "nll_loss_forward", lambda: Call(x().log_softmax(1), index(65, 37), None, 1, -100)
    yield "nll_loss2d_forward", lambda: Call(image().log_softmax(1), index(3, 2, 8, 8), None, 1, -100)


def _products() -> Iterator[tuple[str, Callable[[], Call]]]:
    yield "mm", lambda: Call(image(37, 65), image(65, 41))
    yield "mm.out", lambda: Call(image(37, 65), image(65, 41), out=torch.empty(37, 41))
    yield "addmm", lambda: Call(image(37, 41), image(37, 65), image(65, 41))
    yield "addmm.out", lambda: Call(image(37, 41), image(37, 65), image(65, 41), out=torch.empty(37, 41))
    yield "bmm", lambda: Call(image(3, 17, 20), image(3, 20, 9))
    yield "bmm.out", lambda: Call(image(3, 17, 20), image(3, 20, 9), out=torch.empty(3, 17, 9))
    yield "baddbmm", lambda: Call(image(3, 17, 9), image(3, 17, 20), image(3, 20, 9))
    yield "mv", lambda: Call(image(37, 65), image(65))
    yield "addmv", lambda: Call(image(37), image(37, 65), image(65))
    yield "addmv.out", lambda: Call(image(37), image(37, 65), image(65), out=torch.empty(37))
    yield "addr", lambda: Call(image(37, 65), image(37), image(65))
    yield "kron", lambda: Call(image(3, 4), image(5, 2))
    yield "conv1d", lambda: Call(image(2, 4, 20), image(8, 4, 3), None, [1], [1])
    yield "conv2d", lambda: Call(image(), image(8, 3, 3, 3), None, [1, 1], [1, 1])
    yield "conv3d", lambda: Call(image(1, 2, 6, 6, 6), image(4, 2, 3, 3, 3), None, [1, 1, 1], [0, 0, 0])
    yield "conv2d.padding", lambda: Call(image(), image(8, 3, 3, 3), None, [1, 1], "valid")
    yield "_conv_depthwise2d", lambda: Call(image(), image(3, 1, 3, 3), [3, 3], None, [1, 1], [1, 1], [1, 1])


def _shapes() -> Iterator[tuple[str, Callable[[], Call]]]:
    yield "arange", lambda: Call(100)
    yield "arange.start", lambda: Call(3, 100)
    yield "arange.start_step", lambda: Call(3, 100, 7)
    yield "linspace", lambda: Call(0.0, 1.0, 17)
    yield "logspace", lambda: Call(0.0, 1.0, 17)
    yield "eye", lambda: Call(9)
    yield "eye.m", lambda: Call(9, 5)
    yield "ones", lambda: Call([5, 7])
    yield "zeros", lambda: Call([5, 7])
    yield "full", lambda: Call([5, 7], 2.5)
    yield "full_like", lambda: Call(x(), 2.5)
    yield "cat", lambda: Call([x(), x()], 1)
    yield "stack", lambda: Call([x(), x()], 1)
    yield "hstack", lambda: Call([x(), x()])
    yield "vstack", lambda: Call([x(), x()])
    yield "tile", lambda: Call(x(), [2, 2])
    yield "repeat", lambda: Call(x(), [2, 2])
    yield "flip", lambda: Call(x(), [1])
    yield "roll", lambda: Call(x(), [3], [1])
    yield "diag", lambda: Call(image(16))
    yield "diag_embed", lambda: Call(x())
    for name in ("triu", "tril", "triu_"):
        yield name, lambda: Call(x(), 1)
    yield "constant_pad_nd", lambda: Call(x(), [1, 2, 3, 4], 0.5)
    yield "pad", lambda: Call(x(), [1, 2], "constant", 0.5)
    yield "reflection_pad1d", lambda: Call(image(2, 3, 9), [2, 3])
    yield "reflection_pad2d", lambda: Call(image(), [1, 2, 2, 1])
    yield "replication_pad1d", lambda: Call(image(2, 3, 9), [2, 3])
    yield "replication_pad3d", lambda: Call(image(1, 2, 4, 4, 4), [1, 1, 1, 1, 1, 1])
    yield "pixel_unshuffle", lambda: Call(image(), 2)
    yield "repeat_interleave.self_int", lambda: Call(x(), 3, 1)
    yield "repeat_interleave.self_Tensor", lambda: Call(x(), index(4, 37), 0)
    yield "repeat_interleave.Tensor", lambda: Call(index(4, 37))
    yield "one_hot", lambda: Call(index(10, 30), 10)


def _indexing() -> Iterator[tuple[str, Callable[[], Call]]]:
    yield "embedding", lambda: Call(image(20, 16), index(20, 5, 3))
    yield "gather", lambda: Call(x(), 1, index(65, 37, 20))
    yield "gather_backward", lambda: Call(image(37, 20), x(), 1, index(65, 37, 20), False)
    yield "scatter.src", lambda: Call(x(), 1, x().argsort(1), x())
    yield "scatter_.src", lambda: Call(x(), 1, x().argsort(1), x())
    yield "scatter.reduce", lambda: Call(x(), 1, index(65, 37, 65), x(), reduce="add")
    yield "scatter_.reduce", lambda: Call(x(), 1, index(65, 37, 65), x(), reduce="add")
    yield "scatter_add_", lambda: Call(x(), 1, index(65, 37, 65), x())
    yield "index.Tensor", lambda: Call(x(), [index(37, 12)])
    yield "index_select", lambda: Call(x(), 0, index(37, 12))
    for name in ("index_add", "index_add_"):
        yield name, lambda: Call(x(), 0, index(37, 12), image(12, 65))
    for name in ("index_put", "index_put_", "_index_put_impl_"):
        yield name, lambda: Call(x(), [torch.randperm(37)[:12]], image(12, 65), False)
    yield "select_scatter", lambda: Call(x(), image(37), 1, 4)
    yield "slice_scatter", lambda: Call(x(), image(37, 10), 1, 5, 15, 1)
    yield "masked_select", lambda: Call(x(), bools())
    for name in ("masked_scatter", "masked_scatter_"):
        yield name, lambda: Call(x(), bools(), x())
    yield "isin.Tensor_Tensor", lambda: Call(index(50, 100), index(50, 10))
    yield "isin.Scalar_Tensor", lambda: Call(7, index(50, 10))
    yield "isin.Tensor_Scalar", lambda: Call(index(50, 100), 7)


def _pooling() -> Iterator[tuple[str, Callable[[], Call]]]:
    yield "avg_pool2d", lambda: Call(image(), [2, 2])
    yield "max_pool2d_with_indices", lambda: Call(image(), [2, 2])
    yield "upsample_nearest1d", lambda: Call(image(2, 3, 9), [18])
    yield "upsample_nearest2d", lambda: Call(image(), [16, 16])
    yield "upsample_nearest3d", lambda: Call(image(1, 2, 4, 4, 4), [8, 8, 8])
    yield "_upsample_nearest_exact1d", lambda: Call(image(2, 3, 9), [18])
    yield "upsample_linear1d", lambda: Call(image(2, 3, 9), [18], False)
    yield "upsample_bicubic2d", lambda: Call(image(), [16, 16], False)
    yield "_upsample_bicubic2d_aa", lambda: Call(image(), [16, 16], False)


def _random() -> Iterator[tuple[str, Callable[[], Call]]]:
    yield "rand", lambda: Call([64, 64])
    yield "randn", lambda: Call([64, 64])
    yield "rand_like", lambda: Call(x())
    yield "randn_like", lambda: Call(x())
    yield "randperm", lambda: Call(100)
    yield "uniform_", lambda: Call(x(), 2.0, 3.0)
    yield "normal_", lambda: Call(x(), 1.0, 2.0)
    yield "normal.Tensor_float", lambda: Call(x(), 2.0)
    yield "normal.float_Tensor", lambda: Call(1.0, positive())
    yield "normal.Tensor_Tensor", lambda: Call(x(), positive())
    yield "exponential_", lambda: Call(x(), 1.0)
    yield "bernoulli_.float", lambda: Call(x(), 0.3)
    yield "multinomial", lambda: Call(positive(), 3)
    yield "native_dropout", lambda: Call(x(), 0.5, True)


#: Results are random: only shape, type and a rough mean are compared, or the same values are expected in any order.
RANDOM = {**{name: "mean" for name, _ in _random()}, "randperm": "order"}


def cases() -> dict[str, Callable[[], Call]]:
    """Makers of arguments by name; after a colon the name of torch's operator where that differs, after an `@` what
    tells cases of one operator apart.
    """
    groups = (_elementwise, _gradients, _reductions, _products, _shapes, _indexing, _pooling, _random)
    return {name: make for group in groups for name, make in group()}
