"""Prefix scans: cumulative sums and products, both directions, each axis, custom and tuple combine functions."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import Fenced, assert_close, assert_same, random_values


@triton.jit
def cumulative_sum(x_ptr, out_ptr, n, REVERSE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.store(out_ptr + at, tl.cumsum(x, axis=0, reverse=REVERSE), mask=at < n)


@triton.jit
def long_cumulative_sum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """A row in blocks, the total carried along."""
    x_ptr += tl.program_id(0) * n
    out_ptr += tl.program_id(0) * n
    carry = tl.zeros((), tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n, other=0.0)
        tl.store(out_ptr + at, carry + tl.cumsum(x, 0), mask=at < n)
        carry += tl.sum(x, 0)


@triton.jit
def scan_matrix(x_ptr, sum_ptr, product_ptr, ROWS: tl.constexpr, COLS: tl.constexpr, AXIS: tl.constexpr,
                REVERSE: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(sum_ptr + at, tl.cumsum(x, AXIS, REVERSE))
    tl.store(product_ptr + at, tl.cumprod(x, AXIS, REVERSE))


@triton.jit
def scan_cube(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    at = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]
    tl.store(out_ptr + at, tl.cumsum(tl.load(x_ptr + at), AXIS))


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def affine(a_slope, a_offset, b_slope, b_offset):
    """Composition of x -> slope * x + offset, the left one first."""
    return a_slope * b_slope, a_offset * b_slope + b_offset


@triton.jit
def last_set(a_value, a_set, b_value, b_set):
    """The latest value whose flag is set; not commutative."""
    return tl.where(b_set != 0, b_value, a_value), a_set | b_set


@triton.jit
def running_maximum(x_ptr, out_ptr, ROWS: tl.constexpr, COLS: tl.constexpr, AXIS: tl.constexpr,
                    REVERSE: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    tl.store(out_ptr + at, tl.associative_scan(tl.load(x_ptr + at), AXIS, larger, reverse=REVERSE))


@triton.jit
def linear_recurrence(decay_ptr, x_ptr, out_ptr, n, REVERSE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    decay = tl.load(decay_ptr + at, mask=at < n, other=1.0)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    _, state = tl.associative_scan((decay, x), 0, affine, reverse=REVERSE)
    tl.store(out_ptr + at, state, mask=at < n)


@triton.jit
def forward_fill(x_ptr, set_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    is_set = tl.load(set_ptr + at, mask=at < n, other=0)
    value, known = tl.associative_scan((x, is_set), 0, last_set)
    tl.store(out_ptr + at, tl.where(known != 0, value, -1), mask=at < n)


@triton.jit
def scan_then_reduce(x_ptr, out_ptr, total_ptr, BLOCK: tl.constexpr):
    """The scanned values feed a reduction, a second scan and a store."""
    at = tl.arange(0, BLOCK)
    sums = tl.cumsum(tl.load(x_ptr + at), 0)
    tl.store(out_ptr + at, tl.cumsum(sums - tl.max(sums, 0), 0, reverse=True))
    tl.store(total_ptr, tl.sum(sums, 0))


def backwards_if(flag, x, axis=0):
    return np.flip(x, axis) if flag else x


SIZES = [(1, 1), (2, 2), (100, 128), (1000, 1024), (1024, 1024), (50_000, 65536)]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("n, block", SIZES)
def test_cumulative_sum(n, block, dtype, reverse):
    x = np.random.default_rng(1).integers(-50, 50, n).astype(dtype)
    out = Fenced(n, dtype)
    cumulative_sum[(1, )](x, out.array, n, REVERSE=reverse, BLOCK=block)
    assert_same(out.array, backwards_if(reverse, np.cumsum(backwards_if(reverse, x), dtype=dtype)))
    out.assert_fence_intact()


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint8"])
def test_small_integers_are_widened(dtype):
    x = random_values(200, dtype, 2)
    wide = "uint32" if dtype == "uint8" else "int32"
    out = np.zeros(200, wide)
    cumulative_sum[(1, )](x, out, 200, REVERSE=False, BLOCK=256)
    assert_same(out, np.cumsum(x, dtype=wide))


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_long_rows(n):
    x = np.random.default_rng(3).integers(-9, 9, (3, n)).astype(np.float32)
    out = Fenced((3, n), "float32")
    long_cumulative_sum[(3, )](x, out.array, n, BLOCK=64)
    assert_same(out.array, x.cumsum(1))
    out.assert_fence_intact()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("rows, cols", [(1, 1), (8, 32), (32, 4), (1, 128), (64, 64)])
def test_matrix(rows, cols, axis, reverse):
    x = np.random.default_rng(4).choice([-1.0, 1.0, 2.0, 0.5], (rows, cols)).astype(np.float32)
    sums, products = np.zeros_like(x), np.zeros_like(x)
    scan_matrix[(1, )](x, sums, products, ROWS=rows, COLS=cols, AXIS=axis, REVERSE=reverse)
    flipped = backwards_if(reverse, x, axis)
    assert_same(sums, backwards_if(reverse, flipped.cumsum(axis), axis))
    assert_close(products, backwards_if(reverse, flipped.astype(np.float64).cumprod(axis), axis), rtol=0)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("shape", [(2, 4, 8), (16, 1, 2), (4, 32, 1)])
def test_cube(shape, axis):
    x = random_values(shape, "int64", 5) // 1000
    out = np.zeros_like(x)
    scan_cube[(1, )](x, out, *shape, AXIS=axis)
    assert_same(out, x.cumsum(axis))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
def test_running_maximum(axis, reverse, dtype):
    x = random_values((16, 32), dtype, 6)
    out = np.zeros_like(x)
    running_maximum[(1, )](x, out, ROWS=16, COLS=32, AXIS=axis, REVERSE=reverse)
    expected = np.maximum.accumulate(backwards_if(reverse, x, axis), axis)
    assert_same(out, np.ascontiguousarray(backwards_if(reverse, expected, axis)))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [1, 2, 50, 128])
def test_linear_recurrence(n, reverse):
    rng = np.random.default_rng(7)
    decay, x = rng.uniform(0.5, 1, n).astype(np.float32), rng.uniform(-1, 1, n).astype(np.float32)
    out = np.zeros(n, np.float32)
    linear_recurrence[(1, )](decay, x, out, n, REVERSE=reverse, BLOCK=128)
    state, expected = 0.0, np.zeros(n)
    order = range(n - 1, -1, -1) if reverse else range(n)
    for i in order:
        state = state * float(decay[i]) + float(x[i])
        expected[i] = state
    assert_close(out, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n", [1, 64, 200])
def test_combine_that_does_not_commute(n):
    rng = np.random.default_rng(8)
    x, is_set = rng.integers(0, 1000, n).astype(np.int32), (rng.random(n) < 0.2).astype(np.int32)
    out = np.zeros(n, np.int32)
    forward_fill[(1, )](x, is_set, out, n, BLOCK=256)
    value, expected = -1, []
    for candidate, chosen in zip(x, is_set, strict=True):
        value = candidate if chosen else value
        expected.append(value)
    assert_same(out, np.array(expected, np.int32))


@pytest.mark.parametrize("size", [1, 16, 512])
def test_scan_feeds_others(size):
    x = np.random.default_rng(9).integers(-5, 5, size).astype(np.int32)
    out, total = np.zeros(size, np.int32), np.zeros(1, np.int32)
    scan_then_reduce[(1, )](x, out, total, BLOCK=size)
    sums = x.cumsum(dtype=np.int32)
    assert_same(out, (sums - sums.max())[::-1].cumsum(dtype=np.int32)[::-1].copy())
    assert total[0] == sums.sum()
