"""Builtins of arithmetic that have a function form."""

from __future__ import annotations

import enum

from . import _types as T
from ._builtin import builtin
from ._tensor import tensor
from ._values import _unwrap_if_constexpr


class PropagateNan(enum.Enum):
    """What minimum, maximum and clamp do with a NaN operand: NONE prefers the number, ALL gives NaN."""

    NONE = "none"
    ALL = "all"


def _nan_mode(propagate_nan) -> str:
    mode = _unwrap_if_constexpr(propagate_nan)
    if not isinstance(mode, PropagateNan):
        raise ValueError(f"propagate_nan must be tl.PropagateNan.NONE or tl.PropagateNan.ALL, got {mode!r}")
    return mode.value


@builtin
def add(x, y, sanitize_overflow=True, _semantic=None):
    """`x + y`; `sanitize_overflow=False` leaves out the check that the debug option adds."""
    return _semantic.add(x, y, bool(_unwrap_if_constexpr(sanitize_overflow)))


@builtin
def sub(x, y, sanitize_overflow=True, _semantic=None):
    """`x - y`; `sanitize_overflow=False` leaves out the check that the debug option adds."""
    return _semantic.sub(x, y, bool(_unwrap_if_constexpr(sanitize_overflow)))


@builtin
def mul(x, y, sanitize_overflow=True, _semantic=None):
    """`x * y`; `sanitize_overflow=False` leaves out the check that the debug option adds."""
    return _semantic.mul(x, y, bool(_unwrap_if_constexpr(sanitize_overflow)))


def _widen_bf16(x, _semantic):
    """minimum, maximum and clamp of bfloat16 compute, and return, float32."""
    x = _unwrap_if_constexpr(x)
    if isinstance(x, tensor) and x.dtype.is_bf16():
        return _semantic.cast(x, T.float32)
    return x


@builtin
def minimum(x, y, propagate_nan=PropagateNan.NONE, _semantic=None):
    """The smaller element; `propagate_nan` says what happens when one is NaN."""
    return _semantic.minimum(_widen_bf16(x, _semantic), _widen_bf16(y, _semantic), _nan_mode(propagate_nan))


@builtin
def maximum(x, y, propagate_nan=PropagateNan.NONE, _semantic=None):
    """The greater element; `propagate_nan` says what happens when one is NaN."""
    return _semantic.maximum(_widen_bf16(x, _semantic), _widen_bf16(y, _semantic), _nan_mode(propagate_nan))


@builtin
def clamp(x, min, max, propagate_nan=PropagateNan.NONE, _semantic=None):
    """`x` limited to `[min, max]`. The result is undefined where `min > max`."""
    x, low, high = (_widen_bf16(v, _semantic) for v in (x, min, max))
    return _semantic.clamp(_semantic.to_tensor(x), low, high, _nan_mode(propagate_nan))


# Arithmetic methods of `tensor` under names that are not operators.
@builtin
def logical_and(x, y, _semantic=None):
    return _semantic.logical_and(x, y)


@builtin
def logical_or(x, y, _semantic=None):
    return _semantic.logical_or(x, y)


tensor.logical_and = logical_and
tensor.logical_or = logical_or
