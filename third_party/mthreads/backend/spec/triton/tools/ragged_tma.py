"""Blocks of ragged arrays on hardware without a tensor memory accelerator: plain pointers and masks.

A *ragged* array holds slices of different length one after the other along one dimension. A block that reaches past the
end of its slice must not read or overwrite the next one. The functions have the interface of the trunk's module of this
name; the descriptor is a tuple of what a pointer needs rather than a hardware descriptor.
"""

from typing import Any, NamedTuple

import triton
import triton.language as tl
from triton.runtime.jit import constexpr_function


class RaggedDescriptor(NamedTuple):
    """An array of rank 1 to 5 with its block shape; passed to kernels as one argument."""

    base: Any
    shape: tuple
    strides: tuple
    block_shape: tuple


def create_ragged_descriptor(T: Any, block_shape: Any, ragged_dim: int = 0) -> RaggedDescriptor:
    """Describe array ``T`` (anything with ``shape`` and strides, as torch or NumPy have) for blocks of ``block_shape``.

    ``ragged_dim`` is the dimension along which slices follow each other; negative values count from the end.
    Raises ValueError for a wrong rank, a wrong dimension or a block size that is no power of two.
    """
    shape = tuple(int(size) for size in T.shape)
    rank = len(shape)
    if not 1 <= rank <= 5:
        raise ValueError(f"create_ragged_descriptor: an array of rank {rank} was given, rank 1 to 5 is possible")
    if len(block_shape) != rank:
        raise ValueError(f"create_ragged_descriptor: block shape {list(block_shape)} for an array of rank {rank}")
    if not -rank <= ragged_dim < rank:
        raise ValueError(f"create_ragged_descriptor: ragged_dim = {ragged_dim} for an array of rank {rank}")
    for size in block_shape:
        if size <= 0 or size & (size - 1):
            raise ValueError(
                f"create_ragged_descriptor: block size {size} of {list(block_shape)} is not a power of two"
            )
    return RaggedDescriptor(T, shape, _element_strides(T), tuple(tl.constexpr(int(size)) for size in block_shape))


def _element_strides(array: Any) -> tuple:
    """Strides in elements: torch has a method for them, NumPy an attribute that counts bytes."""
    if callable(getattr(array, "stride", None)):
        return tuple(int(step) for step in array.stride())
    return tuple(int(step) // array.itemsize for step in array.strides)


@constexpr_function
def _other_dims(rank, dim):
    """All dimensions but ``dim``: those that an index vector of ``dim`` is broadcast along."""
    return tuple(position for position in range(rank) if position != dim)


@constexpr_function
def _from_front(rank, dim):
    return dim % rank


@triton.jit
def to_ragged_indices(slice_off, slice_size, row):
    """Position ``row`` of a slice as a position in the array, and whether it lies inside the slice."""
    return slice_off + row, (row >= 0) & (row < slice_size)


@triton.jit
def _pointers(descriptor, slice_off, slice_size, coords, ragged_dim: tl.constexpr):
    """Pointers of the block at ``coords`` and the mask of what it may touch. Offsets are 64 bits wide."""
    rank: tl.constexpr = len(descriptor.block_shape)
    ragged: tl.constexpr = _from_front(rank, ragged_dim)
    offset = tl.zeros(descriptor.block_shape, tl.int64)
    inside = tl.full(descriptor.block_shape, True, tl.int1)
    for dim in tl.static_range(rank):
        index = coords[dim] + tl.arange(0, descriptor.block_shape[dim])
        if rank > 1:
            index = tl.expand_dims(index, _other_dims(rank, dim))
        if dim == ragged:
            index, valid = to_ragged_indices(slice_off, slice_size, index)
            inside = inside & valid
        inside = inside & (index >= 0) & (index < descriptor.shape[dim])
        offset = offset + index.to(tl.int64) * descriptor.strides[dim]
    return descriptor.base + offset, inside


@triton.jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """The block at ``coords`` of the slice of ``slice_size`` rows that starts at ``slice_off``; 0 outside of it."""
    pointers, inside = _pointers(TMA, slice_off, slice_size, coords, ragged_dim)
    return tl.load(pointers, mask=inside, other=0)


@triton.jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Store ``data`` at ``coords`` of that slice; what lies outside of it is not written."""
    pointers, inside = _pointers(TMA, slice_off, slice_size, coords, ragged_dim)
    tl.store(pointers, data, mask=inside)


@triton.jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Add ``data`` at ``coords`` of that slice, atomically per element; what lies outside of it is not written."""
    pointers, inside = _pointers(TMA, slice_off, slice_size, coords, ragged_dim)
    tl.atomic_add(pointers, data, mask=inside)
