"""Cases about numbers: arithmetic, conversions, random numbers, libdevice."""

from __future__ import annotations

import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

from .cases import SPECIAL, N, case, floats, integers


# --- integers, also where C leaves the result open ---
@triton.jit
def integer_kernel(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    y = tl.load(y_ptr + at)
    tl.store(out_ptr + at, x + y)
    tl.store(out_ptr + BLOCK + at, x * y - y)
    tl.store(out_ptr + 2 * BLOCK + at, x // y)
    tl.store(out_ptr + 3 * BLOCK + at, x % y)
    tl.store(out_ptr + 4 * BLOCK + at, x << (y & 63))
    tl.store(out_ptr + 5 * BLOCK + at, x >> (y & 63))
    tl.store(out_ptr + 6 * BLOCK + at, tl.minimum(x, y) ^ tl.maximum(x, y) | ~x)
    tl.store(out_ptr + 7 * BLOCK + at, (x < y).to(x.dtype) + (-x).to(x.dtype))


@case
def integer_arithmetic():
    results = {}
    for dtype in ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"):
        x, y = integers(dtype, 1), integers(dtype, 2)
        y[::5] = 0
        y[1::7] = y[1::7] % 9
        x[:4], y[:4] = np.iinfo(dtype).min, np.iinfo(dtype).max
        if np.iinfo(dtype).min < 0:
            y[4:8] = -1
            x[4:6] = np.iinfo(dtype).min
        out = np.zeros(8 * N, dtype)
        integer_kernel[(1,)](x, y, out, BLOCK=N)
        results[dtype] = out
    return results


@triton.jit
def wide_kernel(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + at, tl.umulhi(x, y))


@case
def high_products():
    results = {}
    for dtype in ("uint32", "uint64"):
        results[dtype] = np.zeros(N, dtype)
        wide_kernel[(1,)](integers(dtype, 3), integers(dtype, 4), results[dtype], BLOCK=N)
    return results


# --- floats: operations that round once ---
@triton.jit
def float_kernel(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + at, x + y)
    tl.store(out_ptr + BLOCK + at, x * y)
    tl.store(out_ptr + 2 * BLOCK + at, x / y)
    tl.store(out_ptr + 3 * BLOCK + at, x - y)
    tl.store(out_ptr + 4 * BLOCK + at, tl.minimum(x, y))
    tl.store(out_ptr + 5 * BLOCK + at, -tl.abs(x))
    tl.store(out_ptr + 6 * BLOCK + at, tl.where(x > y, x, y))
    tl.store(out_ptr + 7 * BLOCK + at, tl.fma(x, y, x))


@case
def float_arithmetic():
    results = {}
    for dtype in (np.float32, np.float64, np.float16):
        x, y = floats(5, dtype=dtype), floats(6, dtype=dtype)
        with np.errstate(over="ignore"):
            x[: SPECIAL.size] = SPECIAL
            y[20 : 20 + SPECIAL.size] = SPECIAL
        out = np.zeros(8 * N, dtype)
        float_kernel[(1,)](x, y, out, BLOCK=N, enable_fp_fusion=False)
        results[np.dtype(dtype).name] = out
    return results


@triton.jit
def convert_kernel(x_ptr, out_ptr, DTYPE: tl.constexpr, ROUNDING: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    narrow = tl.load(x_ptr + at).to(DTYPE, fp_downcast_rounding=ROUNDING)
    tl.store(out_ptr + at, narrow.to(tl.float32))
    tl.store(out_ptr + BLOCK + at, (narrow.to(tl.float32) * 0.5).to(DTYPE).to(tl.float32))


@case
def float_formats():
    results = {}
    x = floats(7, span=300.0)
    x[: SPECIAL.size] = SPECIAL
    x[100:200] = floats(8, 100, 2e-3)
    for name in ("float16", "bfloat16", "float8e4nv", "float8e5", "float8e4b8", "float8e5b16"):
        for rounding in ("rtne", "rtz"):
            out = np.zeros(2 * N, np.float32)
            convert_kernel[(1,)](x, out, getattr(tl, name), rounding, BLOCK=N)
            results[f"{name}_{rounding}"] = out
    return results


@triton.jit
def cast_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(out_ptr.dtype.element_ty))


@case
def casts():
    results = {}
    kinds = ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bool")
    for source in kinds:
        for target in kinds:
            if source.startswith("float"):
                values = np.abs(floats(9, span=100.0, dtype=source)) if target[0] == "u" else floats(9, dtype=source)
            else:
                values = integers("uint8", 10).astype(bool) if source == "bool" else integers(source, 10)
            if target == "float16" and not source.endswith("8"):
                values = values.astype("float32").clip(-60, 60).astype(source)
            out = np.zeros(N, target)
            cast_kernel[(1,)](values, out, BLOCK=N)
            results[f"{source}_{target}"] = out
    return results


# --- random numbers ---
@triton.jit
def random_kernel(out_ptr, seed, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, at)
    tl.store(out_ptr + at, a ^ b)
    tl.store(out_ptr + BLOCK + at, c + d)
    tl.store(out_ptr + 2 * BLOCK + at, tl.rand(seed, at).to(tl.int32, bitcast=True))


@case
def philox():
    out = np.zeros(3 * N, np.int32)
    random_kernel[(1,)](out, 2**40 + 17, BLOCK=N)
    return {"out": out}


# --- libdevice ---
@triton.jit
def library_kernel(x_ptr, out_ptr, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, FUNCTION(tl.load(x_ptr + at)).to(out_ptr.dtype.element_ty))


@triton.jit
def library_pair_kernel(x_ptr, y_ptr, out_ptr, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, FUNCTION(tl.load(x_ptr + at), tl.load(y_ptr + at)).to(out_ptr.dtype.element_ty))


@case
def libdevice_of_integers():
    results = {}
    for name in ("popc", "clz", "ffs", "brev", "abs"):
        for dtype in ("int32", "int64"):
            x = integers(dtype, 24)
            x[:3] = 0, 1, -1
            results[f"{name}_{dtype}"] = out = np.zeros(N, dtype)
            library_kernel[(1,)](x, out, getattr(libdevice, name), BLOCK=N)
    for name in ("mulhi", "mul24", "hadd", "rhadd"):
        results[name] = out = np.zeros(N, np.int32)
        library_pair_kernel[(1,)](integers("int32", 25), integers("int32", 26), out, getattr(libdevice, name), BLOCK=N)
    return results


@case
def libdevice_exact():
    """Roundings, conversions and bits of floats."""
    results = {}
    x = floats(27, span=100.0)
    x[:5] = 0.0, -0.0, 0.5, -2.5, 1.5
    for name in ("rint", "round", "trunc", "floor", "ceil", "saturatef", "signbit", "isnan", "isinf", "ilogb", "logb"):
        results[name] = out = np.zeros(N, np.float32)
        library_kernel[(1,)](x, out, getattr(libdevice, name), BLOCK=N)
    for name in ("float2int_rn", "float2int_rd", "float_as_int", "llrint", "llround"):
        results[name] = out = np.zeros(N, np.int32)
        library_kernel[(1,)](x, out, getattr(libdevice, name), BLOCK=N)
    for name in ("fmod", "copysign", "nextafter", "fdim", "add_rz", "mul_ru", "div_rd", "remainder"):
        results[name] = out = np.zeros(N, np.float32)
        library_pair_kernel[(1,)](x, floats(28), out, getattr(libdevice, name), BLOCK=N)
    return results


@case
def approximate_functions():
    """Compared with a tolerance: both are right to a few units in the last place, but not equal."""
    results = {}
    inside, positive = floats(29, span=0.99), np.abs(floats(30)) + 0.01
    for name in (
        "exp",
        "exp2",
        "sin",
        "cos",
        "tanh",
        "erf",
        "asin",
        "atan",
        "sinh",
        "expm1",
        "erfinv",
        "normcdf",
        "j0",
    ):
        results[name] = out = np.zeros(N, np.float32)
        library_kernel[(1,)](inside, out, getattr(libdevice, name), BLOCK=N)
    for name in (
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "rsqrt",
        "cbrt",
        "tgamma",
        "lgamma",
        "acosh",
        "erfc",
        "rcbrt",
    ):
        results[name] = out = np.zeros(N, np.float32)
        library_kernel[(1,)](positive + (name == "acosh"), out, getattr(libdevice, name), BLOCK=N)
    for name in ("pow", "atan2", "hypot"):
        results[name] = out = np.zeros(N, np.float32)
        library_pair_kernel[(1,)](positive, inside, out, getattr(libdevice, name), BLOCK=N)
    return results
