"""Blocks of ragged arrays, for devices without a tensor memory accelerator and with 32-bit integer units.

A *ragged* array holds slices of different length one after the other along one dimension. A block that reaches past the
end of its slice must neither read nor overwrite the next one: pointers are masked. The interface is that of the trunk's
module of this name. What differs: offsets are 32 bits wide wherever the whole array can be addressed with them, which
`create_ragged_descriptor` decides on the host. A 64-bit multiplication takes several instructions on these devices, and
a block needs one per element and dimension.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import triton
import triton.language as tl
from triton.flagtree_spec import replaced
from triton.runtime.jit import constexpr_function

_trunk = replaced("triton.tools.ragged_tma")
to_ragged_indices = _trunk.to_ragged_indices
_LIMIT = 1 << 31


class RaggedTensor(NamedTuple):
    """What a kernel needs to address blocks; one argument of it. ``wide``: offsets need 64 bits."""

    base: Any
    shape: tuple
    strides: tuple
    block_shape: tuple
    wide: Any


def create_ragged_descriptor(T: Any, block_shape: list[int], ragged_dim: int = 0) -> RaggedTensor:
    """Describes array ``T`` (torch or NumPy) for blocks of ``block_shape``; slices follow along ``ragged_dim``.

    ValueError when the rank is not 1 to 5, or does not fit the block shape or ``ragged_dim``, and for block sizes that
    are no powers of two.
    """
    described = _trunk.create_ragged_descriptor(T, block_shape, ragged_dim)
    # Lanes beyond the array are masked, but their offsets are computed all the same.
    reach = (
        (size + int(block.value)) * abs(stride)
        for size, block, stride in zip(described.shape, described.block_shape, described.strides, strict=True)
    )
    return RaggedTensor(*described, tl.constexpr(sum(reach) >= _LIMIT))


@constexpr_function
def _other_dims(rank, dim):
    """All dimensions but ``dim``: those that an index vector of ``dim`` is broadcast along."""
    return tuple(position for position in range(rank) if position != dim)


@constexpr_function
def _from_front(rank, dim):
    return dim % rank


@constexpr_function
def _offset_type(wide):
    return tl.int64 if wide else tl.int32


@triton.jit
def _pointers(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr):
    """Pointers of the block at ``coords`` and the mask of what it may touch."""
    rank: tl.constexpr = len(TMA.block_shape)
    ragged: tl.constexpr = _from_front(rank, ragged_dim)
    kind: tl.constexpr = _offset_type(TMA.wide)
    offset = tl.zeros(TMA.block_shape, kind)
    inside = tl.full(TMA.block_shape, True, tl.int1)
    for dim in tl.static_range(rank):
        index = coords[dim] + tl.arange(0, TMA.block_shape[dim])
        if rank > 1:
            index = tl.expand_dims(index, _other_dims(rank, dim))
        if dim == ragged:
            index, valid = to_ragged_indices(slice_off, slice_size, index)
            inside = inside & valid
        inside = inside & (index >= 0) & (index < TMA.shape[dim])
        offset = offset + index.to(kind) * tl.cast(TMA.strides[dim], kind)
    return TMA.base + offset, inside


@triton.jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """The block at ``coords`` of the slice of ``slice_size`` rows that starts at ``slice_off``; 0 outside of it."""
    pointers, inside = _pointers(TMA, slice_off, slice_size, coords, ragged_dim)
    return tl.load(pointers, mask=inside, other=0)


@triton.jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Stores ``data`` at ``coords`` of that slice; what lies outside of it is not written."""
    pointers, inside = _pointers(TMA, slice_off, slice_size, coords, ragged_dim)
    tl.store(pointers, data, mask=inside)


@triton.jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Adds ``data`` at ``coords`` of that slice, atomically per element; what lies outside of it is not written."""
    pointers, inside = _pointers(TMA, slice_off, slice_size, coords, ragged_dim)
    tl.atomic_add(pointers, data, mask=inside)
