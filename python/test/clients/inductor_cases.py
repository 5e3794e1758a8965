"""Functions and small models for PyTorch Inductor, over everything that it makes Triton kernels for.

`CASES` maps a name to a `Case`. Its `make` returns what is compiled and its arguments; a module is trained for one step
(gradients are compared too), and so is a function whose arguments require gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Case:
    """`tolerance` is relative and absolute; `sizes` are further numbers of rows for a dynamic shape."""

    make: Callable[[], tuple[Any, tuple]]
    tolerance: float = 1e-4
    sizes: tuple[int, ...] = ()
    # Values that depend on the order of random draws are not compared, only how many are zero.
    random: bool = False


CASES: dict[str, Case] = {}


def _rows(*shape: int, dtype: torch.dtype = torch.float32, grad: bool = False) -> torch.Tensor:
    return torch.randn(*(shape or (64, 100))).to(dtype).requires_grad_(grad)


def _add(name: str, function: Callable, *arguments: Callable[[], Any], **options: Any) -> None:
    if name in CASES:
        raise ValueError(f"two cases are called {name}")
    makers = arguments or (_rows, _rows)[: function.__code__.co_argcount]
    CASES[name] = Case(lambda: (function, tuple(make() for make in makers)), **options)


def _model(name: str, make: Callable[[], nn.Module], *arguments: Callable[[], Any], **options: Any) -> None:
    CASES[name] = Case(lambda: (make(), tuple(argument() for argument in arguments)), **options)


def _grad(*shape: int) -> Callable[[], torch.Tensor]:
    return lambda: _rows(*shape, grad=True)


def _of(*shape: int, dtype: torch.dtype = torch.float32) -> Callable[[], torch.Tensor]:
    return lambda: _rows(*shape, dtype=dtype)


def _ints(high: int, *shape: int) -> Callable[[], torch.Tensor]:
    return lambda: torch.randint(0, high, shape)


# --- pointwise ---
_add("add", lambda x, y: x + y * 2)
_add("broadcast", lambda x, y: x[:, None, :] - y[:8, None].sum(-1), _of(8, 100), _of(8, 100))
_add("gelu", lambda x: F.gelu(x))
_add("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"))
_add("silu_mul", lambda x, y: F.silu(x) * y)
_add("sigmoid_tanh_erf", lambda x, y: torch.tanh(x).sigmoid() + torch.erf(y))
_add("trigonometry", lambda x, y: torch.sin(x) * torch.cos(y) + torch.tan(x * 0.3) + torch.atan2(x, y))
_add("hyperbolic", lambda x, y: torch.sinh(x) + torch.cosh(y) + torch.asinh(x) + torch.acosh(y.abs() + 1))
_add("logarithms", lambda x: x.abs().log1p() + x.abs().add(1).log2() + x.abs().add(1).log10() + x.mul(0.1).expm1())
_add("powers", lambda x, y: x.abs().pow(1.5) + torch.hypot(x, y) + x**3 + y.abs().rsqrt(), tolerance=1e-3)
_add("gamma", lambda x: torch.lgamma(x.abs() + 0.5) + (x.tanh() * 0.9).erfinv() + torch.special.i0(x), tolerance=1e-3)
_add("rounding", lambda x, y: x.floor() + y.round() + (x * 3).ceil() + (y * 3).trunc())
_add("integers", lambda x, y: (x * 10).int() // 3 + (y * 10).int() % 3)
_add("shifts", lambda x, y: (x << 2) ^ (y >> 1) | (x & y), _ints(1000, 64, 100), _ints(1000, 64, 100))
_add("booleans", lambda x, y: torch.where((x > y) & ~(x > 0) | (y < -1), x, -y))
_add("int_to_float", lambda x: x.to(torch.float32) / 7 + x.to(torch.float64).sqrt().float(), _ints(1000, 64, 100))
_add("float64", lambda x, y: torch.exp(x) / (1 + y * y), *[_of(64, 100, dtype=torch.float64)] * 2)
_add("bfloat16", lambda x, y: torch.relu(x * y + 1), *[_of(64, 100, dtype=torch.bfloat16)] * 2, tolerance=2e-2)
_add("float16", lambda x, y: torch.relu(x * y + 1), *[_of(64, 100, dtype=torch.float16)] * 2, tolerance=5e-3)
_add("clamp_nan", lambda x: torch.nan_to_num((x - 2).log().clamp(-1, 1), nan=3.0))
_add("in_place", lambda x, y: x.clone().add_(y).mul_(2).relu_())
_add("remainder_fmod", lambda x, y: torch.remainder(x, y.abs() + 0.5) + torch.fmod(x, y.abs() + 0.5))
_add("copysign_frexp", lambda x, y: torch.copysign(x, y) + torch.signbit(x) + torch.nextafter(x, y))
_add("many_outputs", lambda x, y: (x + y, x - y, x * y, x.sum(-1)))
# --- reductions ---
_add("sum_rows", lambda x, y: (x * y).sum(-1))
_add("sum_columns", lambda x: x.sum(0))
_add("sum_all", lambda x: x.sum(), _of(1000, 300), tolerance=1e-2)
_add("mean_var", lambda x: (x.mean(-1), x.var(-1), x.std(0)))
_add("max_min", lambda x: x.max(-1)[0] + x.min(-1)[0])
_add("argmax", lambda x: (x.argmax(-1), x.argmin(0)))
_add("max_with_indices", lambda x: x.max(-1))
_add("prod", lambda x: x.prod(-1))
_add("any_all", lambda x: (x > 2).any(-1) | (x > -3).all(-1))
_add("logsumexp", lambda x: torch.logsumexp(x, -1))
_add("norms", lambda x: torch.linalg.vector_norm(x, dim=-1) + x.abs().sum(-1) + x.norm(p=3, dim=-1))
_add("count", lambda x: (x > 0).sum(-1))
_add("variance_large", lambda x: torch.var_mean(x, (1, 2)), _of(4, 64, 500), tolerance=1e-3)
# --- softmax and norms ---
_add("softmax", lambda x: torch.softmax(x, -1))
_add("softmax_columns", lambda x: torch.softmax(x, 0))
_add("log_softmax", lambda x: torch.log_softmax(x, -1))
_add("softmax_long", lambda x: torch.softmax(x, -1), _of(8, 20000))
_add("layer_norm", lambda x, w, b: F.layer_norm(x, (100,), w, b), _rows, _of(100), _of(100))
_add("rms_norm", lambda x, w: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w, _rows, _of(100))
_add("group_norm", lambda x: F.group_norm(x, 4), _of(2, 8, 10, 10))
_add("batch_norm", lambda x: F.batch_norm(x, None, None, training=True), _of(8, 6, 10, 10))
_add("normalize", lambda x: F.normalize(x, dim=-1))
_add("softmax_backward", lambda x: torch.softmax(x, -1), _grad(64, 100))
_add("layer_norm_backward", lambda x, w, b: F.layer_norm(x, (100,), w, b), _grad(64, 100), _grad(100), _grad(100))
_add("gelu_backward", lambda x: F.gelu(x), _grad(64, 100))
# --- scans and sorting ---
_add("cumsum", lambda x: x.cumsum(-1), tolerance=1e-3)
_add("cumsum_columns", lambda x: x.cumsum(0), tolerance=1e-3)
_add("cumprod", lambda x: x.cumprod(-1))
_add("cummax", lambda x: x.cummax(-1))
_add("logcumsumexp", lambda x: x.logcumsumexp(-1))
_add("sort", lambda x: x.sort(-1))
_add("sort_descending", lambda x: x.sort(-1, descending=True)[0])
_add("argsort_gather", lambda x, y: y.gather(1, x.argsort(-1)))
# --- dropout ---
_add("dropout", lambda x: F.dropout(x.abs() + 1, 0.5), random=True)
_add("rand_like", lambda x: torch.where(torch.rand_like(x) < 0.25, 0, x.abs() + 1), random=True)
# --- indexing ---
_add("index_rows", lambda x, i: x[i] * 2, _rows, _ints(64, 50))
_add("gather", lambda x, i: x.gather(1, i), _rows, _ints(100, 64, 30))
_add("scatter_add", lambda x, i: torch.zeros(64, 50).scatter_add(1, i, x), _rows, _ints(50, 64, 100))
_add("index_put", lambda x, i: torch.zeros(64, 100).index_put((i,), x[: len(i)], accumulate=True), _rows, _ints(64, 40))
_add("slice_cat", lambda x, y: torch.cat([x[:, ::2], y[:, 1::2].flip(1)], 1))
_add("pad_roll", lambda x: F.pad(torch.roll(x, 3, -1), (1, 2), value=0.5))
_add("tril_diag", lambda x: torch.tril(x) + torch.triu(x, 2).t(), _of(40, 40))
_add("one_hot", lambda i: F.one_hot(i, 20).float().sum(0), _ints(20, 64))
_add("masked_fill", lambda x, y: x.masked_fill(y > 0, -1e9).softmax(-1))
_add("embedding", lambda w, i: F.embedding(i, w) + 1, _of(50, 32), _ints(50, 7, 9))
_add("embedding_backward", lambda w, i: F.embedding(i, w), _grad(50, 32), _ints(50, 7, 9))
_add("bucketize", lambda x, b: torch.bucketize(x, b.sort()[0]), _rows, _of(16))
# --- pooling and resizing ---
_add("max_pool", lambda x: F.max_pool2d(x, 3, 2, 1), _of(2, 3, 16, 16))
_add("avg_pool", lambda x: F.avg_pool2d(x, 2), _of(2, 3, 16, 16))
_add("adaptive_pool", lambda x: F.adaptive_avg_pool2d(x, 4), _of(2, 3, 16, 16))
_add("upsample", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), _of(2, 3, 8, 8))
_add("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2).relu(), _of(2, 8, 5, 5))
# --- products with an epilogue ---
_add("matmul_relu", lambda x, w, b: F.relu(x @ w + b), _of(64, 32), _of(32, 48), _of(48))
_add("linear_gelu", lambda x, w, b: F.gelu(F.linear(x, w, b)), _of(64, 32), _of(48, 32), _of(48))
_add("bmm_softmax", lambda x, y: torch.softmax(torch.bmm(x, y) * 0.1, -1), _of(4, 16, 32), _of(4, 32, 16))
_add("conv_relu", lambda x, w: F.relu(F.conv2d(x, w, padding=1)) + 1, _of(2, 3, 16, 16), _of(8, 3, 3, 3))
_add("conv1d_silu", lambda x, w: F.silu(F.conv1d(x, w)), _of(2, 4, 30), _of(8, 4, 3))
# --- losses ---
_add("cross_entropy", lambda x, i: F.cross_entropy(x, i), _grad(64, 100), _ints(100, 64))
_add("mse_huber", lambda x, y: F.mse_loss(x, y) + F.huber_loss(x, y), _grad(64, 100), _rows)
_add("kl_div", lambda x, y: F.kl_div(x.log_softmax(-1), y.softmax(-1), reduction="batchmean"), _grad(64, 100), _rows)
# --- attention ---


def _attention(q, k, v):
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    causal = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    return scores.masked_fill(~causal, float("-inf")).softmax(-1) @ v


_add("attention", _attention, _of(2, 4, 24, 16), _of(2, 4, 24, 16), _of(2, 4, 24, 16))
_add("attention_backward", _attention, _grad(2, 4, 24, 16), _grad(2, 4, 24, 16), _grad(2, 4, 24, 16))


def _rotary(x, angle):
    first, second = x.chunk(2, -1)
    return torch.cat([first * angle.cos() - second * angle.sin(), second * angle.cos() + first * angle.sin()], -1)


_add("rotary", _rotary, _of(2, 4, 24, 16), _of(24, 8))
# --- shapes that change ---
_add("dynamic_pointwise", lambda x, y: F.gelu(x) * y, sizes=(3, 17, 200))
_add("dynamic_softmax", lambda x: torch.softmax(x, 0), sizes=(3, 17, 200))
_add("dynamic_sum", lambda x, y: (x * y).sum(0), sizes=(3, 17, 1000), tolerance=1e-3)
_add("dynamic_layer_norm", lambda x: F.layer_norm(x, (100,)), sizes=(3, 17, 200))
# --- small models, one step of training ---


class _Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(32)
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.wide, self.narrow = nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (4, 8)).transpose(1, 2) for part in self.qkv(self.norm(x)).chunk(3, -1))
        x = x + self.out(_attention(q, k, v).transpose(1, 2).flatten(2))
        return x + self.narrow(F.gelu(self.wide(self.norm(x))))


class _Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.gates = nn.Linear(24, 64)

    def forward(self, x):
        hidden = cell = torch.zeros(x.shape[0], 16)
        for step in x.unbind(1):
            i, f, g, o = self.gates(torch.cat([step, hidden], -1)).chunk(4, -1)
            cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
            hidden = o.sigmoid() * cell.tanh()
        return hidden


def _mlp():
    return nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.LayerNorm(64), nn.Linear(64, 10), nn.LogSoftmax(-1))


def _convolutions():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(392, 10)
    )


_model("mlp", _mlp, _of(16, 20))
_model("convolutional", _convolutions, _of(4, 3, 16, 16), tolerance=1e-3)
_model("transformer_block", _Attention, _of(2, 12, 32), tolerance=1e-3)
_model("recurrent", _Recurrent, _of(3, 5, 8), tolerance=1e-3)
_model("bag_of_words", lambda: nn.Sequential(nn.Embedding(30, 16), nn.Flatten(), nn.Linear(112, 5)), _ints(30, 8, 7))
_model("autoencoder", lambda: nn.Sequential(nn.Linear(40, 8), nn.Tanh(), nn.Linear(8, 40), nn.Sigmoid()), _of(16, 40))
_model(
    "gated_convolution",
    lambda: nn.Sequential(nn.Conv1d(4, 16, 3), nn.GLU(1), nn.GroupNorm(2, 8)),
    _of(2, 4, 30),
    tolerance=1e-3,
)
_model(
    "batch_norm_mlp",
    lambda: nn.Sequential(nn.Linear(20, 32), nn.BatchNorm1d(32), nn.SiLU(), nn.Linear(32, 4)),
    _of(16, 20),
    tolerance=1e-3,
)
