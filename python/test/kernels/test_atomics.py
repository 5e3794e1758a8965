"""Histograms and every atomic operation, with all programs of the grid contending for the same words."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import assert_same, make, random_values, read


@triton.jit
def count_into_bins(x_ptr, bins_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.atomic_add(bins_ptr + x % BINS, 1, mask=at < n)


@triton.jit
def count_locally(x_ptr, bins_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    """``tl.histogram`` of the block, then one atomic per bin."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    counts = tl.histogram(x, BINS, mask=at < n)
    tl.atomic_add(bins_ptr + tl.arange(0, BINS), counts)


@triton.jit
def combine(x_ptr, cells_ptr, n, CELLS: tl.constexpr, OP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    cells = cells_ptr + at % CELLS
    if OP == "add":
        tl.atomic_add(cells, x, mask=live)
    elif OP == "max":
        tl.atomic_max(cells, x, mask=live)
    elif OP == "min":
        tl.atomic_min(cells, x, mask=live)
    elif OP == "and":
        tl.atomic_and(cells, x, mask=live)
    elif OP == "or":
        tl.atomic_or(cells, x, mask=live)
    else:
        tl.static_assert(OP == "xor", "unknown operation")
        tl.atomic_xor(cells, x, mask=live)


@triton.jit
def take_tickets(counter_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Every lane draws a number; the numbers are all different."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ticket = tl.atomic_add(counter_ptr + at * 0, 1, mask=at < n)
    tl.store(out_ptr + at, ticket, mask=at < n)


@triton.jit
def take_scalar_ticket(counter_ptr, out_ptr):
    ticket = tl.atomic_add(counter_ptr, 1)
    tl.store(out_ptr + ticket, tl.program_id(0))


@triton.jit
def exchange(cells_ptr, x_ptr, old_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    live = at < n
    old = tl.atomic_xchg(cells_ptr + at, tl.load(x_ptr + at, mask=live), mask=live)
    tl.store(old_ptr + at, old, mask=live)


@triton.jit
def swap_if_equal(cells_ptr, expected_ptr, new_ptr, old_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    old = tl.atomic_cas(cells_ptr + at, tl.load(expected_ptr + at), tl.load(new_ptr + at))
    tl.store(old_ptr + at, old)


@triton.jit
def add_by_cas(total_ptr, x_ptr):
    """A compare-and-swap loop, the long way to an atomic add."""
    amount = tl.load(x_ptr + tl.program_id(0))
    seen = tl.load(total_ptr)
    found = tl.atomic_cas(total_ptr, seen, seen + amount)
    while found != seen:
        seen = found
        found = tl.atomic_cas(total_ptr, seen, seen + amount)


@triton.jit
def guarded_increment(lock_ptr, value_ptr, times):
    """A plain load and store made safe by a spin lock."""
    for _ in range(times):
        while tl.atomic_cas(lock_ptr, 0, 1, sem="acquire") == 1:
            pass
        tl.store(value_ptr, tl.load(value_ptr) + 1)
        tl.atomic_xchg(lock_ptr, 0, sem="release")


@triton.jit
def sum_everything(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + at, mask=at < n, other=0), 0))


@triton.jit
def old_values(cells_ptr, x_ptr, out_ptr, BLOCK: tl.constexpr):
    """One program, distinct addresses: the results are what the cells held, each used twice."""
    at = tl.arange(0, BLOCK)
    before = tl.atomic_add(cells_ptr + at, tl.load(x_ptr + at))
    tl.store(out_ptr + at, before)
    tl.store(out_ptr + BLOCK + at, before + tl.load(cells_ptr + at))


@pytest.mark.parametrize("kernel", [count_into_bins, count_locally], ids=["atomics", "histogram"])
@pytest.mark.parametrize("bins", [1, 2, 16, 256])
@pytest.mark.parametrize("n, block", [(1, 32), (5000, 64), (100_000, 1024)])
def test_histogram(n, block, bins, kernel):
    x = np.random.default_rng(1).integers(0, bins, n).astype(np.int32)
    counts = np.zeros(bins, np.int32)
    kernel[(triton.cdiv(n, block), )](x, counts, n, BINS=bins, BLOCK=block)
    assert_same(counts, np.bincount(x, minlength=bins).astype(np.int32))


def test_histogram_with_a_program_per_element():
    x = np.random.default_rng(2).integers(0, 4, 20_000).astype(np.int32)
    counts = np.zeros(4, np.int32)
    count_into_bins[(20_000, )](x, counts, 20_000, BINS=4, BLOCK=1)
    assert_same(counts, np.bincount(x, minlength=4).astype(np.int32))


def fold(ufunc, start, x, cells):
    out = start.copy()
    with np.errstate(over="ignore"):
        ufunc.at(out, np.arange(x.size) % cells, x)
    return out


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("op, ufunc", [("add", np.add), ("max", np.maximum), ("min", np.minimum),
                                       ("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)])
def test_integer_operations(op, ufunc, dtype):
    n, cells = 3000, 7
    x, start = random_values(n, dtype, 3), random_values(cells, dtype, 4)
    memory = start.copy()
    combine[(triton.cdiv(n, 64), )](x, memory, n, CELLS=cells, OP=op, BLOCK=64)
    assert_same(memory, fold(ufunc, start, x, cells))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op, ufunc", [("add", np.add), ("max", np.maximum), ("min", np.minimum)])
def test_float_operations(op, ufunc, dtype):
    n, cells = 3000, 5
    x = np.random.default_rng(5).integers(-1000, 1000, n).astype(dtype)  # any order of additions is exact
    start = np.random.default_rng(6).integers(-100, 100, cells).astype(dtype)
    start[0] = -0.0
    memory = start.copy()
    combine[(triton.cdiv(n, 64), )](x, memory, n, CELLS=cells, OP=op, BLOCK=64)
    assert_same(memory, fold(ufunc, start, x, cells))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_float_sums(dtype):
    n, cells = 500, 8
    x = np.random.default_rng(7).integers(-1, 2, n).astype(np.float32)  # partial sums stay exact in 8 bits
    memory = make(np.zeros(cells), dtype)
    combine[(triton.cdiv(n, 32), )](make(x, dtype), memory, n, CELLS=cells, OP="add", BLOCK=32)
    assert_same(read(memory).astype(np.float32), fold(np.add, np.zeros(cells, np.float32), x, cells))


@pytest.mark.parametrize("n, block", [(100, 16), (5000, 128), (1000, 1)])
def test_every_ticket_is_drawn_once(n, block):
    counter, out = np.zeros(1, np.int32), np.full(n, -1, np.int32)
    take_tickets[(triton.cdiv(n, block), )](counter, out, n, BLOCK=block)
    assert counter[0] == n
    assert_same(np.sort(out), np.arange(n, dtype=np.int32))


def test_scalar_tickets():
    counter, out = np.zeros(1, np.int64), np.full(500, -1, np.int32)
    take_scalar_ticket[(500, )](counter, out)
    assert counter[0] == 500
    assert_same(np.sort(out), np.arange(500, dtype=np.int32))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_exchange(dtype):
    cells, x = random_values(100, dtype, 8), random_values(100, dtype, 9)
    memory, old = cells.copy(), np.zeros(100, dtype)
    exchange[(1, )](memory, x, old, 90, BLOCK=128)
    assert_same(memory[:90], x[:90])
    assert_same(memory[90:], cells[90:])
    assert_same(old[:90], cells[:90])


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "int16"])
def test_compare_and_swap(dtype):
    cells, new = random_values(64, dtype, 10), random_values(64, dtype, 11)
    expected = cells.copy()
    expected[::3] ^= 1
    memory, old = cells.copy(), np.zeros(64, dtype)
    swap_if_equal[(1, )](memory, expected, new, old, BLOCK=64)
    assert_same(old, cells)
    assert_same(memory, np.where(expected == cells, new, cells))


def test_compare_and_swap_loop():
    x = np.random.default_rng(12).integers(0, 100, 400).astype(np.int32)
    total = np.zeros(1, np.int32)
    add_by_cas[(400, )](total, x)
    assert total[0] == x.sum()


def test_spin_lock():
    lock, value = np.zeros(1, np.int32), np.zeros(1, np.int32)
    guarded_increment[(200, )](lock, value, 10)
    assert value[0] == 2000 and lock[0] == 0


@pytest.mark.parametrize("dtype", ["int32", "float32", "int64", "float64"])
def test_scalar_atomic_sum(dtype):
    x = np.random.default_rng(13).integers(-50, 50, 10_001).astype(dtype)
    out = np.zeros(1, dtype)
    sum_everything[(triton.cdiv(10_001, 128), )](x, out, 10_001, BLOCK=128)
    assert out[0] == x.sum()


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_old_values_are_read_once(dtype):
    cells = np.arange(32).astype(dtype)
    x = (np.arange(32) * 10).astype(dtype)
    memory, out = cells.copy(), np.zeros(64, dtype)
    old_values[(1, )](memory, x, out, BLOCK=32)
    assert_same(memory, cells + x)
    assert_same(out[:32], cells)
    assert_same(out[32:], 2 * cells + x)
