"""Sorting along the last dimension: a bitonic network of exchanges at distances of powers of two."""

from __future__ import annotations

from ._builtin import builtin, tensor_member
from ._tensor import tensor
from ._types import int32
from ._values import _unwrap_if_constexpr


def _last_dim(x: tensor, dim, what: str) -> int:
    if not isinstance(x, tensor):
        raise TypeError(f"tl.{what} needs a tensor, got {x}")
    rank = len(x.type.get_block_shapes())
    dim = _unwrap_if_constexpr(dim)
    if rank == 0:
        raise ValueError(f"tl.{what} needs a tensor, got a scalar")
    if dim is not None and dim not in (-1, rank - 1):
        raise ValueError(f"tl.{what} works along the last dimension only, got dim={dim} for rank {rank}")
    return rank - 1


def _index_along(x, axis: int, semantic):
    """int32 index of each element of `x` along `axis`, in the shape of `x`."""
    shape = x.type.shape
    index = semantic.arange(0, shape[axis])
    for d in range(len(shape)):
        if d != axis:
            index = semantic.expand_dims(index, d)
    return semantic.broadcast_to(index, shape)


def _bit(index, bit: int, semantic):
    """Whether bit number `bit` of the index is set."""
    return semantic.not_equal(semantic.and_(index, 1 << bit), 0)


def _exchange(x, index, axis: int, bit: int, falling, semantic):
    """Bring pairs of elements whose index differs in `bit` in order: falling where `falling` is true, else rising."""
    partner = semantic.gather(x, semantic.xor_(index, 1 << bit), axis)
    is_upper = _bit(index, bit, semantic)
    # Both elements of a pair must decide alike, also when one is a NaN: then both comparisons are false.
    wants_greater = semantic.xor_(is_upper, falling)
    swap = semantic.where(wants_greater, semantic.less_than(x, partner), semantic.greater_than(x, partner))
    return semantic.where(swap, partner, x)


def _merge(x, index, axis: int, bits: int, falling, semantic):
    for bit in reversed(range(bits)):
        x = _exchange(x, index, axis, bit, falling, semantic)
    return x


def _sorted(x, axis: int, descending: bool, semantic):
    bits = x.type.shape[axis].bit_length() - 1
    if bits == 0:
        return x
    index = _index_along(x, axis, semantic)
    for stage in range(1, bits):
        # Runs of 2^stage elements: every other one falls, so that two neighbours form a bitonic sequence.
        x = _merge(x, index, axis, stage, _bit(index, stage, semantic), semantic)
    return _merge(x, index, axis, bits, descending, semantic)


def _take(x, axis: int, index, semantic):
    """Elements of `x` at the one-dimensional `index` along `axis`."""
    shape = list(x.type.shape)
    shape[axis] = index.type.shape[0]
    for d in range(len(shape)):
        if d != axis:
            index = semantic.expand_dims(index, d)
    return semantic.gather(x, semantic.broadcast_to(index, shape), axis)


@tensor_member
@builtin
def sort(x, dim=None, descending=0, _semantic=None):
    """`x` sorted along its last dimension. NaNs stay where they happen to be compared."""
    axis = _last_dim(x, dim, "sort")
    return _sorted(x, axis, bool(_unwrap_if_constexpr(descending)), _semantic)


@builtin
def topk(x, k, dim=None, descending=True, _semantic=None):
    """The `k` greatest elements along the last dimension, from the greatest on; the smallest without `descending`."""
    axis = _last_dim(x, dim, "topk")
    k = _unwrap_if_constexpr(k)
    if not isinstance(k, int) or k < 1 or k & (k - 1) or k > x.type.shape[axis]:
        raise ValueError(f"tl.topk: k must be a power of two of at most {x.type.shape[axis]}, got {k!r}")
    x = _sorted(x, axis, bool(_unwrap_if_constexpr(descending)), _semantic)
    return x if k == x.type.shape[axis] else _take(x, axis, _semantic.arange(0, k), _semantic)


@builtin
def bitonic_merge(x, dim=None, descending=False, _semantic=None):
    """`x`, whose last dimension is a bitonic sequence (rising, then falling), sorted along it."""
    axis = _last_dim(x, dim, "bitonic_merge")
    bits = x.type.shape[axis].bit_length() - 1
    index = _index_along(x, axis, _semantic)
    return _merge(x, index, axis, bits, bool(_unwrap_if_constexpr(descending)), _semantic)


@tensor_member
@builtin
def flip(x, dim=None, _semantic=None):
    """`x` with the order of its elements along `dim` (by default the last) reversed."""
    shape = _semantic.to_tensor(x).type.get_block_shapes()
    dim = _unwrap_if_constexpr(dim)
    axis = len(shape) - 1 if dim is None else dim
    if not shape or not -len(shape) <= axis < len(shape):
        raise ValueError(f"tl.flip: dim {dim} is out of range for a tensor of rank {len(shape)}")
    axis %= len(shape)
    last = _semantic.full((shape[axis],), shape[axis] - 1, int32)
    return _take(x, axis, _semantic.sub(last, _semantic.arange(0, shape[axis])), _semantic)
