"""Kernels that run compiled and interpreted. `CASES` maps a name to a function that launches and returns arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

CASES = {}
N = 256


def case(function):
    CASES[function.__name__] = function
    return function


def integers(dtype, seed=0, n=N):
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max, n, dtype=dtype, endpoint=True)


def floats(seed=0, n=N, span=4.0, dtype=np.float32):
    return np.random.default_rng(seed).uniform(-span, span, n).astype(dtype)


SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 3.4e38, 65520, 1e6, 448, 464, 57344, 0.3])


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


# --- shapes, reductions, scans ---
@triton.jit
def first_of_equal(a, i, b, j):
    better = (a > b) | ((a == b) & (i < j))
    return tl.where(better, a, b), tl.where(better, i, j)


@triton.jit
def branching_max(a, b):
    if a > b:
        result = a
    else:
        result = b
    return result


@triton.jit
def reduce_kernel(x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    rows = tl.arange(0, R)
    tl.store(out_ptr + rows, tl.sum(x, 1))
    tl.store(out_ptr + R + rows, tl.max(x, 1))
    tl.store(out_ptr + 2 * R + rows, tl.argmin(x, 1))
    tl.store(out_ptr + 3 * R + rows, tl.xor_sum(x, 1))
    index = tl.broadcast_to(tl.arange(0, C)[None, :], (R, C))
    value, where = tl.reduce((x, index), 1, first_of_equal)
    tl.store(out_ptr + 4 * R + rows, value * 1000 + where)
    tl.store(out_ptr + 5 * R + rows, tl.reduce(x, -1, branching_max))
    tl.store(out_ptr + 6 * R, tl.sum(x))
    tl.store(out_ptr + 6 * R + 1, tl.min(tl.max(x, axis=0, keep_dims=True)))


@case
def reductions():
    x = integers("int32", 11, 16 * 32) % 50
    out = np.zeros(7 * 16, np.int32)
    reduce_kernel[(1,)](x, out, R=16, C=32)
    return {"out": out}


@triton.jit
def affine(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def scan_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.cumsum(x))
    tl.store(out_ptr + BLOCK + at, tl.cumsum(x, reverse=True))
    a, b = tl.associative_scan((x, x + 1), 0, affine)
    tl.store(out_ptr + 2 * BLOCK + at, a ^ b)
    grid = tl.reshape(x, (16, BLOCK // 16))
    tl.store(out_ptr + 3 * BLOCK + at, tl.ravel(tl.associative_scan(grid, 0, branching_max)))


@case
def scans():
    out = np.zeros(4 * N, np.int32)
    scan_kernel[(1,)](integers("int32", 12), out, BLOCK=N)
    return {"out": out}


@triton.jit
def shape_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.sort(x))
    tl.store(out_ptr + BLOCK + at, tl.sort(x, descending=True) ^ tl.flip(x))
    low, high = tl.split(tl.reshape(x, (BLOCK // 2, 2)))
    tl.store(out_ptr + 2 * BLOCK + at, tl.interleave(high, low))
    tl.store(out_ptr + 3 * BLOCK + at, tl.ravel(tl.trans(tl.reshape(x, (8, BLOCK // 8)))))
    tl.store(out_ptr + 4 * BLOCK + at, tl.gather(x, (at * 7) % BLOCK, 0))
    tl.store(out_ptr + 5 * BLOCK + tl.arange(0, 16), tl.histogram(x & 15, 16))
    tl.store(out_ptr + 6 * BLOCK + at, tl.cat(low, high, dim=0))
    tl.store(out_ptr + 7 * BLOCK + tl.arange(0, 4), tl.topk(x, 4))
    cube = tl.reshape(x, (4, 4, BLOCK // 16))
    tl.store(out_ptr + 8 * BLOCK + at, tl.ravel(tl.permute(cube, (2, 0, 1)) + tl.zeros((1, 4, 4), tl.int32)))


@case
def shapes():
    out = np.zeros(9 * N, np.int32)
    shape_kernel[(1,)](integers("int32", 13), out, BLOCK=N)
    return {"out": out}


# --- control flow, functions, tuples ---
class Pair(NamedTuple):
    left: object
    right: object


@triton.jit
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@triton.jit
def early(x, limit):
    if x > limit:
        return x * 2
    if x == limit:
        return -x
    return x


@triton.jit
def swapped(pair, scale: tl.constexpr = 2):
    return Pair(pair.right * scale, pair.left)


@triton.jit
def control_kernel(out_ptr, pair, n, ratio, flag, HALF: tl.constexpr, MODE: tl.constexpr):
    pid = tl.program_id(0) + tl.num_programs(0) * tl.program_id(1)
    total = 0
    for i in range(n):
        total += i * i if i % 3 != 0 else 1
    for i in tl.range(10, 0, -3):
        total = total * 3 + i
    for i in tl.static_range(3):
        total += (i + 1) * HALF
    p = swapped(pair)
    if flag and (pid > 1 or n < 0):
        total += p.left
    elif not flag:
        total -= p.right
    if MODE == "early":
        total += early(pid, 2)
    weight = 1.0 if pid < 2 else ratio
    bounds = (pid, pid + 1)
    total += bounds[1] + len(bounds)
    tl.store(out_ptr + pid, total + (weight * 4).to(tl.int32) + collatz(pid + 7))


@case
def control_flow():
    out = np.zeros(8, np.int32)
    control_kernel[(4, 2)](out, Pair(3, 40), 9, 2.5, True, HALF=5, MODE="early")
    return {"out": out}


@triton.jit
def root(x):
    y = x
    steps = 0
    while (y * y - x > 1e-4 * x) and (steps < 60):
        y = 0.5 * (y + x / y)
        steps += 1
    if steps > 3:
        steps = -steps
    return y, steps


@triton.jit
def map_kernel(x_ptr, out_ptr, steps_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    y, steps = tl.map_elementwise(root, tl.load(x_ptr + at))
    tl.store(out_ptr + at, y)
    tl.store(steps_ptr + at, steps)


@case
def mapped_branches():
    out, steps = np.zeros(N, np.float32), np.zeros(N, np.int32)
    map_kernel[(1,)](np.abs(floats(14)) + 1, out, steps, BLOCK=N, enable_fp_fusion=False)
    return {"out": out, "steps": steps}


@tl.core._aggregate
class Counter:
    value: tl.tensor
    step: tl.constexpr

    @triton.jit
    def advanced(self, by):
        return Counter(self.value + by * self.step, self.step)


@triton.jit
def aggregate_kernel(out_ptr, n):
    counter = Counter(tl.program_id(0), tl.constexpr(3))
    for i in range(n):
        counter = counter.advanced(i)
    tl.store(out_ptr + tl.program_id(0), counter.value)


@case
def aggregates():
    out = np.zeros(4, np.int32)
    aggregate_kernel[(4,)](out, 5)
    return {"out": out}


# --- memory ---
@triton.jit
def atomic_kernel(x_ptr, cells_ptr, old_ptr, float_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    cell = x & 7
    tl.atomic_add(cells_ptr + cell, 1, mask=x > 0)
    tl.atomic_max(cells_ptr + 8 + cell, x)
    tl.atomic_min(cells_ptr + 16 + cell, x)
    tl.atomic_xor(cells_ptr + 24 + cell, x)
    tl.atomic_or(cells_ptr + 32 + cell, x)
    tl.atomic_and(cells_ptr + 40 + cell, x)
    tl.store(old_ptr + at, tl.atomic_xchg(old_ptr + at, x))
    tl.atomic_max(float_ptr + cell, x.to(tl.float32) / 3)
    tl.atomic_add(float_ptr + 8 + cell, 0.5)
    tl.atomic_cas(cells_ptr + 48, 0, tl.program_id(0) + 1)


@case
def atomics():
    x = integers("int32", 15, 4 * N)
    cells, old, results = np.zeros(49, np.int32), np.arange(4 * N, dtype=np.int32), np.full(16, -1e9, np.float32)
    atomic_kernel[(4,)](x, cells, old, results, BLOCK=N)
    cells[48] = cells[48] > 0  # any program may be first
    return {"cells": cells, "old": old, "floats": results}


@triton.jit
def block_pointer_kernel(x_ptr, out_ptr, rows, columns, R: tl.constexpr, C: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (rows, columns), (columns, 1), (0, tl.program_id(0) * C), (R, C), (1, 0))
    target = tl.make_block_ptr(out_ptr, (rows, columns), (columns, 1), (0, tl.program_id(0) * C), (R, C), (1, 0))
    for _ in range(0, rows, R):
        x = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        tl.store(target, x + tl.sum(x), boundary_check=(0, 1))
        source = tl.advance(source, (R, 0))
        target = tl.advance(target, (R, 0))


@case
def block_pointers():
    x = integers("int32", 16, 37 * 19).reshape(37, 19) % 1000
    out = np.zeros_like(x)
    block_pointer_kernel[(3,)](x, out, 37, 19, R=8, C=8)
    return {"out": out}


@triton.jit
def descriptor_kernel(x_ptr, out_ptr, rows, columns, R: tl.constexpr, C: tl.constexpr):
    made = tl.make_tensor_descriptor(x_ptr, (rows, columns), (columns, 1), (R, C))
    out = tl.make_tensor_descriptor(out_ptr, (rows, columns), (columns, 1), (R, C))
    for row in range(0, rows, R):
        for column in range(0, columns, C):
            out.store([row, column], made.load([row, column]) * 2 + 1)


@case
def descriptors():
    x = (integers("int32", 17, 20 * 12) % 1000).reshape(20, 12)
    out = np.zeros_like(x)
    descriptor_kernel[(1,)](x, out, 20, 12, R=8, C=4)
    return {"out": out}


@triton.jit
def scalar_kernel(x_ptr, out_ptr, i, u, f, b, packed, D: tl.constexpr):
    x = tl.load(x_ptr + i)
    tl.store(out_ptr, x.to(tl.float64))
    tl.store(out_ptr + 1, f.to(tl.float64) * i.to(tl.float32))
    tl.store(out_ptr + 2, (u >> 60).to(tl.int32))
    tl.store(out_ptr + 3, b)
    tl.store(out_ptr + 4, packed[0] + packed[1][0] * D)
    tl.store(out_ptr + 5, tl.load(packed[1][1] + 2))


@case
def scalars_and_tuples():
    out, x = np.zeros(6), floats(18)
    scalar_kernel[(1,)](x, out, 3, 2**63 + 2**62, 1.5, True, (7, (9, x)), D=2)
    return {"out": out}


@triton.jit
def unaligned_kernel(bytes_ptr, out_ptr, BLOCK: tl.constexpr):
    words = (bytes_ptr + 1).to(tl.pointer_type(tl.int32))
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(words + tl.arange(0, BLOCK)))
    odd = (bytes_ptr + 3 + 5 * tl.arange(0, 8)).to(tl.pointer_type(tl.int16))
    tl.store(out_ptr + BLOCK + tl.arange(0, 8), tl.load(odd))


@case
def unaligned_addresses():
    out = np.zeros(64 + 8, np.int32)
    unaligned_kernel[(1,)](integers("uint8", 19, 64 * 4 + 16), out, BLOCK=64)
    return {"out": out}


# --- products ---
@triton.jit
def dot_kernel(a_ptr, b_ptr, out_ptr, M: tl.constexpr, K: tl.constexpr, C: tl.constexpr):
    m, k, c = tl.arange(0, M), tl.arange(0, K), tl.arange(0, C)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * C + c[None, :])
    tl.store(out_ptr + m[:, None] * C + c[None, :], tl.dot(a, b))


@case
def products_of_integers():
    out = np.zeros((16, 8), np.int32)
    dot_kernel[(1,)](integers("int8", 20, 16 * 32), integers("int8", 21, 32 * 8), out, M=16, K=32, C=8)
    return {"out": out}


@case
def products_of_small_floats():
    """Every product and sum is exact, so the order does not matter."""
    results = {}
    for dtype in ("float16", "float32", "float64"):
        a, b = ((integers("int8", seed, 512) // 8).astype(dtype) for seed in (22, 23))
        out = np.zeros((16, 16), "float64" if dtype == "float64" else "float32")
        dot_kernel[(1,)](a, b, out, M=16, K=32, C=16)
        results[dtype] = out
    return results


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


@triton.jit
def softmax_kernel(x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out_ptr + at, tl.softmax(tl.load(x_ptr + at), dim=1))


@case
def approximate_softmax():
    out = np.zeros((8, 32), np.float32)
    softmax_kernel[(1,)](floats(31), out, R=8, C=32)
    return {"out": out}


@triton.jit
def print_kernel(x_ptr, n):
    tl.device_print("pid", tl.program_id(0), n)
    tl.device_print("half", tl.load(x_ptr + tl.arange(0, 2)))
    tl.device_print("bits", tl.load(x_ptr + tl.arange(0, 2)).to(tl.int32, bitcast=True), hex=True)
    print("done")


def print_case():
    """Prints; not among the cases, as it returns nothing."""
    print_kernel[(2,)](np.array([0.5, -1.25], np.float32), -3)
