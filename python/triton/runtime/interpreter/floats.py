"""Conversions between float formats, rounded once to nearest even or towards zero."""

from __future__ import annotations

import functools

import numpy as np

from . import elements as E


def decode(element: E.Element, data: np.ndarray) -> np.ndarray:
    """The values of a float element type as float32, or as float64 for f64."""
    if element is E.F32 or element is E.F64:
        return data
    if element is E.BF16:
        return (data.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if element is E.F16:
        return data.astype(np.float32)
    return _float8_values(element)[data]


def encode(element: E.Element, data: np.ndarray, toward_zero: bool = False) -> np.ndarray:
    """float32 or float64 values in the storage of a float element type."""
    storage = element.storage
    if element is E.F64:
        return data.astype(np.float64, copy=False)
    if element is E.F32:
        return _narrowed(data, storage) if toward_zero else data.astype(storage, copy=False)
    if element is E.F16:
        return _narrowed(data, storage) if toward_zero else data.astype(storage)
    if data.dtype == np.float64:
        data = round_to_odd(data)
    if element is E.BF16:
        return _to_bfloat16(data, toward_zero)
    return _to_float8(element, data, toward_zero)


def round_to_odd(data: np.ndarray) -> np.ndarray:
    """float64 as float32 such that rounding the result once more gives what one rounding would have given."""
    near = data.astype(np.float32)
    back = near.astype(np.float64)
    inexact = (back != data) & np.isfinite(data)
    down = near.view(np.uint32) - (np.abs(back) > np.abs(data)).astype(np.uint32)
    return np.where(inexact, down | np.uint32(1), near.view(np.uint32)).astype(np.uint32).view(np.float32)


def _narrowed(data: np.ndarray, storage: np.dtype) -> np.ndarray:
    """Rounded towards zero: the nearest value, or the one below it where that is too large."""
    near = data.astype(storage)
    bits = near.view(f"uint{8 * storage.itemsize}")
    above = np.abs(near.astype(data.dtype)) > np.abs(data)
    return (bits - above.astype(bits.dtype)).view(storage)


def _to_bfloat16(data: np.ndarray, toward_zero: bool) -> np.ndarray:
    bits = np.ascontiguousarray(data).view(np.uint32).reshape(data.shape)
    high = bits >> np.uint32(16)
    rounded = high
    if not toward_zero:
        rounded = (bits + (high & np.uint32(1)) + np.uint32(0x7FFF)) >> np.uint32(16)
    return np.where(np.isnan(data), high | np.uint32(0x40), rounded).astype(np.uint16)


# --- 8-bit floats ---
# mantissa bits, exponent bias, largest finite code, has infinities, has one NaN and no negative zero
_FLOAT8 = {
    E.F8E4M3FN: (3, 7, 0x7E, False, False),
    E.F8E5M2: (2, 15, 0x7B, True, False),
    E.F8E4M3FNUZ: (3, 8, 0x7F, False, True),
    E.F8E5M2FNUZ: (2, 16, 0x7F, False, True),
}


@functools.cache
def _float8_values(element: E.Element) -> np.ndarray:
    """The value of each of the 256 codes."""
    mantissa, bias, largest, has_infinity, one_nan = _FLOAT8[element]
    codes = np.arange(128)
    exponent, fraction = codes >> mantissa, codes & ((1 << mantissa) - 1)
    normal = np.ldexp(1.0 + fraction / (1 << mantissa), exponent - bias)
    values = np.where(exponent == 0, np.ldexp(fraction / (1 << mantissa), 1 - bias), normal)
    values[largest + 1 :] = np.nan
    if has_infinity:
        values[largest + 1] = np.inf
    table = np.concatenate([values, -values]).astype(np.float32)
    if one_nan:
        table[128] = np.nan
    return table


def _to_float8(element: E.Element, data: np.ndarray, toward_zero: bool) -> np.ndarray:
    """Out of range saturates; infinities do so, too, where the format has none."""
    _, _, largest, has_infinity, one_nan = _FLOAT8[element]
    finite = _float8_values(element)[: largest + 1].astype(np.float64)
    magnitude = np.abs(data).astype(np.float64)
    code = np.searchsorted(finite, magnitude, side="right") - 1
    code = np.where(np.isnan(magnitude), 0, code)
    if not toward_zero:
        above = np.minimum(code + 1, largest)
        middle = (finite[code] + finite[above]) / 2
        up = (magnitude > middle) | ((magnitude == middle) & (code % 2 == 1))
        code = np.where(up, above, code)
    if has_infinity:
        code = np.where(np.isinf(magnitude), largest + 1, code)
    negative = np.signbit(data) & ~(one_nan & (code == 0))
    code = code | np.where(negative, 0x80, 0)
    return np.where(np.isnan(magnitude), 0x80 if one_nan else 0x7F, code).astype(np.uint8)
