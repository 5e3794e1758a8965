"""Builtins that combine many elements: reductions, scans, dots, and scalar code applied to each element."""

from __future__ import annotations

from . import _types as T
from ._builtin import builtin, tensor_member
from ._ops_shape import _as_dtype
from ._tensor import tensor
from ._values import _unwrap_if_constexpr, as_value, flatten_values
from ._values import tuple as tl_tuple


def _region_filler(inputs, combine, finish, what: str, semantic, generator):
    """Function that fills the block of a reduction or scan with the code of `combine`, then calls `finish(handles)`."""

    def fill(block):
        builder = semantic.builder
        position = builder.get_insertion_point()
        builder.set_insertion_point_to_end(block)
        count = len(inputs)
        scalars = [tensor(block.get_argument(i), inputs[i % count].dtype) for i in range(2 * count)]
        result = generator.inline_call(combine, scalars, {})
        results = list(result) if isinstance(result, tl_tuple) else [result]
        if len(results) != count:
            raise ValueError(f"{what}: the combine function returned {len(results)} values for {count} inputs")
        handles = []
        for value, x in zip(results, inputs):
            value = semantic.to_tensor(value)
            if value.dtype != x.dtype:
                raise ValueError(
                    f"{what}: the combine function turned {x.dtype!r} into {value.dtype!r}; it must keep the dtype"
                )
            handles.append(value.handle)
        finish(handles)
        builder.restore_insertion_point(position)

    return fill


def _as_inputs(value, what: str, semantic):
    single = not isinstance(value, (tl_tuple, tuple, list))
    inputs = [semantic.to_tensor(v) for v in ([value] if single else value)]
    if not inputs:
        raise ValueError(f"{what} needs at least one input")
    return inputs, single


@tensor_member
@builtin
def reduce(input, axis, combine_fn, keep_dims=False, _semantic=None, _generator=None):
    """Combine all elements of a tensor, or of a tuple of tensors, along `axis` (None: along all).

    `combine_fn` is a jit function that takes two scalars per tensor and returns one per tensor. It must be associative.
    """
    inputs, single = _as_inputs(input, "tl.reduce", _semantic)
    axis = _unwrap_if_constexpr(axis)
    rank = len(inputs[0].type.get_block_shapes())
    fill = _region_filler(inputs, combine_fn, _semantic.builder.create_reduce_ret, "tl.reduce", _semantic, _generator)
    results = _semantic.reduction(inputs, axis, fill)
    if _unwrap_if_constexpr(keep_dims) and rank:
        if axis is None:
            results = [_semantic.splat(r, (1,) * rank) for r in results]
        else:
            results = [_semantic.expand_dims(r, axis % rank) for r in results]
    return results[0] if single else tl_tuple(results)


@tensor_member
@builtin
def associative_scan(input, axis, combine_fn, reverse=False, _semantic=None, _generator=None):
    """Running combination along `axis` of a tensor, or of a tuple of tensors; see `reduce` for `combine_fn`."""
    inputs, single = _as_inputs(input, "tl.associative_scan", _semantic)
    fill = _region_filler(
        inputs, combine_fn, _semantic.builder.create_scan_ret, "tl.associative_scan", _semantic, _generator
    )
    reverse = bool(_unwrap_if_constexpr(reverse))
    results = _semantic.associative_scan(inputs, _unwrap_if_constexpr(axis), reverse, fill)
    return results[0] if single else tl_tuple(results)


@builtin
def map_elementwise(scalar_fn, *args, pack=1, _semantic=None, _generator=None):
    """Apply a jit function of scalars, which may branch and loop, to each element of the broadcast `args`.

    With `pack` > 1 the function gets `pack` neighbouring elements of each argument and returns as many of each result.
    """
    pack = _unwrap_if_constexpr(pack)
    if not args or not isinstance(pack, int) or pack < 1 or pack & (pack - 1):
        raise ValueError(f"tl.map_elementwise needs arguments and a power of two as pack, got pack={pack!r}")
    inputs = [_semantic.to_tensor(a) for a in args]
    for i in range(1, len(inputs)):
        inputs[0], inputs[i] = _semantic.broadcast_pair(inputs[0], inputs[i])
    inputs = [_semantic.broadcast_pair(x, inputs[0])[0] for x in inputs]
    shape = inputs[0].type.get_block_shapes()
    if not shape:
        return _generator.inline_call(scalar_fn, inputs, {})
    return _map_blocks(scalar_fn, inputs, shape, pack, _semantic, _generator)


def _map_blocks(scalar_fn, inputs, shape, pack: int, semantic, generator):
    builder = semantic.builder
    # The result types are those of the scalar function: trace it once where the code is thrown away.
    trial = builder.create_map_elementwise([x.handle for x in inputs], [], pack)
    values = _trace_scalars(scalar_fn, trial.get_body(), inputs, pack, semantic, generator)
    dtypes = [v.dtype for v in values[::pack]]
    trial.erase()
    types = [T.block_type(t, shape) for t in dtypes]
    op = builder.create_map_elementwise([x.handle for x in inputs], [t.to_ir(builder) for t in types], pack)
    _trace_scalars(scalar_fn, op.get_body(), inputs, pack, semantic, generator)
    results = [tensor(op.get_result(i), t) for i, t in enumerate(types)]
    return results[0] if len(results) == 1 else tl_tuple(results)


def _trace_scalars(scalar_fn, block, inputs, pack: int, semantic, generator):
    builder = semantic.builder
    position = builder.get_insertion_point()
    builder.set_insertion_point_to_end(block)
    scalars = [tensor(block.get_argument(i), inputs[i // pack].dtype) for i in range(len(inputs) * pack)]
    result = as_value(generator.inline_call(scalar_fn, scalars, {}))
    values = list(result) if isinstance(result, tl_tuple) else [result]
    values = [semantic.to_tensor(v) for v in values]
    if len(values) % pack:
        raise ValueError(f"tl.map_elementwise: {len(values)} results cannot be packs of {pack}")
    builder.create_map_elementwise_ret(flatten_values(values))
    builder.restore_insertion_point(position)
    return values


@builtin
def dot(
    input,
    other,
    acc=None,
    input_precision=None,
    allow_tf32=None,
    max_num_imprecise_acc=None,
    out_dtype=None,
    _semantic=None,
):
    """Matrix product of two matrices, or of batches of them, plus `acc`.

    `input_precision` is how float32 operands are read: "tf32", "tf32x3", "ieee", "bf16x3" or "bf16x6"; `allow_tf32` is
    the older form of it. Operands have the same dtype, except that two fp8 types may differ. int8 gives int32, float64
    gives float64, bfloat16 and float32 give float32, other types `out_dtype` (float32 or float16).
    """
    input_precision = _unwrap_if_constexpr(input_precision)
    allow_tf32 = _unwrap_if_constexpr(allow_tf32)
    if allow_tf32 is not None:
        if input_precision is not None:
            raise ValueError("tl.dot: give input_precision or allow_tf32, not both")
        input_precision = "tf32" if allow_tf32 else "ieee"
    if input_precision is None:
        input_precision = _semantic.default_precision()
    acc = _unwrap_if_constexpr(acc)
    limit = _unwrap_if_constexpr(max_num_imprecise_acc)
    return _semantic.dot(input, other, acc, input_precision, limit, _as_dtype(out_dtype))


@builtin
def dot_scaled(
    lhs,
    lhs_scale,
    lhs_format,
    rhs,
    rhs_scale,
    rhs_format,
    acc=None,
    fast_math=False,
    lhs_k_pack=True,
    rhs_k_pack=True,
    out_dtype=T.float32,
    _semantic=None,
):
    """Matrix product of operands in microscaling formats: each 32 elements along K share an 8-bit exponent.

    Formats are "e2m1" (two elements a byte), "e4m3", "e5m2", "bf16" and "fp16"; scales are uint8 `[M, K/32]` and
    `[N, K/32]`, or None.
    """
    lhs_scale, rhs_scale, acc = (_unwrap_if_constexpr(x) for x in (lhs_scale, rhs_scale, acc))
    return _semantic.dot_scaled(
        lhs,
        lhs_scale,
        str(_unwrap_if_constexpr(lhs_format)),
        rhs,
        rhs_scale,
        str(_unwrap_if_constexpr(rhs_format)),
        acc,
        bool(_unwrap_if_constexpr(fast_math)),
        bool(_unwrap_if_constexpr(lhs_k_pack)),
        bool(_unwrap_if_constexpr(rhs_k_pack)),
        _as_dtype(out_dtype),
    )
