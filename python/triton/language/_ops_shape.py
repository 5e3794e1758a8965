"""Builtins that create blocks and rearrange them."""

from __future__ import annotations

import warnings

from . import _types as T
from ._builtin import builtin, tensor_member
from ._values import _unwrap_if_constexpr, _unwrap_iterable, _unwrap_shape
from ._values import tuple as tl_tuple


@builtin
def program_id(axis, _semantic=None):
    """Index of this program along `axis` (0, 1 or 2) of the launch grid, as int32."""
    return _semantic.program_id(_unwrap_if_constexpr(axis))


@builtin
def num_programs(axis, _semantic=None):
    """Number of programs along `axis` (0, 1 or 2) of the launch grid, as int32."""
    return _semantic.num_programs(_unwrap_if_constexpr(axis))


@builtin
def arange(start, end, _semantic=None):
    """The int32 block `start, start + 1, ..., end - 1`; its length must be a power of two."""
    return _semantic.arange(_unwrap_if_constexpr(start), _unwrap_if_constexpr(end))


@builtin
def full(shape, value, dtype, _semantic=None):
    """A block of `shape` filled with the scalar `value`, as `dtype`; a scalar for shape `()`."""
    return _semantic.full(_unwrap_shape(shape), _unwrap_if_constexpr(value), _as_dtype(dtype))


def _as_dtype(dtype):
    dtype = _unwrap_if_constexpr(dtype)
    if dtype is not None and not isinstance(dtype, T.dtype):
        raise TypeError(f"expected a dtype such as tl.float32, got {dtype!r}")
    return dtype


@builtin
def to_tensor(x, _semantic=None):
    """A tensor for a Python number: bool → int1, int → int32 uint32 int64 or uint64, float → fp32 or fp64."""
    return _semantic.to_tensor(x)


@tensor_member
@builtin
def cast(input, dtype, fp_downcast_rounding=None, bitcast=False, _semantic=None):
    """`input` converted to `dtype`; with `bitcast` its bits reinterpreted, which needs equal widths.

    `fp_downcast_rounding`, "rtne" (default) or "rtz", rounds narrowing floating-point conversions.
    """
    input = _semantic.to_tensor(input)
    dtype = _as_dtype(dtype)
    if dtype is None:
        raise TypeError("the dtype of a conversion must not be None")
    if _unwrap_if_constexpr(bitcast):
        return _semantic.bitcast(input, dtype)
    return _semantic.cast(input, dtype, _unwrap_if_constexpr(fp_downcast_rounding))


@builtin
def broadcast(input, other, _semantic=None):
    """Both tensors in their common shape, by the rules of NumPy."""
    return tl_tuple(_semantic.broadcast_pair(_semantic.to_tensor(input), _semantic.to_tensor(other)))


@tensor_member
@builtin
def broadcast_to(input, *shape, _semantic=None):
    """`input` repeated along its dimensions of size 1 to `shape`, given as a sequence or as separate sizes."""
    return _semantic.broadcast_to(_semantic.to_tensor(input), _unwrap_shape(_unwrap_iterable(shape)))


@tensor_member
@builtin
def expand_dims(input, axis, _semantic=None):
    """`input` with a dimension of size 1 at `axis`, or at each of several axes of the result."""
    input = _semantic.to_tensor(input)
    axes = _unwrap_if_constexpr(axis)
    axes = list(axes) if not isinstance(axes, int) else [axes]
    axes = [_unwrap_if_constexpr(a) for a in axes]
    rank = len(input.type.get_block_shapes()) + len(axes)
    for a in axes:
        if not -rank <= a < rank:
            raise ValueError(f"expand_dims: axis {a} is out of range for a result of rank {rank}")
    axes = [a % rank for a in axes]
    if len(set(axes)) != len(axes):
        raise ValueError(f"expand_dims received duplicate axes: {axes}")
    for a in sorted(axes):
        input = _semantic.expand_dims(input, a)
    return input


@tensor_member
@builtin
def reshape(input, *shape, can_reorder=False, _semantic=None, _generator=None):
    """The elements of `input` in another shape of as many elements, in row-major order.

    With `can_reorder` the compiler may choose any order.
    """
    shape = _unwrap_shape(_unwrap_iterable(shape))
    return _semantic.reshape(_semantic.to_tensor(input), shape, bool(_unwrap_if_constexpr(can_reorder)))


@tensor_member
@builtin
def view(input, *shape, _semantic=None):
    """Deprecated: `reshape` that may reorder elements."""
    warnings.warn("tl.view is deprecated, use tl.reshape", stacklevel=2)
    return reshape(input, *shape, can_reorder=True, _semantic=_semantic)


@tensor_member
@builtin
def trans(input, *dims, _semantic=None):
    """`input` with its dimensions permuted; without `dims` the last two are swapped."""
    return _semantic.trans(_semantic.to_tensor(input), [_unwrap_if_constexpr(d) for d in _unwrap_iterable(dims)])


@tensor_member
@builtin
def permute(input, *dims, _semantic=None):
    """`input` with its dimensions permuted: dimension i of the result is dimension `dims[i]`."""
    return _semantic.permute(_semantic.to_tensor(input), [_unwrap_if_constexpr(d) for d in _unwrap_iterable(dims)])


@builtin
def join(a, b, _semantic=None):
    """`a` and `b` side by side in a new last dimension of size 2; they are broadcast first."""
    return _semantic.join(_semantic.to_tensor(a), _semantic.to_tensor(b))


@tensor_member
@builtin
def split(a, _semantic=None, _generator=None):
    """The two halves of a tensor along its last dimension of size 2: the inverse of `join`."""
    return tl_tuple(_semantic.split(_semantic.to_tensor(a)))


@builtin
def cat(input, other, can_reorder=False, dim=0, _semantic=None):
    """`input` followed by `other` along `dim`; both have the same shape.

    With `can_reorder` (rank 1 only) the order of elements is unspecified, which is cheaper on some targets.
    """
    can_reorder = bool(_unwrap_if_constexpr(can_reorder))
    return _semantic.cat(_semantic.to_tensor(input), _semantic.to_tensor(other), can_reorder, _unwrap_if_constexpr(dim))


@tensor_member
@builtin
def item(input, _semantic=None, _generator=None):
    """The scalar in a tensor of one element."""
    return _semantic.item(_semantic.to_tensor(input))


@builtin
def where(condition, x, y, _semantic=None):
    """Element by element, `x` where `condition` holds and `y` elsewhere. Both are evaluated."""
    condition = _semantic.to_tensor(condition)
    if not condition.dtype.is_bool():
        warnings.warn(
            f"tl.where with a condition of dtype {condition.dtype} tests `!= 0`; pass the result of a comparison",
            stacklevel=2,
        )
    return _semantic.where(condition, _unwrap_if_constexpr(x), _unwrap_if_constexpr(y))


@tensor_member
@builtin
def gather(src, index, axis, _semantic=None):
    """`result[.., i, ..] = src[.., index[.., i, ..], ..]` with i along `axis`."""
    return _semantic.gather(_semantic.to_tensor(src), _semantic.to_tensor(index), _unwrap_if_constexpr(axis))


@tensor_member
@builtin
def histogram(input, num_bins, mask=None, _semantic=None, _generator=None):
    """How often each of `0 .. num_bins - 1` occurs in a one-dimensional block of 32-bit integers, as int32."""
    mask = _unwrap_if_constexpr(mask)
    return _semantic.histogram(_semantic.to_tensor(input), _unwrap_if_constexpr(num_bins), mask)
