"""Tensor descriptors under the names that kernels written for earlier releases of this backend use."""

from triton.language import core
from triton.runtime.jit import constexpr_function, jit


@constexpr_function
def _same(found, wanted):
    return [int(size) for size in found] == [int(size) for size in wanted]


@jit
def _experimental_make_tensor_descriptor(base, shape, strides, block_shape: core.constexpr):
    """A descriptor of the array at ``base``; strides are in elements, the last one is 1."""
    return core.make_tensor_descriptor(base, shape, strides, block_shape)


@jit
def _experimental_descriptor_load(desc, offsets, shape: core.constexpr, dtype: core.constexpr):
    """The block of ``desc`` at ``offsets``; ``shape`` and ``dtype`` repeat what the descriptor says."""
    core.static_assert(_same(desc.block_shape, shape), "the shape is not the block shape of the descriptor")
    core.static_assert(desc.dtype == dtype, "the dtype is not that of the descriptor")
    return desc.load(offsets)


@jit
def _experimental_descriptor_store(desc, value, offsets):
    """Stores the block ``value`` at ``offsets`` of ``desc``."""
    desc.store(offsets, value)
