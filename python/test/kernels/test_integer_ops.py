"""Integer arithmetic: C division, wraparound, shifts, signed and unsigned order, mixed widths."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import INTS, SIGNED, UNSIGNED, assert_close, assert_same, c_divide, c_remainder, random_values

N = 1003


@triton.jit
def divide(x_ptr, y_ptr, quotient_ptr, remainder_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live, other=1)
    tl.store(quotient_ptr + at, x // y, mask=live)
    tl.store(remainder_ptr + at, x % y, mask=live)


@triton.jit
def divide_by_constant(x_ptr, quotient_ptr, remainder_ptr, n, D: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    tl.store(quotient_ptr + at, x // D, mask=live)
    tl.store(remainder_ptr + at, x % D, mask=live)


@triton.jit
def ring(x_ptr, y_ptr, sum_ptr, difference_ptr, product_ptr, negated_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live)
    tl.store(sum_ptr + at, x + y, mask=live)
    tl.store(difference_ptr + at, x - y, mask=live)
    tl.store(product_ptr + at, x * y, mask=live)
    tl.store(negated_ptr + at, -x, mask=live)


@triton.jit
def bitwise(x_ptr, y_ptr, and_ptr, or_ptr, xor_ptr, not_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live)
    tl.store(and_ptr + at, x & y, mask=live)
    tl.store(or_ptr + at, x | y, mask=live)
    tl.store(xor_ptr + at, x ^ y, mask=live)
    tl.store(not_ptr + at, ~x, mask=live)


@triton.jit
def shift(x_ptr, by_ptr, left_ptr, right_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    by = tl.load(by_ptr + at, mask=live, other=0)
    tl.store(left_ptr + at, x << by, mask=live)
    tl.store(right_ptr + at, x >> by, mask=live)


@triton.jit
def order(x_ptr, y_ptr, flags_ptr, low_ptr, high_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live)
    flags = (x < y).to(tl.int32) + (x <= y).to(tl.int32) * 2 + (x > y).to(tl.int32) * 4
    flags += (x >= y).to(tl.int32) * 8 + (x == y).to(tl.int32) * 16 + (x != y).to(tl.int32) * 32
    tl.store(flags_ptr + at, flags, mask=live)
    tl.store(low_ptr + at, tl.minimum(x, y), mask=live)
    tl.store(high_ptr + at, tl.maximum(x, y), mask=live)


@triton.jit
def mixed_sum(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr, WANT: tl.constexpr):
    at = tl.arange(0, BLOCK)
    live = at < n
    total = tl.load(x_ptr + at, mask=live) + tl.load(y_ptr + at, mask=live)
    tl.static_assert(total.dtype == WANT)
    tl.store(out_ptr + at, total, mask=live)


@triton.jit
def with_scalars(x_ptr, out_ptr, n, five, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    kept = 3 + x * 2 - 1
    tl.static_assert(kept.dtype == x.dtype)
    tl.store(out_ptr + at, (kept * five).to(tl.int64), mask=live)


@triton.jit
def true_division(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    live = at < n
    ratio = tl.load(x_ptr + at, mask=live) / tl.load(y_ptr + at, mask=live, other=1)
    tl.static_assert(ratio.dtype == tl.float32)
    tl.store(out_ptr + at, ratio, mask=live)


@triton.jit
def high_product(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    live = at < n
    tl.store(out_ptr + at, tl.umulhi(tl.load(x_ptr + at, mask=live), tl.load(y_ptr + at, mask=live)), mask=live)


@triton.jit
def magnitude(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    live = at < n
    tl.store(out_ptr + at, tl.abs(tl.load(x_ptr + at, mask=live)), mask=live)


@triton.jit
def scalar_arithmetic(out_ptr, a, b):
    tl.store(out_ptr + 0, a // b)
    tl.store(out_ptr + 1, a % b)
    tl.store(out_ptr + 2, (a >> 1) + (b << 2))
    tl.store(out_ptr + 3, tl.cdiv(a, b))
    tl.store(out_ptr + 4, min(a, b))
    tl.store(out_ptr + 5, max(a, b))
    tl.store(out_ptr + 6, (a < b) or (a == 7))
    tl.store(out_ptr + 7, not (a < b and b > 0))


def launch(kernel, *arrays):
    n = arrays[0].size
    kernel[(triton.cdiv(n, 256), )](*arrays, n, BLOCK=256)


def operands(dtype):
    x, y = random_values(N, dtype, 1), random_values(N, dtype, 2)
    y[:500] = random_values(500, dtype, 3) % 11  # small divisors and many equal pairs
    x[:200] = y[:200]
    return x, y


@pytest.mark.parametrize("dtype", INTS)
def test_division_truncates(dtype):
    x, y = operands(dtype)
    y[y == 0] = 3
    if dtype in SIGNED:
        y[300:600] = -np.abs(y[300:600] // 2) - 2
        x[(x == np.iinfo(dtype).min) & (y == -1)] += 1  # the one quotient that does not fit
    quotient, remainder = np.zeros_like(x), np.zeros_like(x)
    launch(divide, x, y, quotient, remainder)
    assert_same(quotient, c_divide(x, y))
    assert_same(remainder, c_remainder(x, y))


@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 16, 100])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint32", "uint64"])
def test_division_by_a_constant(dtype, divisor):
    x, _ = operands(dtype)
    quotient, remainder = np.zeros_like(x), np.zeros_like(x)
    n = x.size
    divide_by_constant[(triton.cdiv(n, 128), )](x, quotient, remainder, n, D=divisor, BLOCK=128)
    d = np.full_like(x, divisor)
    assert_same(quotient, c_divide(x, d))
    assert_same(remainder, c_remainder(x, d))


@pytest.mark.parametrize("dtype", SIGNED)
def test_results_wrap_around(dtype):
    x, y = operands(dtype)
    x[:2], y[:2] = np.iinfo(dtype).max, np.iinfo(dtype).min
    total, difference, product, negated = (np.zeros_like(x) for _ in range(4))
    launch(ring, x, y, total, difference, product, negated)
    with np.errstate(over="ignore"):
        assert_same(total, x + y)
        assert_same(difference, x - y)
        assert_same(product, x * y)
        assert_same(negated, -x)


@pytest.mark.parametrize("dtype", INTS)
def test_bitwise(dtype):
    x, y = operands(dtype)
    results = [np.zeros_like(x) for _ in range(4)]
    launch(bitwise, x, y, *results)
    for result, expected in zip(results, (x & y, x | y, x ^ y, ~x), strict=True):
        assert_same(result, expected)


@pytest.mark.parametrize("dtype", INTS)
def test_shifts(dtype):
    x, _ = operands(dtype)
    by = (np.arange(N) % (8 * x.itemsize)).astype(dtype)
    left, right = np.zeros_like(x), np.zeros_like(x)
    launch(shift, x, by, left, right)
    assert_same(left, x << by)
    assert_same(right, x >> by)


@pytest.mark.parametrize("dtype", INTS)
def test_order_respects_signedness(dtype):
    x, y = operands(dtype)
    flags, low, high = np.zeros(N, np.int32), np.zeros_like(x), np.zeros_like(x)
    launch(order, x, y, flags, low, high)
    expected = (x < y) + (x <= y) * 2 + (x > y) * 4 + (x >= y) * 8 + (x == y) * 16 + (x != y) * 32
    assert_same(flags, expected.astype(np.int32))
    assert_same(low, np.minimum(x, y))
    assert_same(high, np.maximum(x, y))


MIXED = [("int8", "int32", "int32"), ("int8", "uint8", "uint8"), ("int16", "uint8", "int16"),
         ("int32", "uint32", "uint32"), ("int64", "uint32", "int64"), ("int64", "uint64", "uint64"),
         ("uint8", "uint16", "uint16"), ("int32", "int64", "int64")]


@pytest.mark.parametrize("left, right, result", MIXED)
def test_mixed_widths(left, right, result):
    n = 100
    x, y = random_values(n, left, 4), random_values(n, right, 5)
    out = np.zeros(n, result)
    mixed_sum[(1, )](x, y, out, n, BLOCK=128, WANT=getattr(tl, result))
    assert_same(out, x.astype(result) + y.astype(result))


@pytest.mark.parametrize("dtype", INTS)
def test_python_numbers_take_the_type_of_the_tensor(dtype):
    n = 50
    x = (random_values(n, dtype, 6) % 5).astype(dtype)
    out = np.zeros(n, np.int64)
    with_scalars[(1, )](x, out, n, 5, BLOCK=64)
    assert_same(out, (3 + x.astype(np.int64) * 2 - 1) * 5)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint16", "uint32"])
def test_slash_divides_in_float32(dtype):
    n = 90
    x, y = random_values(n, dtype, 7), random_values(n, dtype, 8)
    y[y == 0] = 1
    out = np.zeros(n, np.float32)
    true_division[(1, )](x, y, out, n, BLOCK=128)
    assert_close(out, x.astype(np.float32) / y.astype(np.float32), rtol=2.0**-22)


@pytest.mark.parametrize("dtype", ["uint32", "uint64", "int32", "int64"])
def test_high_half_of_a_product(dtype):
    n = 200
    x, y = random_values(n, dtype, 9), random_values(n, dtype, 10)
    out = np.zeros_like(x)
    high_product[(1, )](x, y, out, n, BLOCK=256)
    bits = 8 * x.itemsize
    exact = [(int(a) % 2**bits * (int(b) % 2**bits)) >> bits for a, b in zip(x, y, strict=True)]
    assert_same(out, np.array(exact, f"uint{bits}").astype(dtype))


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_abs(dtype):
    x = random_values(300, dtype, 11)
    out = np.zeros_like(x)
    magnitude[(1, )](x, out, 300, BLOCK=512)
    assert_same(out, np.abs(x))


@pytest.mark.parametrize("a, b", [(7, 2), (-7, 2), (7, -2), (1, 3), (0, 5), (16, 4), (2**31 - 1, 2), (2**40 + 1, 3)])
def test_scalars(a, b):
    out = np.zeros(8, np.int64)
    scalar_arithmetic[(1, )](out, a, b)
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    rounded_up = a + b - 1
    cdiv = abs(rounded_up) // abs(b) * (1 if (rounded_up < 0) == (b < 0) else -1)
    if a == 2**31 - 1:
        cdiv = -(2**31 // 2)  # the sum wraps around in 32 bits
    expected = [quotient, a - quotient * b, (a >> 1) + (b << 2), cdiv, min(a, b), max(a, b), a < b or a == 7,
                not (a < b and b > 0)]
    assert out.tolist() == [int(value) for value in expected]
