"""The standard library of the kernel language: functions written in the language itself."""

from __future__ import annotations

from ..runtime.jit import constexpr_function, jit
from . import core, math
from ._builtin import builtin, tensor_member
from ._standard_sort import bitonic_merge, flip, sort, topk
from ._values import _unwrap_if_constexpr

__all__ = [
    "argmax",
    "argmin",
    "atomic_poll",
    "bitonic_merge",
    "cdiv",
    "cumprod",
    "cumsum",
    "flip",
    "interleave",
    "max",
    "min",
    "ravel",
    "reduce_or",
    "sigmoid",
    "softmax",
    "sort",
    "squeeze",
    "sum",
    "swizzle2d",
    "topk",
    "unsqueeze",
    "xor_sum",
    "zeros",
    "zeros_like",
]


@constexpr_function
def _log2(i):
    """Exponent of a power of two."""
    if i <= 0 or i & (i - 1):
        raise ValueError(f"_log2 needs a power of two, got {i}")
    return i.bit_length() - 1


@constexpr_function
def _is_power_of_two(i):
    return i > 0 and i & (i - 1) == 0


# --- shapes ---
@tensor_member
@jit
def cdiv(x, div):
    """`x / div` rounded up, for non-negative integers."""
    return (x + (div - 1)) // div


@jit
def zeros(shape, dtype):
    """A block of `shape` filled with zeros."""
    return core.full(shape, 0, dtype)


@jit
def zeros_like(input):
    """A block of zeros with the shape and dtype of `input`."""
    return core.full(input.shape, 0, input.dtype)


@tensor_member
@jit
def ravel(x, can_reorder: core.constexpr = False):
    """The elements of `x` in one dimension."""
    return core.reshape(x, [x.numel], can_reorder=can_reorder)


@constexpr_function
def _without_dim(shape, dim):
    rank = len(shape)
    if not -rank <= dim < rank:
        raise ValueError(f"squeeze: dimension {dim} is out of range for rank {rank}")
    if shape[dim] != 1:
        raise ValueError(f"squeeze: dimension {dim} of shape {list(shape)} must have size 1")
    dim %= rank
    return tuple(d for i, d in enumerate(shape) if i != dim)


@tensor_member
@jit
def squeeze(x, dim: core.constexpr):
    """`x` without its dimension `dim`, which has size 1."""
    return core.reshape(x, _without_dim(x.shape, dim))


@tensor_member
@jit
def unsqueeze(x, dim: core.constexpr):
    """`x` with a dimension of size 1 at `dim`."""
    return core.expand_dims(x, dim)


@constexpr_function
def _interleaved_shape(shape):
    return (*shape[:-2], 2 * shape[-2])


@jit
def interleave(a, b):
    """Elements of `a` and `b` in turn along the last dimension."""
    joined = core.join(a, b)
    if len(joined.shape) == 1:
        return joined
    else:
        return core.reshape(joined, _interleaved_shape(joined.shape))


@jit
def swizzle2d(i, j, size_i, size_j, size_g):
    """Indices of a row-major `size_i` x `size_j` grid, reordered so that groups of `size_g` rows are column-major."""
    linear = i * size_j + j
    group_size = size_g * size_j
    first_row = linear // group_size * size_g
    rows = core.minimum(size_i - first_row, size_g)
    within = linear % group_size
    return first_row + within % rows, within // rows


# --- elementwise ---
@tensor_member
@jit
def sigmoid(x):
    """`1 / (1 + exp(-x))`."""
    return 1 / (1 + math.exp(-x))


@tensor_member
@jit
def softmax(x, dim: core.constexpr = None, keep_dims: core.constexpr = False, ieee_rounding: core.constexpr = False):
    """`exp(x) / sum(exp(x))` along `dim`, by default the first."""
    axis: core.constexpr = 0 if dim is None else dim
    shifted = x - max(x, axis, keep_dims=True)
    numerator = math.exp(shifted)
    return math.fdiv(numerator, sum(numerator, axis, keep_dims=True), ieee_rounding)


# --- reductions ---
@constexpr_function
def _sum_dtype(in_dtype, dtype):
    """Sums of narrow integers are computed in 32 bits."""
    if dtype is not None:
        return dtype
    if in_dtype.is_int() and in_dtype.int_bitwidth < 32:
        return core.int32 if in_dtype.is_int_signed() else core.uint32
    return in_dtype


@constexpr_function
def _extremum_dtype(in_dtype):
    """Extrema are computed in at least 32 bits."""
    if in_dtype.primitive_bitwidth >= 32:
        return in_dtype
    if in_dtype.is_floating():
        return core.float32
    return core.int32


@jit
def _sum_combine(a, b):
    return a + b


@jit
def _prod_combine(a, b):
    return a * b


@jit
def _xor_combine(a, b):
    return a ^ b


@jit
def _or_combine(a, b):
    return a | b


@jit
def _elementwise_max(a, b):
    return core.maximum(a, b)


@jit
def _elementwise_min(a, b):
    return core.minimum(a, b)


@jit
def _argmax_first(value1, index1, value2, index2):
    take1 = value1 > value2 or (value1 == value2 and index1 < index2)
    return core.where(take1, value1, value2), core.where(take1, index1, index2)


@jit
def _argmax_any(value1, index1, value2, index2):
    take1 = value1 > value2
    return core.where(take1, value1, value2), core.where(take1, index1, index2)


@jit
def _argmin_first(value1, index1, value2, index2):
    take1 = value1 < value2 or (value1 == value2 and index1 < index2)
    return core.where(take1, value1, value2), core.where(take1, index1, index2)


@jit
def _argmin_any(value1, index1, value2, index2):
    take1 = value1 < value2
    return core.where(take1, value1, value2), core.where(take1, index1, index2)


@builtin
def _with_indices(input, axis, _semantic=None):
    """`input` and, in the same shape, the int32 index of each element along `axis` (None: in the flattened tensor)."""
    axis = _unwrap_if_constexpr(axis)
    if axis is None:
        input = _semantic.reshape(input, (input.numel.value,), False)
        axis = 0
    shape = input.type.get_block_shapes()
    if not shape:
        return input, _semantic.full((), 0, core.int32)
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"axis {axis} is out of range for a tensor of rank {len(shape)}")
    axis %= len(shape)
    index = _semantic.arange(0, shape[axis])
    for d in range(len(shape)):
        if d != axis:
            index = _semantic.expand_dims(index, d)
    return input, _semantic.broadcast_to(index, shape)


@jit
def _reduce_with_indices(input, axis: core.constexpr, combine: core.constexpr, keep_dims: core.constexpr):
    value, index = _with_indices(input, axis)
    return core.reduce((value, index), 0 if axis is None else axis, combine, keep_dims=keep_dims)


@tensor_member
@jit
def max(
    input,
    axis=None,
    return_indices: core.constexpr = False,
    return_indices_tie_break_left: core.constexpr = True,
    keep_dims: core.constexpr = False,
):
    """The greatest element along `axis` (None: of all), with `return_indices` also its index.

    Among equal elements the index is that of the first with `return_indices_tie_break_left`, else of any.
    """
    if return_indices:
        if return_indices_tie_break_left:
            return _reduce_with_indices(input.to(_extremum_dtype(input.dtype)), axis, _argmax_first, keep_dims)
        else:
            return _reduce_with_indices(input.to(_extremum_dtype(input.dtype)), axis, _argmax_any, keep_dims)
    else:
        return core.reduce(input.to(_extremum_dtype(input.dtype)), axis, _elementwise_max, keep_dims=keep_dims)


@tensor_member
@jit
def argmax(input, axis, tie_break_left: core.constexpr = True, keep_dims: core.constexpr = False):
    """Index of the greatest element along `axis`; of the first such element with `tie_break_left`."""
    _, index = max(input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims)
    return index


@tensor_member
@jit
def min(
    input,
    axis=None,
    return_indices: core.constexpr = False,
    return_indices_tie_break_left: core.constexpr = True,
    keep_dims: core.constexpr = False,
):
    """The smallest element along `axis` (None: of all), with `return_indices` also its index. See `max`."""
    if return_indices:
        if return_indices_tie_break_left:
            return _reduce_with_indices(input.to(_extremum_dtype(input.dtype)), axis, _argmin_first, keep_dims)
        else:
            return _reduce_with_indices(input.to(_extremum_dtype(input.dtype)), axis, _argmin_any, keep_dims)
    else:
        return core.reduce(input.to(_extremum_dtype(input.dtype)), axis, _elementwise_min, keep_dims=keep_dims)


@tensor_member
@jit
def argmin(input, axis, tie_break_left: core.constexpr = True, keep_dims: core.constexpr = False):
    """Index of the smallest element along `axis`; of the first such element with `tie_break_left`."""
    _, index = min(input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims)
    return index


@tensor_member
@jit
def sum(input, axis=None, keep_dims: core.constexpr = False, dtype: core.constexpr = None):
    """Sum along `axis` (None: of all elements). Integers of less than 32 bits are summed in 32, or in `dtype`."""
    return core.reduce(input.to(_sum_dtype(input.dtype, dtype)), axis, _sum_combine, keep_dims=keep_dims)


@tensor_member
@jit
def xor_sum(input, axis=None, keep_dims: core.constexpr = False):
    """Exclusive or of integers along `axis` (None: of all elements)."""
    core.static_assert(input.dtype.is_int(), "xor_sum needs integers")
    return core.reduce(input, axis, _xor_combine, keep_dims=keep_dims)


@tensor_member
@jit
def reduce_or(input, axis, keep_dims: core.constexpr = False):
    """Bitwise or of integers along `axis`."""
    core.static_assert(input.dtype.is_int(), "reduce_or needs integers")
    return core.reduce(input, axis, _or_combine, keep_dims=keep_dims)


# --- scans ---
@constexpr_function
def _scan_dtype(in_dtype, dtype):
    """Scans of bfloat16 are computed in float32, and those of narrow integers as sums are."""
    dtype = _sum_dtype(in_dtype, dtype)
    return core.float32 if dtype == core.bfloat16 else dtype


@tensor_member
@jit
def cumsum(input, axis=0, reverse: core.constexpr = False, dtype: core.constexpr = None):
    """Running sum along `axis`, from its end with `reverse`. bfloat16 is summed in float32."""
    return core.associative_scan(input.to(_scan_dtype(input.dtype, dtype)), axis, _sum_combine, reverse)


@tensor_member
@jit
def cumprod(input, axis=0, reverse: core.constexpr = False, dtype: core.constexpr = None):
    """Running product along `axis`, from its end with `reverse`. bfloat16 is multiplied in float32."""
    return core.associative_scan(input.to(_product_dtype(input.dtype, dtype)), axis, _prod_combine, reverse)


@constexpr_function
def _product_dtype(in_dtype, dtype):
    if dtype is None:
        dtype = in_dtype
    return core.float32 if dtype == core.bfloat16 else dtype


# --- waiting ---
@jit
def _all_equal(values, expected):
    equal = values == expected
    if equal.type.is_block():
        return min(equal.to(core.int32), None) != 0
    else:
        return equal


@tensor_member
@jit
def atomic_poll(
    pointer, expected_value, sem: core.constexpr = None, scope: core.constexpr = None, timeout_ns: core.constexpr = None
):
    """Wait until all elements at `pointer` are `expected_value`, or until `timeout_ns` nanoseconds have passed.

    The result, an int1 scalar, says whether they are. What is counted is up to the target; a CPU counts the processor
    time of the whole process, which passes faster than the clock when several threads work. `sem` is "acquire"
    (default) or "relaxed". Programs of a launch may run one after another: only what an earlier program, another
    launch or the host writes is sure to come.
    """
    equal = _all_equal(core.atomic_load(pointer, None, sem, scope), expected_value)
    if timeout_ns is None:
        while not equal:
            equal = _all_equal(core.atomic_load(pointer, None, sem, scope), expected_value)
    else:
        readings = core.to_tensor(0).to(core.int64)
        end = core._nanoseconds(readings) + timeout_ns
        while not equal and core._nanoseconds(readings) < end:
            readings += 1
            equal = _all_equal(core.atomic_load(pointer, None, sem, scope), expected_value)
    return equal
