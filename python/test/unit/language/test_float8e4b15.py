"""float8e4b15: every code, and every place where rounding changes, compiled and interpreted."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError
from triton.runtime.interpreter import InterpretedFunction

CODES = np.arange(256)
_EXPONENT, _MANTISSA = CODES >> 3 & 15, CODES & 7
VALUES = np.where(_EXPONENT == 0, _MANTISSA / 8 * 2.0**-14, (1 + _MANTISSA / 8) * 2.0 ** (_EXPONENT - 15.0))
VALUES = np.where(CODES & 128, -VALUES, VALUES)
GRID = VALUES[:128]


@triton.jit
def decode(code_ptr, out_ptr, type: tl.constexpr):
    at = tl.arange(0, 256)
    value = tl.load(code_ptr + at).to(tl.float8e4b15, bitcast=True)
    tl.store(out_ptr + at, value.to(type).to(tl.float32))


@triton.jit
def encode(value_ptr, out_ptr, rounding: tl.constexpr, n: tl.constexpr):
    at = tl.arange(0, n)
    code = tl.load(value_ptr + at).to(tl.float8e4b15, fp_downcast_rounding=rounding)
    tl.store(out_ptr + at, code.to(tl.uint8, bitcast=True))


def interesting_values():
    """Every value, every midpoint and its neighbours, what is out of range; padded with zeros to a power of two."""
    middles = ((GRID[1:] + GRID[:-1]) / 2).astype(np.float32)
    around = [np.nextafter(middles, np.float32(9)), np.nextafter(middles, np.float32(-9))]
    values = np.concatenate([GRID, middles, *around, [1.9, 1.9375, 2, np.inf, np.nan, 1e-40, 3e38]]).astype(np.float32)
    values = np.concatenate([values, -values])
    return np.pad(values, (0, 2048 - len(values)))


def nearest(value, towards_zero):
    sign, size = 128 * np.signbit(value), abs(float(value))
    if not size < GRID[-1]:
        return 127 | sign
    if towards_zero:
        return (np.searchsorted(GRID, size, side="right") - 1) | sign
    distance = np.abs(GRID - size)
    candidates = np.flatnonzero(distance == distance.min())
    return (candidates[0] if len(candidates) == 1 else candidates[candidates % 2 == 0][0]) | sign


@triton.jit
def computes(code_ptr):
    value = tl.load(code_ptr + tl.arange(0, 16)).to(tl.float8e4b15, bitcast=True)
    tl.store(code_ptr + tl.arange(0, 16), (value + 1).to(tl.uint8, bitcast=True))


@pytest.fixture(params=[False, True], ids=["compiled", "interpreted"])
def run(request):
    return lambda kernel, *args: (InterpretedFunction(kernel.fn) if request.param else kernel)[(1,)](*args)


@pytest.mark.parametrize("type", [tl.float16, tl.float32, tl.float64], ids=str)
def test_values_of_all_codes(run, type):
    out = np.zeros(256, np.float32)
    run(decode, CODES.astype(np.uint8), out, type)
    np.testing.assert_array_equal(out, VALUES.astype(np.float32))


@pytest.mark.parametrize("rounding", [None, "rtne", "rtz"])
def test_rounding(run, rounding):
    values = interesting_values()
    out = np.zeros(len(values), np.uint8)
    run(encode, values, out, rounding, len(values))
    np.testing.assert_array_equal(out, [nearest(v, rounding == "rtz") for v in values])


def test_it_has_no_arithmetic():
    with pytest.raises(CompilationError, match=r"without arithmetic: convert first, \.to\(tl\.float16\)"):
        computes[(1,)](np.zeros(16, np.uint8))
