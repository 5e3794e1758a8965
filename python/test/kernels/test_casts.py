"""Conversions between every pair of types, bit casts, and boolean values in memory."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import (
    FLOATS,
    INTS,
    Bf16,
    assert_same,
    assert_same_bits,
    from_bf16_bits,
    make,
    random_values,
    read,
    rounded,
    to_bf16_bits,
)

N = 517


@triton.jit
def convert(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    tl.store(out_ptr + at, x.to(out_ptr.dtype.element_ty), mask=live)


@triton.jit
def convert_in_the_store(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)


@triton.jit
def convert_bits(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    tl.store(out_ptr + at, x.to(out_ptr.dtype.element_ty, bitcast=True), mask=live)


@triton.jit
def logic(a_ptr, b_ptr, and_ptr, or_ptr, xor_ptr, not_ptr, count_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    a = tl.load(a_ptr + at, mask=live, other=0)
    b = tl.load(b_ptr + at, mask=live, other=0)
    tl.static_assert(a.dtype == tl.int1)
    tl.store(and_ptr + at, a & b, mask=live)
    tl.store(or_ptr + at, a | b, mask=live)
    tl.store(xor_ptr + at, a ^ b, mask=live)
    tl.store(not_ptr + at, ~a, mask=live)
    tl.store(count_ptr + tl.program_id(0), tl.sum((a & b).to(tl.int32), axis=0))


@triton.jit
def compare_into_bool(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=live) > 0, mask=live)


@triton.jit
def scalar_flags(out_ptr, flag, number):
    tl.store(out_ptr, flag)
    tl.store(out_ptr + 1, number > 3)
    tl.store(out_ptr + 2, (number > 3) & flag)
    tl.store(out_ptr + 3, tl.program_id(0) == 0)


def run(kernel, values, source, target):
    out = make(np.zeros(values.size), target)
    kernel[(triton.cdiv(values.size, 128),)](make(values, source), out, values.size, BLOCK=128)
    return read(out)


@pytest.mark.parametrize("kernel", [convert, convert_in_the_store], ids=["to", "store"])
@pytest.mark.parametrize("source", INTS)
@pytest.mark.parametrize("target", INTS)
def test_int_to_int_keeps_the_low_bits(source, target, kernel):
    values = random_values(N, source, 1)
    assert_same(run(kernel, values, source, target), values.astype(target))


@pytest.mark.parametrize("source", INTS)
@pytest.mark.parametrize("target", ["float32", "float64"])
def test_int_to_float_rounds_to_nearest(source, target):
    values = random_values(N, source, 2)
    assert_same(run(convert, values, source, target), values.astype(target))


@pytest.mark.parametrize("source", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("target", ["float16", "bfloat16"])
def test_small_int_to_half_float(source, target):
    values = random_values(N, source, 3)
    assert_same(run(convert, values, source, target), rounded(values, target))


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", INTS)
def test_float_to_int_truncates(source, target):
    span = 100.0 if target.endswith("8") else 30000.0
    values = random_values(N, source, 4, span)
    if target in ("uint8", "uint16", "uint32", "uint64"):
        values = np.abs(values)
    assert_same(run(convert, values, source, target), np.trunc(values).astype(target))


@triton.jit
def through_a_narrow_type(x_ptr, out_ptr, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n).to(TYPE), mask=at < n)


@pytest.mark.parametrize("target", ["int8", "uint8", "int16", "uint16"])
def test_what_does_not_fit_is_a_value_of_the_type_all_the_same(target):
    x = (np.random.default_rng(0).normal(size=N) * 1e5).astype(np.float32)
    x[:4] = np.nan, np.inf, -np.inf, 1e30
    out = np.zeros(N, np.int64)
    through_a_narrow_type[(1,)](x, out, N, TYPE=getattr(tl, target), BLOCK=1024)
    bounds = np.iinfo(target)
    assert out.min() >= bounds.min and out.max() <= bounds.max
    fits = np.abs(x) < 2**31
    np.testing.assert_array_equal(out[fits], x[fits].astype(np.int32).astype(target))


@pytest.mark.parametrize("target", ["int64", "uint64"])
def test_large_float_to_64_bit_int(target):
    values = 2.0 ** np.random.default_rng(5).uniform(30, 62, N)
    if target == "uint64":
        values[:9] = 2.0**63 * (1 + np.arange(9) / 16)
    assert_same(run(convert, values, "float64", target), values.astype(target))


def awkward_floats():
    """Ties, overflow, underflow and specials for narrowing."""
    rng = np.random.default_rng(6)
    near_one = 1 + np.arange(64) * 2.0**-12
    tiny = rng.uniform(-1, 1, 100) * 2.0**-20
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519, 65520, 1e6, -1e6, 6e-8, 3e-8, 2.9e-8, 1e-40, 3.4e38]
    return np.concatenate([near_one, -near_one, tiny, special, rng.normal(0, 300, 200)]).astype(np.float32)


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", FLOATS)
def test_float_to_float_rounds_to_nearest_even(source, target):
    with np.errstate(over="ignore"):
        values = rounded(awkward_floats(), source)
        expected = rounded(values, target)
    assert_same_bits(run(convert, values, source, target), expected)


@pytest.mark.parametrize("source", FLOATS + INTS)
def test_anything_but_zero_is_true(source):
    values = random_values(N, source, 7)
    values[::3] = 0
    assert_same(run(convert, values, source, "bool"), values != 0)


@pytest.mark.parametrize("target", FLOATS + INTS)
def test_true_is_one(target):
    values = random_values(N, "bool", 8)
    assert_same(run(convert, values, "bool", target), rounded(values, target))


@pytest.mark.parametrize(
    "source, target",
    [
        ("float32", "int32"),
        ("int32", "float32"),
        ("float64", "uint64"),
        ("uint16", "float16"),
        ("float16", "int16"),
        ("int8", "uint8"),
    ],
)
def test_bit_casts(source, target):
    values = random_values(N, source, 9)
    out = np.zeros(N, target)
    convert_bits[(1,)](values, out, N, BLOCK=1024)
    np.testing.assert_array_equal(out.view(np.uint8), values.view(np.uint8))


def test_bit_casts_of_bf16():
    values = random_values(N, "bfloat16", 10)
    bits = np.zeros(N, np.uint16)
    convert_bits[(1,)](Bf16(values), bits, N, BLOCK=1024)
    assert_same(bits, to_bf16_bits(values))
    assert_same(from_bf16_bits(bits), values)


def test_boolean_logic():
    a, b = random_values(N, "bool", 11), random_values(N, "bool", 12)
    results = [np.zeros(N, bool) for _ in range(4)]
    count = np.zeros(triton.cdiv(N, 64), np.int32)
    logic[(count.size,)](a, b, *results, count, N, BLOCK=64)
    for result, expected in zip(results, (a & b, a | b, a ^ b, ~a), strict=True):
        np.testing.assert_array_equal(result.view(np.uint8), expected.view(np.uint8))
    assert count.sum() == (a & b).sum()


@pytest.mark.parametrize("dtype", ["int32", "float32", "float16"])
def test_comparison_stored_as_bool(dtype):
    values = random_values(N, dtype, 13)
    out = np.full(N, True)
    compare_into_bool[(triton.cdiv(N, 128),)](values, out, N, BLOCK=128)
    np.testing.assert_array_equal(out.view(np.uint8), (values > 0).astype(np.uint8))


@pytest.mark.parametrize("flag", [True, False])
def test_scalar_booleans(flag):
    out = np.zeros(4, bool)
    scalar_flags[(1,)](out, flag, 5)
    assert out.tolist() == [flag, True, flag, True]


@triton.jit
def choose_halves(x_ptr, out_ptr, few, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i).to(tl.float32)
    chosen = tl.where(i < few, x, tl.where(i < 2 * few, 1.5, 0.1))
    tl.store(out_ptr + i, tl.where(i % 3 == 0, x, 1.5))
    tl.store(out_ptr + BLOCK + i, chosen)


def test_half_floats_that_are_only_moved():
    """Whatever they are, NaN, infinite or subnormal; constants between them are rounded."""
    bits = np.random.default_rng(0).integers(0, 2**16, 256).astype(np.uint16)
    bits[:5] = [0x7E01, 0x7C00, 0x0001, 0x8000, 0xFBFF]
    x = bits.view(np.float16)
    out = np.zeros((2, 256), np.float16)
    choose_halves[(1, )](x, out, 100, 256)
    i = np.arange(256)
    np.testing.assert_array_equal(out[0], np.where(i % 3 == 0, x, np.float16(1.5)))
    np.testing.assert_array_equal(out[1], np.where(i < 100, x, np.where(i < 200, 1.5, 0.1).astype(np.float16)))
