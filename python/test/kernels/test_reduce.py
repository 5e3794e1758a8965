"""Reductions: every axis of one to three dimensions, dtypes, ties, custom and tuple combine functions."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import FLOATS, assert_close, assert_same, make, random_values, read


@triton.jit
def reduce_vector(x_ptr, out_ptr, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    if OP == "sum":
        y = tl.sum(x, axis=0)
    elif OP == "max":
        y = tl.max(x, axis=0)
    elif OP == "min":
        y = tl.min(x, axis=0)
    elif OP == "xor":
        y = tl.xor_sum(x, axis=0)
    elif OP == "argmax":
        y = tl.argmax(x, axis=0)
    else:
        tl.static_assert(OP == "argmin", "unknown operation")
        y = tl.argmin(x, axis=0)
    tl.store(out_ptr, y)


@triton.jit
def reduce_cube(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr,
                OP: tl.constexpr):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    x = tl.load(x_ptr + (a * B + b) * C + c)
    if OP == "sum":
        y = tl.sum(x, axis=AXIS, keep_dims=True)
    elif OP == "max":
        y = tl.max(x, axis=AXIS, keep_dims=True)
    else:
        y = tl.argmin(x, axis=AXIS, keep_dims=True)
    if AXIS == 0:
        tl.store(out_ptr + b * C + c, y)
    elif AXIS == 1:
        tl.store(out_ptr + a * C + c, y)
    else:
        tl.store(out_ptr + a * B + b, y)


@triton.jit
def reduce_matrix(x_ptr, rows_ptr, cols_ptr, all_ptr, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    x = tl.load(x_ptr + r[:, None] * COLS + c[None, :])
    tl.store(rows_ptr + r, tl.sum(x, axis=1))
    tl.store(cols_ptr + c, tl.sum(x, axis=-2))
    tl.store(all_ptr, tl.sum(x))
    tl.store(all_ptr + 1, tl.sum(tl.sum(x, axis=0), axis=0))
    tl.store(all_ptr + 2, tl.max(tl.sum(x, axis=1), axis=0) - tl.min(x))


@triton.jit
def row_argmax(x_ptr, value_ptr, index_ptr, cols, TIES_LEFT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=-float("inf"))
    value, index = tl.max(x, axis=0, return_indices=True, return_indices_tie_break_left=TIES_LEFT)
    tl.store(value_ptr + row, value)
    tl.store(index_ptr + row, index)


@triton.jit
def column_argmax(x_ptr, index_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.arange(0, ROWS)[:, None]
    c = tl.program_id(0) * COLS + tl.arange(0, COLS)
    x = tl.load(x_ptr + r * cols + c[None, :], mask=(r < rows) & (c < cols)[None, :], other=-float("inf"))
    tl.store(index_ptr + c, tl.argmax(x, axis=0), mask=c < cols)


@triton.jit
def running_argmax(x_ptr, value_ptr, index_ptr, cols, BLOCK: tl.constexpr):
    """Rows longer than the block: the best so far is carried as two scalars."""
    row = tl.program_id(0)
    best = -float("inf")
    where = 0
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=-float("inf"))
        value, index = tl.max(x, axis=0, return_indices=True)
        if value > best:
            best = value
            where = start + index
    tl.store(value_ptr + row, best)
    tl.store(index_ptr + row, where)


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def keep_larger_magnitude(a, b):
    return tl.where(tl.abs(a) >= tl.abs(b), a, b)


@triton.jit
def merge_moments(mean_a, m2_a, count_a, mean_b, m2_b, count_b):
    """Welford: mean and squared deviation of two disjoint samples joined; an empty one changes nothing."""
    count = count_a + count_b
    share = tl.where(count == 0.0, 0.0, count_b / count)
    delta = mean_b - mean_a
    return mean_a + delta * share, m2_a + m2_b + delta * delta * count_a * share, count


@triton.jit
def merge_softmax(top_a, total_a, top_b, total_b):
    top = tl.maximum(top_a, top_b)
    return top, total_a * tl.exp(top_a - top) + total_b * tl.exp(top_b - top)


@triton.jit
def custom(x_ptr, product_ptr, magnitude_ptr, ROWS: tl.constexpr, COLS: tl.constexpr, AXIS: tl.constexpr):
    r = tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    x = tl.load(x_ptr + r[:, None] * COLS + c[None, :])
    out = c if AXIS == 0 else r
    tl.store(product_ptr + out, tl.reduce(x, AXIS, multiply))
    tl.store(magnitude_ptr + out, tl.reduce(x, AXIS, keep_larger_magnitude))


@triton.jit
def moments(x_ptr, mean_ptr, variance_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    live = c < cols
    x = tl.load(x_ptr + row * cols + c, mask=live, other=0.0)
    mean, m2, count = tl.reduce((x, tl.zeros_like(x), live.to(tl.float32)), 0, merge_moments)
    tl.store(mean_ptr + row, mean)
    tl.store(variance_ptr + row, m2 / count)


@triton.jit
def log_sum_exp(x_ptr, out_ptr, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    x = tl.load(x_ptr + r[:, None] * COLS + c[None, :])
    top, total = tl.reduce((x, tl.full([ROWS, COLS], 1.0, tl.float32)), 1, merge_softmax)
    tl.store(out_ptr + r, top + tl.log(total))


@triton.jit
def reduce_of_reduce(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    """Reduced values flow back into expressions of the full shape."""
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    at = (a * B + b) * C + c
    x = tl.load(x_ptr + at)
    x = x - tl.max(x, axis=2, keep_dims=True)
    x = x + tl.expand_dims(tl.sum(x, axis=0), 0)
    tl.store(out_ptr + at, x * tl.min(tl.max(x, axis=1), axis=1)[:, None, None])


def run_vector(x, dtype, op, result):
    out = make(np.zeros(1), result)
    reduce_vector[(1, )](make(x, dtype), out, x.size, OP=op, BLOCK=x.size)
    return read(out)


SIZES = [1, 2, 4, 16, 64, 1024, 65536]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", SIZES)
def test_float_sum(size, dtype):
    x = np.random.default_rng(1).integers(-2, 3, size).astype(np.float32)
    if dtype in ("float16", "bfloat16"):
        x[128:] = 0  # keeps every partial sum exact in 8 bits
    assert_close(run_vector(x, dtype, "sum", dtype), [x.sum()], rtol=0)


def test_float_sum_accuracy():
    x = np.random.default_rng(2).uniform(0, 1, 65536).astype(np.float32)
    assert_close(run_vector(x, "float32", "sum", "float32"), [x.astype(np.float64).sum()], rtol=1e-5)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize("size", [1, 32, 1024])
def test_integer_reductions(size, dtype):
    x = random_values(size, dtype, 3)
    wide = {"i": "int32", "u": "uint32"}[x.dtype.kind] if x.itemsize < 4 else dtype
    with np.errstate(over="ignore"):
        assert_same(run_vector(x, dtype, "sum", wide), x.sum(dtype=wide, keepdims=True))
    assert_same(run_vector(x, dtype, "max", dtype), x.max(keepdims=True))
    assert_same(run_vector(x, dtype, "min", dtype), x.min(keepdims=True))
    assert_same(run_vector(x, dtype, "xor", dtype), np.bitwise_xor.reduce(x, keepdims=True))
    assert_same(run_vector(x, dtype, "argmax", "int32"), np.array([x.argmax()], np.int32))
    assert_same(run_vector(x, dtype, "argmin", "int32"), np.array([x.argmin()], np.int32))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [1, 8, 512])
def test_float_extremes(size, dtype):
    x = random_values(size, dtype, 4)
    assert_close(run_vector(x, dtype, "max", dtype), [x.max()], rtol=0)
    assert_close(run_vector(x, dtype, "min", dtype), [x.min()], rtol=0)
    assert run_vector(x, dtype, "argmax", "int32") == x.argmax()
    assert run_vector(x, dtype, "argmin", "int32") == x.argmin()


@pytest.mark.parametrize("op, best, worst", [("max", np.inf, -np.inf), ("min", -np.inf, np.inf)])
def test_extremes_skip_nan_and_see_infinities(op, best, worst):
    x = np.linspace(-1, 1, 256, dtype=np.float32)
    extreme = getattr(x, op)()
    x[[0, 7, 100, 255]] = np.nan
    fold = np.fmax if op == "max" else np.fmin
    assert_close(run_vector(x, "float32", op, "float32"), [fold.reduce(x)], rtol=0)
    x[3] = worst
    assert_close(run_vector(x, "float32", op, "float32"), [fold.reduce(x)], rtol=0)
    x[9] = best
    assert_close(run_vector(x, "float32", op, "float32"), [best], rtol=0)
    assert_close(run_vector(np.full(64, worst, np.float32), "float32", op, "float32"), [worst], rtol=0)
    assert np.isnan(run_vector(np.full(64, np.nan, np.float32), "float32", op, "float32")).all()
    assert np.isfinite(extreme)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("shape", [(4, 8, 16), (16, 4, 2), (1, 32, 1), (2, 1, 64), (1, 1, 1)])
@pytest.mark.parametrize("op, dtype", [("sum", "int32"), ("max", "float32"), ("argmin", "float32"),
                                       ("sum", "float64")])
def test_every_axis_of_a_cube(shape, axis, op, dtype):
    x = random_values(shape, dtype, 5) if dtype != "float64" else np.round(random_values(shape, dtype, 5, 50.0))
    out_dtype = "int32" if op == "argmin" else dtype
    out = np.zeros(x.size // shape[axis], out_dtype)
    reduce_cube[(1, )](x, out, *shape, AXIS=axis, OP=op)
    expected = {"sum": np.sum, "max": np.max, "argmin": np.argmin}[op](x, axis=axis).ravel()
    assert_same(out, expected.astype(out_dtype))


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 64), (64, 1), (8, 128), (128, 16), (256, 256)])
def test_matrix(rows, cols):
    x = np.random.default_rng(6).integers(-100, 100, (rows, cols)).astype(np.float32)
    by_row, by_col, total = np.zeros(rows, np.float32), np.zeros(cols, np.float32), np.zeros(3, np.float32)
    reduce_matrix[(1, )](x, by_row, by_col, total, ROWS=rows, COLS=cols)
    assert_same(by_row, x.sum(1))
    assert_same(by_col, x.sum(0))
    assert total.tolist() == [x.sum(), x.sum(), x.sum(1).max() - x.min()]


@pytest.mark.parametrize("cols", [1, 5, 128, 1000])
@pytest.mark.parametrize("kernel", ["whole row", "running"])
def test_argmax_takes_the_leftmost_of_equal(cols, kernel):
    x = np.random.default_rng(7).integers(0, 4, (20, cols)).astype(np.float32)
    x[3] = -np.inf
    x[4] = 2.0
    value, index = np.zeros(20, np.float32), np.full(20, -1, np.int32)
    if kernel == "running":
        x[3] = 0.0
        running_argmax[(20, )](x, value, index, cols, BLOCK=64)
    else:
        row_argmax[(20, )](x, value, index, cols, TIES_LEFT=True, BLOCK=triton.next_power_of_2(cols))
    assert_same(value, x.max(1))
    assert_same(index, x.argmax(1).astype(np.int32))


def test_argmax_without_a_tie_rule_finds_one_of_the_best():
    x = np.random.default_rng(8).integers(0, 3, (20, 100)).astype(np.float32)
    value, index = np.zeros(20, np.float32), np.full(20, -1, np.int32)
    row_argmax[(20, )](x, value, index, 100, TIES_LEFT=False, BLOCK=128)
    assert_same(value, x.max(1))
    assert_same(x[np.arange(20), index], x.max(1))


@pytest.mark.parametrize("rows, cols", [(1, 1), (50, 37), (64, 64)])
def test_argmax_down_the_columns(rows, cols):
    x = np.random.default_rng(9).integers(0, 5, (rows, cols)).astype(np.float32)
    index = np.full(cols, -1, np.int32)
    column_argmax[(triton.cdiv(cols, 16), )](x, index, rows, cols, ROWS=64, COLS=16)
    assert_same(index, x.argmax(0).astype(np.int32))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("rows, cols", [(1, 1), (4, 32), (32, 2), (16, 16)])
def test_custom_combine(rows, cols, axis):
    x = np.random.default_rng(10).choice([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0], (rows, cols)).astype(np.float32)
    products, magnitudes = (np.zeros(x.size // x.shape[axis], np.float32) for _ in range(2))
    custom[(1, )](x, products, magnitudes, ROWS=rows, COLS=cols, AXIS=axis)
    assert_same(products, x.prod(axis))
    assert_same(np.abs(magnitudes), np.abs(x).max(axis))
    assert np.isin(magnitudes, x).all()


@pytest.mark.parametrize("cols", [1, 100, 128, 1000])
def test_moments_by_tuples(cols):
    x = random_values((6, cols), "float32", 11, 5.0) + 100
    mean, variance = np.zeros(6, np.float32), np.zeros(6, np.float32)
    moments[(6, )](x, mean, variance, cols, BLOCK=triton.next_power_of_2(cols))
    assert_close(mean, x.mean(1, dtype=np.float64), rtol=1e-6)
    assert_close(variance, x.var(1, dtype=np.float64), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("rows, cols", [(1, 1), (8, 64), (4, 1024)])
def test_log_sum_exp_by_tuples(rows, cols):
    x = random_values((rows, cols), "float32", 12, 30.0)
    out = np.zeros(rows, np.float32)
    log_sum_exp[(1, )](x, out, ROWS=rows, COLS=cols)
    top = x.max(1, keepdims=True).astype(np.float64)
    assert_close(out, top[:, 0] + np.log(np.exp(x - top).sum(1)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 4, 8), (8, 2, 16)])
def test_results_broadcast_back(shape):
    x = np.random.default_rng(13).integers(-20, 20, shape).astype(np.int32)
    out = np.zeros_like(x)
    reduce_of_reduce[(1, )](x, out, *shape)
    y = x - x.max(2, keepdims=True)
    y = y + y.sum(0, keepdims=True)
    assert_same(out, (y * y.max(1).min(1)[:, None, None]).astype(np.int32))
