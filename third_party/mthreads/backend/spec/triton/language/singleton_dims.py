"""Dimensions of size one: removing and adding them."""

from triton.language import core
from triton.runtime.jit import constexpr_function, jit


@constexpr_function
def _position(rank, dim):
    """``dim`` counted from the front; negative values count from the end."""
    if not -rank <= dim < rank:
        raise ValueError(f"squeeze: dim = {dim} is out of range for a tensor of rank {rank}")
    return dim % rank


@constexpr_function
def _shape_without(shape, dim):
    """``shape`` without position ``dim``, which must have size one."""
    sizes = [int(size) for size in shape]
    if sizes[dim] != 1:
        raise ValueError(f"squeeze: dimension {dim} of shape {sizes} has size {sizes[dim]}, only size 1 can be removed")
    return tuple(sizes[:dim] + sizes[dim + 1 :])


@jit
def squeeze(x, dim: core.constexpr):
    """``x`` without its dimension ``dim`` of size one. Shape ``[4, 1, 8]``, dim 1 → ``[4, 8]``."""
    position: core.constexpr = _position(len(x.shape), dim)
    shape: core.constexpr = _shape_without(x.shape, position)
    return core.reshape(x, shape)


@jit
def unsqueeze(x, dim: core.constexpr):
    """``x`` with a new dimension of size one at ``dim``. Shape ``[4, 8]``, dim 1 → ``[4, 1, 8]``."""
    return core.expand_dims(x, dim)
