"""The 8-bit float of 4 exponent bits with bias 15, computed with integers: no target has an operation for it.

It has no infinities and no NaN: `0x7f` is 1.875, the greatest value. What is beyond it, infinities and NaN among it,
becomes that value with its sign. Its exponents are those of float16, whose upper bits it is but for the exponent's
first, which is 0.
"""

from __future__ import annotations

from . import _types as T
from ._tensor import tensor

_GREATEST = 0x3FF00000  # 1.875 as fp32
_LEAST_NORMAL = 0x38800000  # 2**-14
_DROPPED = 20  # bits of fp32's mantissa
_BIAS = (127 - 15) << 3
_UNITS = 2.0**17  # of the subnormal numbers, which count steps of 2**-17
_ALIGNED = 2.0 ** (23 - 17)  # added to a subnormal number, it moves its steps to the last bits of the sum


def to_float16(s, x: tensor) -> tensor:
    """Exact."""
    bits = s.cast(s.bitcast(x, T.uint8), T.uint16)
    sign = s.shl(s.and_(bits, 0x80), 8)
    return s.bitcast(s.or_(sign, s.shl(s.and_(bits, 0x7F), 7)), T.float16)


def from_float32(s, x: tensor, rounding: str | None) -> tensor:
    """Rounded to nearest, ties to even, or towards zero for "rtz"."""
    bits = s.bitcast(x, T.int32)
    sign = s.and_(s.shr(bits, 24), 0x80)
    magnitude = s.and_(bits, 0x7FFFFFFF)
    magnitude = s.where(s.less_than(magnitude, _GREATEST), magnitude, _GREATEST)
    value = s.bitcast(magnitude, T.float32)
    if rounding == "rtz":
        normal = magnitude
        subnormal = s.cast(s.mul(value, _UNITS, False), T.int32)
    else:
        even = s.and_(s.shr(magnitude, _DROPPED), 1)
        normal = s.add(magnitude, s.add(even, (1 << (_DROPPED - 1)) - 1, False), False)
        subnormal = s.and_(s.bitcast(s.add(value, _ALIGNED, False), T.int32), 0xFF)
    normal = s.sub(s.shr(normal, _DROPPED), _BIAS, False)
    result = s.where(s.less_than(magnitude, _LEAST_NORMAL), subnormal, normal)
    return s.bitcast(s.cast(s.or_(result, sign), T.int8), T.float8e4b15)


def convert(s, x: tensor, dst, rounding: str | None) -> tensor:
    """From fp8e4b15 to another type, or from another type to it."""
    if dst.name == "fp8e4b15":
        return from_float32(s, s.cast(x, T.float32), rounding)
    return s.cast(to_float16(s, x), dst)
