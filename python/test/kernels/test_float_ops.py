"""Float arithmetic and elementary functions: accuracy, NaN, infinities, signed zeros, subnormals."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import FLOATS, assert_close, assert_same, assert_same_bits, make, random_values, read, rounded, ulp_error

SPECIALS = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -2.5, 3.0, 1e-30, -1e-30, 1e30]


@triton.jit
def binary(x_ptr, y_ptr, out_ptr, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live)
    if OP == "-":
        z = x - y
    elif OP == "*":
        z = x * y
    elif OP == "/":
        z = x / y
    elif OP == "%":
        z = x % y
    elif OP == "minimum":
        z = tl.minimum(x, y)
    elif OP == "maximum":
        z = tl.maximum(x, y)
    elif OP == "minimum propagating":
        z = tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)
    else:
        tl.static_assert(OP == "maximum propagating", "unknown operation")
        z = tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + at, z, mask=live)


@triton.jit
def compare(x_ptr, y_ptr, flags_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live)
    flags = (x < y).to(tl.int32) + (x <= y).to(tl.int32) * 2 + (x > y).to(tl.int32) * 4
    flags += (x >= y).to(tl.int32) * 8 + (x == y).to(tl.int32) * 16 + (x != y).to(tl.int32) * 32
    tl.store(flags_ptr + at, flags, mask=live)


@triton.jit
def unary(x_ptr, out_ptr, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live, other=1.0)
    if OP == "exp":
        y = tl.exp(x)
    elif OP == "exp2":
        y = tl.exp2(x)
    elif OP == "log":
        y = tl.log(x)
    elif OP == "log2":
        y = tl.log2(x)
    elif OP == "sin":
        y = tl.sin(x)
    elif OP == "cos":
        y = tl.cos(x)
    elif OP == "sqrt":
        y = tl.sqrt(x)
    elif OP == "rsqrt":
        y = tl.rsqrt(x)
    elif OP == "erf":
        y = tl.erf(x)
    elif OP == "floor":
        y = tl.floor(x)
    elif OP == "ceil":
        y = tl.ceil(x)
    elif OP == "abs":
        y = tl.abs(x)
    elif OP == "negate":
        y = -x
    else:
        tl.static_assert(OP == "sigmoid", "unknown operation")
        y = tl.sigmoid(x)
    tl.store(out_ptr + at, y, mask=live)


@triton.jit
def fused(x_ptr, y_ptr, z_ptr, fma_ptr, exact_quotient_ptr, exact_root_ptr, clamped_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live)
    z = tl.load(z_ptr + at, mask=live)
    tl.store(fma_ptr + at, tl.fma(x, y, z), mask=live)
    tl.store(exact_quotient_ptr + at, tl.div_rn(x, y), mask=live)
    tl.store(exact_root_ptr + at, tl.sqrt_rn(x * x + z * z), mask=live)
    tl.store(clamped_ptr + at, tl.clamp(x, -0.5, 0.75), mask=live)


@triton.jit
def choose(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live)
    tl.store(out_ptr + at, tl.where(x > y, x, tl.where(x < y, 0.0, -y)), mask=live)


@triton.jit
def axpy(x_ptr, out_ptr, a, b, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    tl.store(out_ptr + at, 2.0 * x + a - x * b, mask=live)


def run_unary(x, op):
    out = np.zeros_like(x)
    unary[(triton.cdiv(x.size, 512), )](x, out, x.size, OP=op, BLOCK=512)
    return out


def pairs(dtype):
    with np.errstate(over="ignore"):
        values = rounded(np.array(SPECIALS), dtype)
    x, y = (a.ravel() for a in np.meshgrid(values, values))
    return (np.concatenate([x, random_values(900, dtype, 1)]), np.concatenate([y, random_values(900, dtype, 2)]))


def run_binary(x, y, dtype, op):
    out = make(np.zeros(x.size), dtype)
    binary[(triton.cdiv(x.size, 256), )](make(x, dtype), make(y, dtype), out, x.size, OP=op, BLOCK=256)
    return read(out)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["-", "*"])
def test_difference_and_product(dtype, op):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        expected = x - y if op == "-" else x * y
        expected = rounded(expected, dtype)
    assert_same_bits(run_binary(x, y, dtype, op), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_quotient(dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        expected = x / y
        wide = x.astype(np.longdouble) / y.astype(np.longdouble)
    actual = run_binary(x, y, dtype, "/")
    normal = np.isfinite(expected) & (np.abs(expected) > 1e-37)
    assert_same_bits(actual[~normal & ~(np.abs(expected) < 1e-37)], expected[~normal & ~(np.abs(expected) < 1e-37)])
    assert_close(actual[normal], wide[normal], rtol=2.0**-22 if dtype == "float32" else 2.0**-51)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_remainder_has_the_sign_of_the_dividend(dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    assert_same_bits(run_binary(x, y, dtype, "%"), expected)


@pytest.mark.parametrize("dtype", FLOATS)
def test_minimum_and_maximum_ignore_nan(dtype):
    x, y = pairs(dtype)
    assert_same(run_binary(x, y, dtype, "minimum"), np.fmin(x, y))
    assert_same(run_binary(x, y, dtype, "maximum"), np.fmax(x, y))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_minimum_and_maximum_propagate_nan(dtype):
    x, y = pairs(dtype)
    assert_same(run_binary(x, y, dtype, "minimum propagating"), np.minimum(x, y))
    assert_same(run_binary(x, y, dtype, "maximum propagating"), np.maximum(x, y))


@pytest.mark.parametrize("dtype", FLOATS)
def test_comparisons_with_nan(dtype):
    x, y = pairs(dtype)
    flags = np.zeros(x.size, np.int32)
    compare[(triton.cdiv(x.size, 256), )](make(x, dtype), make(y, dtype), flags, x.size, BLOCK=256)
    expected = (x < y) + (x <= y) * 2 + (x > y) * 4 + (x >= y) * 8 + (x == y) * 16 + (x != y) * 32
    assert_same(flags, expected.astype(np.int32))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_where_chooses_per_lane(dtype):
    x, y = pairs(dtype)
    out = np.zeros_like(x)
    choose[(1, )](x, y, out, x.size, BLOCK=2048)
    assert_same(out, np.where(x > y, x, np.where(x < y, 0.0, -y)).astype(dtype))


EXPONENTS = {"float32": (-126, 127), "float64": (-1022, 1023)}


def domain(op, dtype):
    """Dense and log-spaced arguments of ``op`` with its specials."""
    rng = np.random.default_rng(5)
    if op in ("exp", "exp2"):
        top = {"float32": 88.0, "float64": 709.0}[dtype] * (1.44 if op == "exp2" else 1.0)
        dense = rng.uniform(-top, top, 6000)
    elif op in ("sin", "cos"):
        dense = np.concatenate([rng.uniform(-7, 7, 5000), rng.uniform(-3e4, 3e4, 1000)])
    else:
        dense = rng.uniform(-6, 6, 6000)
    wide = 2.0**rng.uniform(*EXPONENTS[dtype], 2000) * rng.choice([-1, 1], 2000)
    if op in ("sin", "cos"):
        wide = wide[np.abs(wide) < 1e4]
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 2.0, np.finfo(dtype).max, np.finfo(dtype).tiny]
    if op in ("sin", "cos"):
        special.remove(np.finfo(dtype).max)
    if op in ("log", "log2", "sqrt", "rsqrt"):
        dense, wide = np.abs(dense), np.abs(wide)
        special += [float(np.finfo(dtype).smallest_subnormal), float(np.finfo(dtype).tiny) / 3]
    return np.concatenate([dense, wide, special]).astype(dtype)


def exact(op, x):
    from math import erf
    wide = x.astype(np.longdouble)
    with np.errstate(all="ignore"):
        if op == "erf":
            return np.array([erf(float(v)) for v in x])
        if op == "rsqrt":
            return 1 / np.sqrt(wide)
        return getattr(np, op)(wide)


ULPS = {"exp": 2, "exp2": 2, "log": 2, "log2": 2, "sin": 4, "cos": 4, "sqrt": 1, "rsqrt": 2, "erf": 3}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", ULPS)
def test_accuracy(op, dtype):
    x = domain(op, dtype)
    worst = ulp_error(run_unary(x, op), exact(op, x))
    bound = 4 if (op, dtype) == ("exp", "float64") else ULPS[op]  # the C library's vector exp promises 4
    assert worst <= bound, f"{op} is off by {worst:.2f} units in the last place"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op, oracle", [("floor", np.floor), ("ceil", np.ceil), ("abs", np.abs)])
def test_exact_functions(op, oracle, dtype):
    x = np.concatenate([domain("erf", dtype), np.array([-0.5, 0.5, 2.5, -2.5, 1e9 + 0.5], dtype)])
    assert_same_bits(run_unary(x, op), oracle(x))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op, oracle", [("abs", np.abs), ("negate", np.negative)])
def test_sign_changes(op, oracle, dtype):
    values = np.concatenate([random_values(500, dtype, 3), rounded(np.array([0.0, -0.0, np.inf, -np.inf]), dtype)])
    out = make(np.zeros(values.size), dtype)
    unary[(1, )](make(values, dtype), out, values.size, OP=op, BLOCK=512)
    # Unary minus is a subtraction from zero in the language, so the sign of a zero result is not checked.
    assert_same(read(out), oracle(values))


def test_sigmoid():
    x = np.concatenate([np.linspace(-20, 20, 1001), [np.inf, -np.inf, 200, -200]]).astype(np.float32)
    with np.errstate(over="ignore"):
        assert_close(run_unary(x, "sigmoid"), 1 / (1 + np.exp(-x.astype(np.float64))), rtol=1e-6, atol=1e-37)


def test_fma_and_correctly_rounded_operations():
    n = 1000
    x, y, z = (random_values(n, "float32", k) for k in (6, 7, 8))
    fma, quotient, root, clamped = (np.zeros(n, np.float32) for _ in range(4))
    fused[(1, )](x, y, z, fma, quotient, root, clamped, n, BLOCK=1024)
    # A float32 product is exact in float64, so one rounding of the sum is all that separates this from a true fma.
    assert ulp_error(fma, x.astype(np.float64) * y + z) <= 0.5 + 1e-6
    assert_same(quotient, x / y)
    assert_close(root, np.hypot(x.astype(np.float64), z), rtol=2.0**-22)
    assert_same(clamped, np.clip(x, np.float32(-0.5), np.float32(0.75)))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_python_floats_take_the_type_of_the_tensor(dtype):
    n = 200
    x = random_values(n, dtype, 9)
    out = make(np.zeros(n), dtype)
    axpy[(1, )](make(x, dtype), out, 0.25, 1.5, n, BLOCK=256)
    tolerance = {"float64": 1e-6, "float32": 1e-6, "float16": 4e-3, "bfloat16": 4e-2}[dtype]
    assert_close(read(out), 2.0 * x.astype(np.float64) + 0.25 - x * 1.5, rtol=tolerance, atol=tolerance)
