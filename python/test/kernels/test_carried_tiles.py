"""Tiles that a loop carries, with neighbours in memory along their first dimension: sums of columns and others."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import Fenced


@triton.jit
def columns(x_ptr, sum_ptr, max_ptr, where_ptr, rows, cols, X: tl.constexpr, R: tl.constexpr):
    """Sum, maximum and its row of each column, as Inductor writes reductions over an outer dimension."""
    x = tl.program_id(0) * X + tl.arange(0, X)[:, None]
    total = tl.zeros([X, R], tl.float32)
    most = tl.full([X, R], -1e30, tl.float32)
    where = tl.zeros([X, R], tl.int32)
    for first in range(0, rows, R):
        r = first + tl.arange(0, R)[None, :]
        mask = (x < cols) & (r < rows)
        value = tl.load(x_ptr + x + cols * r, mask, other=0.0).to(tl.float32)
        total = tl.where(mask, total + value, total)
        better = mask & (value > most)
        where = tl.where(better, r, where)
        most = tl.where(better, value, most)
    best = tl.max(most, 1)[:, None]
    first_best = tl.min(tl.where(most == best, where, 2**30), 1)[:, None]
    tl.store(sum_ptr + x, tl.sum(total, 1)[:, None], x < cols)
    tl.store(max_ptr + x, best, x < cols)
    tl.store(where_ptr + x, first_best, x < cols)


@pytest.mark.parametrize("tile", [(64, 64), (16, 32), (32, 4), (8, 16), (128, 1), (1, 64)])
@pytest.mark.parametrize("shape", [(100, 70), (64, 128), (3, 17)])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_columns(tile, shape, dtype):
    x = np.random.default_rng(0).permutation(shape[0] * shape[1]).reshape(shape).astype(dtype)
    total, most, where = Fenced(shape[1], "float32"), Fenced(shape[1], "float32"), Fenced(shape[1], "int32")
    columns[(triton.cdiv(shape[1], tile[0]), )](x, total.array, most.array, where.array, *shape, *tile)
    np.testing.assert_array_equal(total.array, x.astype(np.float32).sum(0))
    np.testing.assert_array_equal(most.array, x.max(0))
    np.testing.assert_array_equal(where.array, x.argmax(0))
    for fenced in (total, most, where):
        fenced.assert_fence_intact()


@triton.jit
def kept(x_ptr, out_ptr, steps, flag, X: tl.constexpr, R: tl.constexpr):
    """What is carried is read by rows and columns, is swapped, and is replaced under a condition."""
    i = tl.arange(0, X)[:, None] + X * tl.arange(0, R)[None, :]
    a = tl.zeros([X, R], tl.float32)
    b = tl.full([X, R], 1, tl.float32)
    for step in range(steps):
        value = tl.load(x_ptr + step * X * R + i)
        a, b = b + value, a
        if flag > step:
            a = a * 2 + value
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + X * R + tl.arange(0, X)[:, None] * R + tl.arange(0, R)[None, :], a - b)
    tl.store(out_ptr + 2 * X * R + tl.arange(0, R), tl.sum(b, 0))


@pytest.mark.parametrize("tile", [(16, 16), (64, 8), (32, 32)])
@pytest.mark.parametrize("flag", [0, 2])
def test_swapped_and_replaced(tile, flag):
    rows, cols = tile
    x = np.random.default_rng(1).integers(-9, 9, (3, cols, rows)).astype(np.float32)
    fenced = Fenced(2 * rows * cols + cols, "float32")
    kept[(1, )](x, fenced.array, 3, flag, rows, cols)
    a, b = np.zeros((cols, rows), np.float32), np.ones((cols, rows), np.float32)
    for step in range(3):
        a, b = b + x[step], a
        if flag > step:
            a = a * 2 + x[step]
    expected = np.concatenate([a.ravel(), (a - b).T.ravel(), b.sum(1)])
    np.testing.assert_array_equal(fenced.array, expected)
    fenced.assert_fence_intact()
