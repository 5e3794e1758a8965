"""What the kernel tests share: argument buffers, dtypes NumPy lacks, oracles and comparisons.

Kernels take NumPy arrays as they are. bfloat16 has no NumPy type, so :class:`Bf16` carries its bits in a
``uint16`` array and shows the two attributes the launcher asks of any foreign tensor: ``data_ptr()`` and ``dtype``.
"""

import numpy as np
import triton.language as tl

FLOATS = ("float64", "float32", "float16", "bfloat16")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED

# Relative spacing of neighbours just above 1.
EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


def to_bf16_bits(values) -> np.ndarray:
    """The uint16 patterns of ``values`` (any float dtype, through float32) rounded to nearest even."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    quiet_nan = (bits >> 16) | 0x40
    return np.where(np.isnan(bits.view(np.float32)), quiet_nan, rounded).astype(np.uint16)


def from_bf16_bits(bits: np.ndarray) -> np.ndarray:
    """float32 values of uint16 bfloat16 patterns."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


class Bf16:
    """A bfloat16 kernel argument over a uint16 buffer; ``read`` gives its float32 values."""

    dtype = tl.bfloat16

    def __init__(self, values):
        self.bits = to_bf16_bits(values)
        self.shape = self.bits.shape

    def data_ptr(self) -> int:
        return self.bits.ctypes.data

    def read(self) -> np.ndarray:
        return from_bf16_bits(self.bits)


def make(values, dtype: str):
    """A fresh kernel argument of ``dtype`` holding ``values``; ``bfloat16`` included."""
    return Bf16(values) if dtype == "bfloat16" else np.array(values, dtype=dtype, order="C")


def read(arg) -> np.ndarray:
    """The values a kernel argument made by :func:`make` holds now."""
    return arg.read() if isinstance(arg, Bf16) else arg


def rounded(values, dtype: str) -> np.ndarray:
    """``values`` as they look after being stored as ``dtype``."""
    return read(make(values, dtype))


def random_values(shape, dtype: str, seed: int = 0, span: float = 2.0) -> np.ndarray:
    """Values representable in ``dtype``: floats in (-span, span), integers over their whole range, bools."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTS:
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    values = rng.uniform(-span, span, shape)
    return rounded(values, dtype)


class Fenced:
    """An array between two guard zones that a correct kernel leaves alone.

    ``skew`` elements move the start off its natural alignment, so that the launcher cannot call it divisible by 16.
    """

    GUARD = 64

    def __init__(self, shape, dtype: str, skew: int = 0):
        count = int(np.prod(shape, dtype=np.int64))
        size = np.dtype(dtype).itemsize
        self._raw = np.full((count + 2 * self.GUARD + skew) * size, 0xA5, dtype=np.uint8)
        self._start = (self.GUARD + skew) * size
        self._stop = self._start + count * size
        self.array = self._raw[self._start:self._stop].view(dtype).reshape(shape)

    def assert_fence_intact(self) -> None:
        assert (self._raw[:self._start] == 0xA5).all(), "the kernel wrote in front of its output"
        assert (self._raw[self._stop:] == 0xA5).all(), "the kernel wrote behind its output"


def c_divide(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Integer quotient rounded toward zero, as C has it."""
    quotient = x // y
    inexact = quotient * y != x
    return np.where(inexact & ((x < 0) != (y < 0)), quotient + 1, quotient).astype(x.dtype)


def c_remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Integer remainder with the sign of the dividend, as C has it."""
    return (x - c_divide(x, y) * y).astype(x.dtype)


def assert_close(actual, expected, rtol: float, atol: float = 0.0) -> None:
    """``|actual - expected| <= atol + rtol * |expected|`` in float64; NaN matches NaN, inf matches inf."""
    np.testing.assert_allclose(np.asarray(actual, np.float64), np.asarray(expected, np.float64), rtol=rtol, atol=atol)


def assert_same(actual, expected) -> None:
    """Equal values, dtype and shape; NaN matches NaN whatever its payload."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype, f"dtype {actual.dtype}, expected {expected.dtype}"
    np.testing.assert_array_equal(actual, expected)


def assert_same_bits(actual: np.ndarray, expected: np.ndarray) -> None:
    """Equal floats including the sign of zero; NaN matches NaN."""
    assert_same(actual, expected)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(actual[known]), np.signbit(expected[known]))


def ulp_error(actual: np.ndarray, expected: np.ndarray) -> float:
    """Largest distance of ``actual`` from the float64 ``expected`` in units of the last place of ``actual``'s type.

    Non-finite values have to agree exactly. Errors are counted against the spacing of normal numbers at least, so
    a subnormal result may lose bits but not be wrong by more than the smallest normal spacing times the bound.
    """
    with np.errstate(over="ignore"):
        target = np.asarray(expected).astype(actual.dtype)
    finite = np.isfinite(target)
    np.testing.assert_array_equal(actual[~finite], target[~finite])
    spacing = np.abs(np.spacing(target[finite])).astype(np.float64)
    distance = np.abs(actual[finite].astype(np.longdouble) - np.asarray(expected)[finite]).astype(np.float64)
    return float((distance / spacing).max(initial=0.0))


def element_strides(array: np.ndarray) -> tuple:
    """Strides counted in elements (what pointer arithmetic in a kernel wants), possibly zero or negative."""
    return tuple(s // array.itemsize for s in array.strides)
