"""Calls among jit functions: tuples in and out, defaults, keywords, constants, pointers, recursion depth, arguments."""

from collections import namedtuple

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import assert_close, assert_same, random_values

SCALE: tl.constexpr = tl.constexpr(3)
Pair = namedtuple("Pair", ["low", "high"])


@triton.jit
def square(x):
    return x * x


@triton.jit
def sum_and_difference(a, b):
    return a + b, a - b


@triton.jit
def nested(a, b):
    total, difference = sum_and_difference(square(a), square(b))
    return total, (difference, square(difference))


@triton.jit
def load_row(ptr, row, stride, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    return tl.load(ptr + row * stride + at, mask=at < stride, other=0)


@triton.jit
def scaled(x, factor=2, offset: tl.constexpr = 1):
    return x * factor + offset


@triton.jit
def clip_sign(x):
    """Returns from several branches on a scalar."""
    if x > 10:
        return 1
    elif x < -10:
        return -1
    return 0


@triton.jit
def store_twice(ptr, at, value):
    tl.store(ptr + 2 * at, value)
    tl.store(ptr + 2 * at + 1, value)


@triton.jit(noinline=True)
def cube(x):
    return x * x * x


@triton.jit
def use_nested(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x = load_row(x_ptr, 0, n, BLOCK)
    y = load_row(y_ptr, 0, n, BLOCK=BLOCK)
    total, (difference, squared) = nested(x, y)
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, total, mask=at < n)
    tl.store(out_ptr + n + at, difference, mask=at < n)
    tl.store(out_ptr + 2 * n + at, squared, mask=at < n)


@triton.jit
def use_defaults(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, scaled(x))
    tl.store(out_ptr + BLOCK + at, scaled(x, offset=5))
    tl.store(out_ptr + 2 * BLOCK + at, scaled(x, x, 0) * SCALE)


@triton.jit
def use_returns(x_ptr, out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, clip_sign(tl.load(x_ptr + pid)))


@triton.jit
def use_side_effects(out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    store_twice(out_ptr, at, at * at)


@triton.jit
def use_noinline(x_ptr, out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, cube(tl.load(x_ptr + pid)) + cube(pid))


@triton.jit
def same_function_many_types(i8_ptr, f32_ptr, i64_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = square(tl.load(i8_ptr + at))
    b = square(tl.load(f32_ptr + at))
    c = square(tl.load(i64_ptr + at))
    tl.static_assert(a.dtype == tl.int8 and b.dtype == tl.float32 and c.dtype == tl.int64)
    tl.store(out_ptr + at, a + b + c + square(BLOCK))


@triton.jit
def tuples(out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = (at, at * 2, n)
    first, second, third = values
    tl.store(out_ptr + at, first + second * third)
    tl.store(out_ptr + BLOCK + at, values[0] - values[-1])
    tl.static_assert(len(values) == 3)
    pair = (second, first)
    for _ in range(n):
        pair = (pair[1] + 1, pair[0] + 2)
    tl.store(out_ptr + 2 * BLOCK + at, pair[0] * 100 + pair[1])


@triton.jit
def tuple_argument(arrays, out_ptr, sizes, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for i in tl.static_range(len(arrays)):
        acc += tl.load(arrays[i] + at, mask=at < sizes[i], other=0.0)
    tl.store(out_ptr + at, acc)


@triton.jit
def named_tuple_argument(limits, x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.where((x >= limits.low) & (x < limits.high), x, 0))


@triton.jit
def rotate_tuple(x_ptr, out_ptr, steps, COUNT: tl.constexpr):
    """Blocks of three shapes, many of them carried by one loop and changing places in it."""
    at = tl.arange(0, 16)
    state = ()
    for i in tl.static_range(COUNT):
        state = state + (tl.load(x_ptr + i * 16 + at), )
    corner = tl.load(x_ptr + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :])
    total = tl.load(x_ptr)
    for _ in range(steps):
        state = state[1:] + (state[0] + tl.sum(state[COUNT - 1], 0), )
        corner = tl.trans(corner) + total
        total = total + 1
    for i in tl.static_range(COUNT):
        tl.store(out_ptr + i * 16 + at, state[i])
    tl.store(out_ptr + COUNT * 16 + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :], corner + total)


@triton.jit
def constant_shapes(out_ptr, SHAPE: tl.constexpr, NAME: tl.constexpr, KIND: tl.constexpr):
    rows: tl.constexpr = SHAPE[0]
    cols: tl.constexpr = SHAPE[1]
    value = tl.full([rows, cols], 1, KIND)
    if NAME == "double":
        value += value
    tl.store(out_ptr + tl.arange(0, rows)[:, None] * cols + tl.arange(0, cols)[None, :], value)


@triton.jit
def apply(x_ptr, out_ptr, FN: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, FN(tl.load(x_ptr + at)))


@triton.jit
def optional_bias(x_ptr, bias_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    if bias_ptr is not None:
        x += tl.load(bias_ptr + at)
    tl.store(out_ptr + at, x)


@triton.jit
def scalar_kinds(out_ptr, small, large, fraction, flag, one):
    tl.store(out_ptr, small)
    tl.store(out_ptr + 1, large)
    tl.store(out_ptr + 2, fraction)
    tl.store(out_ptr + 3, flag)
    tl.store(out_ptr + 4, one)
    tl.store(out_ptr + 5, small * one + large)


@triton.jit
def grid_shape(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    nx, ny, nz = tl.num_programs(0), tl.num_programs(1), tl.num_programs(2)
    tl.store(out_ptr + x + nx * (y + ny * z), x + 100 * y + 10000 * z + 1000000 * (nx + ny + nz))


@pytest.mark.parametrize("n", [1, 100, 128])
def test_nested_calls_and_tuple_returns(n):
    x, y = (random_values(n, "int32", seed) % 100 for seed in (1, 2))
    out = np.zeros((3, n), np.int32)
    use_nested[(1, )](x, y, out, n, BLOCK=128)
    difference = x * x - y * y
    assert_same(out, np.stack([x * x + y * y, difference, difference * difference]))


def test_defaults_and_keywords():
    x = np.arange(16, dtype=np.int32)
    out = np.zeros((3, 16), np.int32)
    use_defaults[(1, )](x, out, BLOCK=16)
    assert_same(out, np.stack([2 * x + 1, 2 * x + 5, x * x * 3]))


def test_returns_from_branches():
    x = np.array([50, 10, 0, -10, -11], np.int32)
    out = np.full(5, 9, np.int32)
    use_returns[(5, )](x, out)
    assert out.tolist() == [1, 0, 0, 0, -1]


def test_side_effects_of_a_callee():
    out = np.zeros(64, np.int32)
    use_side_effects[(1, )](out, BLOCK=32)
    assert_same(out, np.repeat(np.arange(32, dtype=np.int32)**2, 2))


def test_noinline():
    x = np.arange(8, dtype=np.float32)
    out = np.zeros(8, np.float32)
    use_noinline[(8, )](x, out)
    assert_same(out, x**3 + np.arange(8, dtype=np.float32)**3)


def test_one_function_for_many_types():
    small, real, large = np.full(8, 20, np.int8), np.full(8, 1.5, np.float32), np.full(8, 2**20, np.int64)
    out = np.zeros(8, np.float64)
    same_function_many_types[(1, )](small, real, large, out, BLOCK=8)
    wrapped = np.int8((20 * 20 + 128) % 256 - 128)
    expected = np.float32(wrapped) + np.float32(2.25)
    expected = np.float32(expected + np.float32(2.0**40)) + np.float32(64)
    assert_same(out, np.full(8, np.float64(np.float32(expected))))


@pytest.mark.parametrize("n", [2, 5])
def test_tuples_in_the_kernel(n):
    out = np.zeros((3, 16), np.int32)
    tuples[(1, )](out, n, BLOCK=16)
    at = np.arange(16, dtype=np.int32)
    pair = (2 * at, at)
    for _ in range(n):
        pair = (pair[1] + 1, pair[0] + 2)
    assert_same(out, np.stack([at + 2 * at * n, at - n, pair[0] * 100 + pair[1]]).astype(np.int32))


@pytest.mark.parametrize("count", [1, 2, 3, 6, 12, 24, 48])
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_tuple_carried_by_a_loop(count, steps):
    x = np.arange(count * 16, dtype=np.int64).reshape(count, 16)
    out = np.zeros(count * 16 + 16, np.int64)
    rotate_tuple[(1, )](x, out, steps, COUNT=count)
    state, corner, total = list(x), x[0].reshape(4, 4), 0
    for _ in range(steps):
        state = [*state[1:], state[0] + state[-1].sum()]
        corner, total = corner.T + total, total + 1
    assert_same(out, np.concatenate([*state, (corner + total).ravel()]))


def test_tuple_of_arrays():
    arrays = tuple(random_values(n, "float32", n) for n in (5, 16, 9))
    out = np.zeros(16, np.float32)
    tuple_argument[(1, )](arrays, out, (5, 16, 9), BLOCK=16)
    expected = np.zeros(16, np.float32)
    for array in arrays:
        expected[:array.size] += array
    assert_close(out, expected, rtol=1e-6, atol=1e-6)


def test_named_tuple_of_scalars():
    x = np.arange(32, dtype=np.int32)
    out = np.zeros(32, np.int32)
    named_tuple_argument[(1, )](Pair(low=5, high=20), x, out, BLOCK=32)
    assert_same(out, np.where((x >= 5) & (x < 20), x, 0).astype(np.int32))


@pytest.mark.parametrize("name, value", [("double", 2), ("single", 1)])
@pytest.mark.parametrize("kind", ["int32", "float32", "float16"])
def test_constants_of_any_kind(name, value, kind):
    out = np.zeros((4, 8), kind)
    constant_shapes[(1, )](out, SHAPE=(4, 8), NAME=name, KIND=getattr(tl, kind))
    assert (out == value).all()


def test_function_as_a_constant():
    x = np.arange(8, dtype=np.int32)
    squares, doubles = np.zeros(8, np.int32), np.zeros(8, np.int32)
    apply[(1, )](x, squares, FN=square, BLOCK=8)
    apply[(1, )](x, doubles, FN=scaled, BLOCK=8)
    assert_same(squares, x * x)
    assert_same(doubles, 2 * x + 1)


def test_none_as_a_pointer():
    x, bias = random_values(16, "float32", 3), random_values(16, "float32", 4)
    with_bias, without = np.zeros(16, np.float32), np.zeros(16, np.float32)
    optional_bias[(1, )](x, bias, with_bias, BLOCK=16)
    optional_bias[(1, )](x, None, without, BLOCK=16)
    assert_same(with_bias, x + bias)
    assert_same(without, x)


@pytest.mark.parametrize("small, large", [(0, 2**31), (-7, -2**40), (16, 2**50), (1, 2**31 - 2)])
def test_scalar_arguments(small, large):
    out = np.zeros(6, np.float64)
    scalar_kinds[(1, )](out, small, large, 0.25, True, 1)
    assert out.tolist() == [small, large, 0.25, 1, 1, small + large]


@pytest.mark.parametrize("grid", [(1, ), (5, ), (3, 4), (2, 3, 4), (1, 1, 7), (1000, )])
def test_program_ids(grid):
    out = np.zeros(int(np.prod(grid)), np.int64)
    grid_shape[grid](out)
    nx, ny, nz = (*grid, 1, 1)[:3]
    expected = [x + 100 * y + 10000 * z + 1000000 * (nx + ny + nz)
                for z in range(nz) for y in range(ny) for x in range(nx)]
    assert out.tolist() == expected
