"""What the extension calls for a large product in f32 (`csrc/host/Products.cpp`)."""

from __future__ import annotations

import functools
from typing import Any

import torch

from .._reach import fits_in_32_bits
from ..inductor.require import missing_backends
from ..profiles import Profile

_LARGE, _SMALL, _BLOCK_K, _SUM, _GROUP = 128, 64, 64, 256, 8


def register(extension: Any, profile: Profile) -> None:
    """Has the extension, ``torch_fl._C``, ask `multiply` on the host."""
    if profile.name == "host":
        extension.set_product(multiply)


@functools.cache
def _kernel() -> Any:
    """None if it cannot be compiled. Imports Triton, so not before it is needed."""
    if missing_backends():
        return None
    from .kernels import product

    return product


def block(m: int, n: int, threads: int) -> int:
    """Rows and columns of a block: the larger, unless threads would have nothing to do."""
    blocks = -(-m // _LARGE) * -(-n // _LARGE)
    return _LARGE if blocks >= 2 * threads else _SMALL


def multiply(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None, out: torch.Tensor) -> bool:
    """Writes ``a @ b + bias`` to `out`. `bias` has the shape of `out`, by strides of 0 where it is repeated.

    False, and nothing is written, if this Triton compiles nothing for the host, or if a matrix reaches too far for
    the kernel's offsets.
    """
    kernel = _kernel()
    if kernel is None or not fits_in_32_bits(a, b, bias, out):
        return False
    (m, k), n = a.shape, b.shape[1]
    size = block(m, n, torch.get_num_threads())
    added = out if bias is None else bias
    kernel[(-(-m // size) * -(-n // size),)](
        a, b, added, out, m, n, k, *a.stride(), *b.stride(), *added.stride(), *out.stride(),
        BIAS=bias is not None, BLOCK_M=size, BLOCK_N=size, BLOCK_K=_BLOCK_K, SUM=_SUM, GROUP=_GROUP,
    )  # fmt: skip
    return True
