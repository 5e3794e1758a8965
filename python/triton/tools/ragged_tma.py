"""Blocks of ragged tensors: slices of different length that follow each other along one dimension.

`create_ragged_descriptor` describes the whole tensor; `load_ragged` and its kin access a block of one slice, given the
slice's offset and size. Elements outside of the slice are read as zero and never written, so a block may reach past
the end of its slice without touching the next one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import triton
import triton.language as tl
from triton.runtime.jit import constexpr_function

from .._utils import validate_block_shape
from .tensor_descriptor import _strides_in_elements


class RaggedTensor(NamedTuple):
    """What a kernel needs to address blocks; one argument of it."""

    base: Any
    shape: tuple
    strides: tuple
    block_shape: tuple


def create_ragged_descriptor(T: Any, block_shape: list[int], ragged_dim: int = 0) -> RaggedTensor:
    """Describes tensor `T` for blocks of `block_shape`; slices follow each other along `ragged_dim`.

    ValueError when the rank is not 1 to 5, or does not fit the block shape or `ragged_dim`.
    """
    rank = len(T.shape)
    if not 1 <= rank <= 5 or len(block_shape) != rank:
        raise ValueError(f"create_ragged_descriptor: block_shape {list(block_shape)} for a tensor of rank {rank}")
    if not -rank <= ragged_dim < rank:
        raise ValueError(f"create_ragged_descriptor: ragged_dim {ragged_dim} is out of range for rank {rank}")
    validate_block_shape(block_shape)
    sizes = tuple(int(size) for size in T.shape)
    return RaggedTensor(T, sizes, tuple(_strides_in_elements(T)), tuple(tl.constexpr(int(b)) for b in block_shape))


@constexpr_function
def _normalized(dim, rank):
    return dim + rank if dim < 0 else dim


@constexpr_function
def _all_but(dim, rank):
    return tuple(d for d in range(rank) if d != dim)


@triton.jit
def to_ragged_indices(slice_off, slice_size, row):
    """Row `row` of a slice: its row in the tensor, and whether it belongs to the slice."""
    return slice_off + row, (row >= 0) & (row < slice_size)


@triton.jit
def _along(index, dim: tl.constexpr, rank: tl.constexpr):
    """A vector as the values along dimension `dim` of a block."""
    if rank == 1:
        return index
    else:
        return tl.expand_dims(index, _all_but(dim, rank))


@triton.jit
def _block(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr):
    """Pointers and mask of the block at `coords`, which counts from the start of the slice along `ragged_dim`."""
    rank: tl.constexpr = len(TMA.block_shape)
    ragged: tl.constexpr = _normalized(ragged_dim, rank)
    offsets = tl.zeros(TMA.block_shape, tl.int64)
    mask = tl.full(TMA.block_shape, 1, tl.int1)
    for dim in tl.static_range(rank):
        at = coords[dim] + tl.arange(0, TMA.block_shape[dim])
        if dim == ragged:
            row, inside = to_ragged_indices(slice_off, slice_size, at)
        else:
            row = at
            inside = (at >= 0) & (at < TMA.shape[dim])
        offsets += _along(row, dim, rank).to(tl.int64) * TMA.strides[dim]
        mask = mask & _along(inside, dim, rank)
    return TMA.base + offsets, mask


@triton.jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """The block at `coords` of the slice; zero outside of it."""
    pointers, mask = _block(TMA, slice_off, slice_size, coords, ragged_dim)
    return tl.load(pointers, mask=mask, other=0)


@triton.jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Stores `data` at `coords` of the slice, as far as it lies inside."""
    pointers, mask = _block(TMA, slice_off, slice_size, coords, ragged_dim)
    tl.store(pointers, data, mask=mask)


@triton.jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Adds `data` at `coords` of the slice atomically, as far as it lies inside."""
    pointers, mask = _block(TMA, slice_off, slice_size, coords, ragged_dim)
    tl.atomic_add(pointers, data, mask=mask)
