"""Branches and loops: what they carry, how they nest, early return, zero trips, data-dependent exits."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import assert_close, assert_same, random_values


@triton.jit
def choose_branch(x_ptr, out_ptr, mode, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    if mode == 0:
        y = x + 1
    elif mode == 1:
        y = x * 2
    elif mode < 0:
        y = tl.zeros_like(x)
    else:
        y = -x
    tl.store(out_ptr + at, y, mask=at < n)


@triton.jit
def update_in_branch(x_ptr, out_ptr, limit, BLOCK: tl.constexpr):
    """Only some branches assign; `count` and `x` keep their old value on the others."""
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    count = 0
    if tl.sum(x, 0) > limit:
        x = x - 1
        count += 1
        if tl.max(x, 0) > limit:
            x = x * 10
            count = count + 10
    else:
        if limit > 100:
            count = 100
    tl.store(out_ptr + at, x)
    tl.store(out_ptr + BLOCK, count)


@triton.jit
def return_early(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    if pid % 3 == 1:
        return
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    if tl.max(x, axis=0) < 0:
        tl.store(out_ptr + at, x * 0 - 1, mask=at < n)
        return
    tl.store(out_ptr + at, x * 2, mask=at < n)


@triton.jit
def return_in_both_branches(out_ptr, flag):
    tl.store(out_ptr, 1)
    if flag > 0:
        tl.store(out_ptr + 1, 2)
        if flag > 10:
            return
        tl.store(out_ptr + 2, 3)
    else:
        return
    tl.store(out_ptr + 3, 4)


@triton.jit
def sum_range(out_ptr, start, stop, step):
    total = tl.full((), 0, tl.int64)
    for i in range(start, stop, step):
        total += i
    tl.store(out_ptr, total)


@triton.jit
def count_down(out_ptr, start, STEP: tl.constexpr):
    slot = 0
    for i in range(start, 0, STEP):
        tl.store(out_ptr + slot, i)
        slot += 1  # noqa: SIM113


@triton.jit
def carry_many(x_ptr, out_ptr, steps, BLOCK: tl.constexpr):
    """Tensor, scalars of two types and a pointer, all loop-carried, with a swap among them."""
    at = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    previous = tl.full([BLOCK], 1.0, tl.float32)
    pointer = x_ptr + at
    weight = 1.0
    count = 0
    for _ in range(steps):
        x = tl.load(pointer)
        acc, previous = acc + x * weight + previous * 0.5, acc
        pointer += BLOCK
        weight = weight * 0.5
        count += 2
    tl.store(out_ptr + at, acc)
    tl.store(out_ptr + BLOCK + at, previous)
    tl.store(out_ptr + 2 * BLOCK, weight)
    tl.store(out_ptr + 2 * BLOCK + 1, count)


@triton.jit
def nested_loops(x_ptr, out_ptr, rows, cols, BLOCK: tl.constexpr):
    """Sums of squares of ragged rows: inner bounds depend on the outer variable."""
    total = tl.zeros([BLOCK], tl.int32)
    for r in range(rows):
        row = tl.zeros([BLOCK], tl.int32)
        for c in range(r, cols, BLOCK):
            at = c + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + r * cols + at, mask=at < cols, other=0)
            for _ in range(2):
                row += x * x
        tl.store(out_ptr + 1 + r, tl.sum(row, 0))
        total += row
    tl.store(out_ptr, tl.sum(total, 0))


@triton.jit
def collatz(start_ptr, steps_ptr):
    n = tl.load(start_ptr + tl.program_id(0))
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(steps_ptr + tl.program_id(0), steps)


@triton.jit
def newton_root(x_ptr, out_ptr, rounds_ptr, n, BLOCK: tl.constexpr):
    """A while loop over tensors that ends when the worst lane has converged."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=1.0)
    root = tl.maximum(x, 1.0)
    error = tl.max(tl.abs(root * root - x) / root, 0)
    rounds = 0
    while (error > 1e-5) & (rounds < 50):
        root = 0.5 * (root + x / root)
        error = tl.max(tl.abs(root * root - x) / root, 0)
        rounds += 1
    tl.store(out_ptr + at, root, mask=at < n)
    tl.store(rounds_ptr + tl.program_id(0), rounds)


@triton.jit
def mandelbrot(out_ptr, width, limit, BLOCK: tl.constexpr):
    """Lanes leave at different times; finished ones are frozen by `where`."""
    y = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    cr = -2.0 + 3.0 * at.to(tl.float32) / width
    ci = -1.0 + 2.0 * y.to(tl.float32) / tl.num_programs(0)
    zr = tl.zeros([BLOCK], tl.float32)
    zi = tl.zeros([BLOCK], tl.float32)
    steps = tl.zeros([BLOCK], tl.int32)
    alive = at < width
    i = 0
    while i < limit and tl.max(alive.to(tl.int32), 0) > 0:
        alive = alive & (zr * zr + zi * zi <= 4.0)
        nr = zr * zr - zi * zi + cr
        zi = tl.where(alive, 2.0 * zr * zi + ci, zi)
        zr = tl.where(alive, nr, zr)
        steps += alive.to(tl.int32)
        i += 1
    tl.store(out_ptr + y * width + at, steps, mask=at < width)


@triton.jit
def unrolled(x_ptr, out_ptr, N: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for i in tl.static_range(N):
        if i % 2 == 0:
            acc += tl.load(x_ptr + i * BLOCK + at) * (i + 1)
        else:
            acc -= tl.load(x_ptr + i * BLOCK + at)
    for i in tl.static_range(N - 1, -1, -2):
        acc += 2**i
    tl.store(out_ptr + at, acc)


@triton.jit
def hinted_loop(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], tl.float32)
    for start in tl.range(0, n, BLOCK, num_stages=3, loop_unroll_factor=2):
        at = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.store(out_ptr, tl.sum(acc, 0))


@triton.jit
def branch_in_loop(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """A loop whose carried values are defined through branches on data."""
    largest = tl.load(x_ptr)
    ups = 0
    downs = 0
    previous = largest
    for i in range(1, n):
        x = tl.load(x_ptr + i)
        if x > previous:
            ups += 1
            if x > largest:
                largest = x
        elif x < previous:
            downs += 1
        previous = x
    tl.store(out_ptr, largest)
    tl.store(out_ptr + 1, ups)
    tl.store(out_ptr + 2, downs)


@triton.jit
def ternary_and_logic(out_ptr, a, b, FLAG: tl.constexpr):
    tl.store(out_ptr, a if a > b else b)
    tl.store(out_ptr + 1, 1 if FLAG else 2)
    if a > 0 and b > 0:
        tl.store(out_ptr + 2, 1)
    if a > 0 or b > 0:
        tl.store(out_ptr + 3, 1)
    if not a > b:
        tl.store(out_ptr + 4, 1)
    if FLAG is None:
        tl.store(out_ptr + 5, 1)


@triton.jit
def store_in_branch(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Whole-block fast path, masked slow path."""
    first = tl.program_id(0) * BLOCK
    at = first + tl.arange(0, BLOCK)
    if first + BLOCK <= n:
        tl.store(out_ptr + at, tl.load(x_ptr + at) + 1)
    else:
        tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)


@triton.jit
def fibonacci_tensor(out_ptr, steps, BLOCK: tl.constexpr):
    a = tl.arange(0, BLOCK).to(tl.int64)
    b = a + 1
    for _ in range(steps):
        a, b = b, a + b
    tl.store(out_ptr + tl.arange(0, BLOCK), a)


@triton.jit
def two_dimensional_carry(x_ptr, out_ptr, steps, SIZE: tl.constexpr):
    """A matrix that is transposed and shifted in every round of the loop."""
    at = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    x = tl.load(x_ptr + at)
    for i in range(steps):
        x = tl.trans(x) + tl.arange(0, SIZE)[None, :] * i
    tl.store(out_ptr + at, x)


@pytest.mark.parametrize("mode, expected", [(0, lambda x: x + 1), (1, lambda x: x * 2), (-4, lambda x: x * 0),
                                            (5, lambda x: -x)])
def test_branches(mode, expected):
    x = random_values(100, "float32", 1)
    out = np.zeros_like(x)
    choose_branch[(2, )](x, out, mode, 100, BLOCK=64)
    assert_same(out, expected(x))


@pytest.mark.parametrize("limit", [-1000, 3, 50, 101])
def test_variables_assigned_in_some_branches(limit):
    x = np.arange(8, dtype=np.int32)
    out = np.zeros(9, np.int32)
    update_in_branch[(1, )](x, out, limit, BLOCK=8)
    y, count = x.copy(), 0
    if y.sum() > limit:
        y, count = y - 1, 1
        if y.max() > limit:
            y, count = y * 10, 11
    elif limit > 100:
        count = 100
    assert out.tolist() == [*y, count]


def test_early_return():
    n, block = 300, 32
    x = random_values(n, "float32", 2)
    x[64:96] = -np.abs(x[64:96])
    out = np.full(n, 99, np.float32)
    return_early[(triton.cdiv(n, block), )](x, out, n, BLOCK=block)
    for pid in range(triton.cdiv(n, block)):
        part = slice(pid * block, min(n, (pid + 1) * block))
        padded = np.zeros(block, np.float32)
        padded[:x[part].size] = x[part]
        expected = 99 if pid % 3 == 1 else -1 if padded.max() < 0 else 2 * x[part]
        assert (out[part] == expected).all()


@pytest.mark.parametrize("flag, expected", [(-1, [1, 0, 0, 0]), (5, [1, 2, 3, 4]), (50, [1, 2, 0, 0])])
def test_return_in_both_branches(flag, expected):
    out = np.zeros(4, np.int32)
    return_in_both_branches[(1, )](out, flag)
    assert out.tolist() == expected


@pytest.mark.parametrize("start, stop, step", [(0, 10, 1), (5, 5, 1), (7, 3, 2), (-9, 20, 4), (0, 1, 100),
                                               (2**33, 2**33 + 50, 7)])
def test_loop_bounds(start, stop, step):
    out = np.zeros(1, np.int64)
    sum_range[(1, )](out, start, stop, step)
    assert out[0] == sum(range(start, stop, step))


@pytest.mark.parametrize("start, step", [(10, -1), (10, -3), (0, -1), (1, -5)])
def test_negative_step(start, step):
    out = np.zeros(16, np.int32)
    count_down[(1, )](out, start, STEP=step)
    expected = list(range(start, 0, step))
    assert out.tolist() == expected + [0] * (16 - len(expected))


@pytest.mark.parametrize("steps", [0, 1, 2, 7])
@pytest.mark.parametrize("block", [1, 16, 256])
def test_carried_values(steps, block):
    x = random_values((max(steps, 1), block), "float32", 3)
    out = np.zeros(2 * block + 2, np.float32)
    carry_many[(1, )](x, out, steps, BLOCK=block)
    acc, previous, weight = np.zeros(block), np.ones(block), 1.0
    for i in range(steps):
        acc, previous = acc + x[i] * weight + previous * 0.5, acc
        weight *= 0.5
    assert_close(out, np.concatenate([acc, previous, [weight, 2 * steps]]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("rows, cols", [(0, 5), (1, 1), (5, 3), (9, 70)])
def test_nested_loops(rows, cols):
    x = np.random.default_rng(4).integers(-20, 20, (rows, cols)).astype(np.int32)
    out = np.zeros(rows + 1, np.int32)
    nested_loops[(1, )](x, out, rows, cols, BLOCK=16)
    expected = [2 * int((x[r, r:]**2).sum()) for r in range(rows)]
    assert out.tolist() == [sum(expected), *expected]


def test_while_over_scalars():
    starts = np.arange(1, 60, dtype=np.int64)
    steps = np.zeros(starts.size, np.int32)
    collatz[(starts.size, )](starts, steps)

    def length(n):
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        return count

    assert steps.tolist() == [length(int(n)) for n in starts]


def test_while_over_tensors():
    x = np.concatenate([np.linspace(0.01, 3, 70), [1e4, 1.0]]).astype(np.float32)
    out, rounds = np.zeros_like(x), np.zeros(3, np.int32)
    newton_root[(3, )](x, out, rounds, x.size, BLOCK=32)
    assert_close(out, np.sqrt(x.astype(np.float64)), rtol=1e-4)
    assert (rounds > 0).all() and (rounds < 50).all() and rounds[2] > rounds[0]


def test_lanes_that_leave_at_different_times():
    width, height, limit = 50, 20, 40
    out = np.zeros((height, width), np.int32)
    mandelbrot[(height, )](out, width, limit, BLOCK=64)
    f = np.float32
    cr = f(-2) + f(3) * np.arange(width, dtype=np.float32) / f(width)
    ci = f(-1) + f(2) * np.arange(height, dtype=np.float32)[:, None] / f(height)
    c = cr.astype(np.float64) + 1j * ci.astype(np.float64)
    z, steps, alive = np.zeros_like(c), np.zeros(c.shape, int), np.ones(c.shape, bool)
    for _ in range(limit):
        alive &= np.abs(z)**2 <= 4
        steps += alive
        z = np.where(alive, z * z + c, z)
    assert (out == steps).mean() > 0.97  # orbits on the boundary may differ by rounding


@pytest.mark.parametrize("count", [1, 2, 5])
def test_static_range(count):
    x = np.random.default_rng(5).integers(-9, 9, (count, 32)).astype(np.float32)
    out = np.zeros(32, np.float32)
    unrolled[(1, )](x, out, N=count, BLOCK=32)
    expected = sum(x[i] * (i + 1) if i % 2 == 0 else -x[i] for i in range(count))
    assert_same(out, (expected + sum(2**i for i in range(count - 1, -1, -2))).astype(np.float32))


@pytest.mark.parametrize("n", [0, 1, 64, 1000])
def test_loop_hints_change_nothing(n):
    x = np.random.default_rng(6).integers(-9, 9, max(n, 1)).astype(np.float32)
    out = np.ones(1, np.float32)
    hinted_loop[(1, )](x, out, n, BLOCK=64)
    assert out[0] == x[:n].sum()


@pytest.mark.parametrize("n", [1, 2, 500])
def test_branches_on_data_in_a_loop(n):
    x = np.random.default_rng(7).integers(0, 50, n).astype(np.int32)
    out = np.zeros(3, np.int32)
    branch_in_loop[(1, )](x, out, n, BLOCK=1)
    assert out.tolist() == [x.max(), (np.diff(x) > 0).sum(), (np.diff(x) < 0).sum()]


@pytest.mark.parametrize("flag", [True, False, None])
@pytest.mark.parametrize("a, b", [(5, 3), (-5, 3), (-5, -3)])
def test_ternary_and_boolean_operators(a, b, flag):
    out = np.zeros(6, np.int32)
    ternary_and_logic[(1, )](out, a, b, FLAG=flag)
    expected = [max(a, b), 1 if flag else 2, a > 0 and b > 0, a > 0 or b > 0, not a > b, flag is None]
    assert out.tolist() == [int(value) for value in expected]


@pytest.mark.parametrize("n", [1, 64, 100, 128])
def test_fast_and_slow_path(n):
    x = random_values(n, "float32", 8)
    out = np.zeros_like(x)
    store_in_branch[(triton.cdiv(n, 64), )](x, out, n, BLOCK=64)
    assert_same(out, x + 1)


@pytest.mark.parametrize("steps", [0, 1, 30])
def test_swapped_tensors(steps):
    out = np.zeros(16, np.int64)
    fibonacci_tensor[(1, )](out, steps, BLOCK=16)
    a, b = np.arange(16), np.arange(16) + 1
    for _ in range(steps):
        a, b = b, a + b
    assert_same(out, a.astype(np.int64))


@pytest.mark.parametrize("size, steps", [(1, 3), (8, 1), (32, 4)])
def test_matrix_carried_through_transposes(size, steps):
    x = random_values((size, size), "int32", 9) // 100
    out = np.zeros_like(x)
    two_dimensional_carry[(1, )](x, out, steps, SIZE=size)
    for i in range(steps):
        x = x.T + np.arange(size, dtype=np.int32)[None, :] * i
    assert_same(out, np.ascontiguousarray(x.astype(np.int32)))
