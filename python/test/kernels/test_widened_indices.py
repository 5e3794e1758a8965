"""Integers of 32 bits that wrap inside of a block and are then widened, compared or divided."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import assert_same

BLOCK = 64
LAST = 2**31 - 1
STARTS = [0, 5, LAST - 8, LAST, LAST - BLOCK + 1, LAST - BLOCK, -(2**31), -(2**31) + 3]


@triton.jit
def widened(out_ptr, start, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, (start + i).to(tl.int64) * 3 + 1)


@triton.jit
def widened_sum(out_ptr, start, BLOCK: tl.constexpr):
    tl.store(out_ptr, tl.sum((start + tl.arange(0, BLOCK)).to(tl.int64)))


@triton.jit
def widened_product(out_ptr, factor, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, (factor * i).to(tl.int64))


@triton.jit
def compared(out_ptr, start, limit, WIDE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = start + i
    if WIDE:
        x = x.to(tl.int64)
    tl.store(out_ptr + i, 1, mask=x < limit)


@triton.jit
def remainders(table_ptr, out_ptr, start, divisor, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    r = (start + i) % divisor
    tl.store(out_ptr + i, tl.load(table_ptr + r, mask=r >= 0, other=-1))


@triton.jit
def address_and_value(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    live = i < n
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=live) + i, mask=live)


def wrapped(values):
    return np.asarray(values, np.int64).astype(np.int32).astype(np.int64)


@pytest.mark.parametrize("start", STARTS)
def test_sums(start):
    out, total = np.zeros(BLOCK, np.int64), np.zeros(1, np.int64)
    widened[(1,)](out, start, BLOCK=BLOCK)
    widened_sum[(1,)](total, start, BLOCK=BLOCK)
    expected = wrapped(start + np.arange(BLOCK))
    assert_same(out, expected * 3 + 1)
    assert total[0] == expected.sum()


@pytest.mark.parametrize("factor", [3, -7, 2**28 + 1, 1103515245])
def test_products_with_a_number_known_at_run_time(factor):
    out = np.zeros(BLOCK, np.int64)
    widened_product[(1,)](out, factor, BLOCK=BLOCK)
    assert_same(out, wrapped(factor * np.arange(BLOCK, dtype=np.int64)))


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("limit", [LAST, LAST - 2, 20, -5, -(2**31) + 10])
def test_masks(start, limit, wide):
    out = np.zeros(BLOCK, np.int64)
    compared[(1,)](out, start, limit, WIDE=wide, BLOCK=BLOCK)
    assert_same(out, (wrapped(start + np.arange(BLOCK)) < limit).astype(np.int64))


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("divisor", [7, 100])
def test_remainders(start, divisor):
    table, out = np.arange(divisor, dtype=np.int64) * 10, np.zeros(BLOCK, np.int64)
    remainders[(1,)](table, out, start, divisor, BLOCK=BLOCK)
    r = np.fmod(wrapped(start + np.arange(BLOCK)), divisor)
    assert_same(out, np.where(r >= 0, table[np.maximum(r, 0)], -1))


def test_addresses_of_neighbours_stay_neighbours():
    x, out = np.arange(200, dtype=np.int64) * 7, np.zeros(200, np.int64)
    kernel = address_and_value[(4,)](x, out, 190, BLOCK=BLOCK)
    assert_same(out, np.where(np.arange(200) < 190, x + np.arange(200), 0))
    if kernel is not None:  # an interpreted launch has no code
        assert "gather" not in kernel.asm["llir"] and "scatter" not in kernel.asm["llir"]
