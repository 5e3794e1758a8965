"""Puts the kernels behind torch's operators for fused attention, for the device in host memory.

What the kernels do not do, torch's own for the CPU do, over the same memory: dropout, other types than three, heads
that are shared, few queries, and tensors too large for offsets of 32 bits. So does everything where this Triton
compiles nothing for the host.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from .._claim import NAME
from .._reach import fits_in_32_bits
from ..inductor.require import missing_backends
from ..profiles import Profile

_NAME = "_scaled_dot_product_flash_attention_for_cpu"
_TYPES = (torch.float32, torch.bfloat16, torch.float16)
_BLOCK = 64
_FEWEST_QUERIES = 16  # fewer waste most of a block
_MOST_D = 256

_library: torch.library.Library | None = None


def register(extension: Any, profile: Profile) -> bool:
    """Registers both operators on the host, through `extension`, ``torch_fl._C``. True if this call did."""
    global _library
    if profile.name != "host" or _library is not None:
        return False
    _library = torch.library.Library("aten", "IMPL")
    _library.impl(_NAME, functools.partial(forward, extension), "PrivateUse1")
    _library.impl(f"{_NAME}_backward", functools.partial(backward, extension), "PrivateUse1")
    return True


@functools.cache
def _kernels() -> Any:
    """The module of kernels, None if they cannot be compiled. Imports Triton, so not before they are needed."""
    if missing_backends():
        return None
    from . import kernels

    return kernels


def _check_device(*tensors: torch.Tensor | None) -> None:
    """RuntimeError, as from every operator of the device, if one of `tensors` is elsewhere."""
    for tensor in tensors:
        if tensor is not None and tensor.device.type != NAME:
            raise RuntimeError(
                f"aten::{_NAME}: expected all tensors on one device, got {NAME}:0 and {tensor.device}. "
                f'Move them with .to("{NAME}")'
            )


def fits(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None, dropout: float
) -> bool:
    """Whether the kernels compute this. What torch refuses does not fit, so it gives torch's error."""
    if query.dim() != 4 or (mask is not None and (mask.dtype != query.dtype or mask.dim() not in (2, 4))):
        return False
    batch, heads, queries, d = query.shape
    return (
        dropout == 0.0
        and query.dtype in _TYPES
        and query.dtype == key.dtype == value.dtype
        and key.shape == value.shape == (batch, heads, key.shape[2], d)
        and batch * heads > 0
        and queries >= _FEWEST_QUERIES
        and key.shape[2] > 0
        and 0 < d <= _MOST_D
        and fits_in_32_bits(query, mask)
        and batch * heads * max(queries, key.shape[2]) * _block_d(d) < 2**31  # gradients and their sums
        and query.stride(-1) == 1  # and so for the result, which has the query's layout
        and _kernels() is not None
    )


def _by_rows(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor.stride(-1) == 1 and fits_in_32_bits(tensor) else tensor.contiguous()


def _block_d(d: int) -> int:
    return max(16, 1 << (d - 1).bit_length())


def _block(length: int) -> int:
    return min(_BLOCK, max(16, 1 << (length - 1).bit_length()))


def _mask(mask: torch.Tensor | None, query: torch.Tensor, keys: int) -> tuple[torch.Tensor, tuple[int, ...]]:
    """What is added to scores, with its strides; without one any tensor, which is not read."""
    if mask is None:
        return query, (0, 0, 0, 0)
    return mask, mask.expand(*query.shape[:3], keys).stride()


def _gradient(like: torch.Tensor) -> torch.Tensor:
    """(batch, heads, length, d), contiguous as (batch, length, heads, d)."""
    batch, heads, length, d = like.shape
    return like.new_empty(batch, length, heads, d).transpose(1, 2)


def _on_cpu(extension: Any, operator: Any, *arguments: Any, **named: Any) -> Any:
    def alias(value: Any) -> Any:
        return extension.backing_alias(value) if isinstance(value, torch.Tensor) else value

    results = operator(*map(alias, arguments), **{name: alias(value) for name, value in named.items()})
    return tuple(map(extension.from_backing, results))


def forward(
    extension: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: torch.Tensor | None = None,
    scale: float | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Result and logsumexp, (batch, heads, queries), the latter in single precision."""
    _check_device(query, key, value, attn_mask)
    if not fits(query, key, value, attn_mask, dropout_p):
        operator = getattr(torch.ops.aten, _NAME).default
        return _on_cpu(extension, operator, query, key, value, dropout_p, is_causal, attn_mask=attn_mask, scale=scale)
    key, value = _by_rows(key), _by_rows(value)
    batch, heads, queries, d = query.shape
    keys = key.shape[2]
    mask, mask_strides = _mask(attn_mask, query, keys)
    out = torch.empty_like(query)
    logsumexp = query.new_empty(batch, queries, heads, dtype=torch.float32)
    rows = _block(queries)
    _kernels().forward[(batch * heads * -(-queries // rows),)](
        query, key, value, mask, out, logsumexp, heads, queries, keys, d**-0.5 if scale is None else scale,
        *query.stride()[:3], *key.stride()[:3], *value.stride()[:3], *out.stride()[:3],
        *mask_strides, D=d, BLOCK_D=_block_d(d), CAUSAL=is_causal, MASK=attn_mask is not None,
        ROWS=rows, COLS=_block(keys),
    )  # fmt: skip
    return out, logsumexp.transpose(1, 2)


def backward(
    extension: Any,
    grad_out: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    out: torch.Tensor,
    logsumexp: torch.Tensor,
    dropout_p: float,
    is_causal: bool,
    *,
    attn_mask: torch.Tensor | None = None,
    scale: float | None = None,
) -> tuple[torch.Tensor, ...]:
    """Gradients of query, key and value."""
    _check_device(grad_out, query, key, value, out, logsumexp, attn_mask)
    if not fits(query, key, value, attn_mask, dropout_p):
        operator = getattr(torch.ops.aten, f"{_NAME}_backward").default
        tensors = (grad_out, query, key, value, out, logsumexp)
        return _on_cpu(extension, operator, *tensors, dropout_p, is_causal, attn_mask=attn_mask, scale=scale)
    grad_out, query, key, value, out = map(_by_rows, (grad_out, query, key, value, out))
    batch, heads, queries, d = query.shape
    keys = key.shape[2]
    mask, mask_strides = _mask(attn_mask, query, keys)
    grads = tuple(map(_gradient, (query, key, value)))
    rows, cols, block_d = _block(queries), _block(keys), _block_d(d)
    one = queries <= rows and keys <= cols
    sums = grads[0] if one else query.new_empty(batch * heads, queries, block_d, dtype=torch.float32)
    _kernels().backward[(batch * heads,)](
        grad_out, query, key, value, mask, out, logsumexp, *grads, sums, heads, queries, keys,
        d**-0.5 if scale is None else scale, *grad_out.stride()[:3], *query.stride()[:3], *key.stride()[:3],
        *value.stride()[:3], *out.stride()[:3], *logsumexp.stride(), *mask_strides,
        D=d, BLOCK_D=block_d, CAUSAL=is_causal, MASK=attn_mask is not None, ONE=one, ROWS=rows, COLS=cols,
    )  # fmt: skip
    return grads
