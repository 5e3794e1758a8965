"""Moving data without changing it: transposes, flips and swaps, within a program and in place.

A program runs its statements in order: a load sees every store of the same program in front of it and none behind.
"""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import Fenced, assert_same, element_strides, make, random_values, read


@triton.jit
def transpose_tiles(x_ptr, out_ptr, rows, cols, x_row, x_col, out_row, out_col, ROWS: tl.constexpr,
                    COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * COLS + tl.arange(0, COLS)
    tile = tl.load(x_ptr + r[:, None] * x_row + c[None, :] * x_col, mask=(r < rows)[:, None] & (c < cols)[None, :])
    tl.store(out_ptr + c[:, None] * out_row + r[None, :] * out_col, tl.trans(tile),
             mask=(c < cols)[:, None] & (r < rows)[None, :])


@triton.jit
def permute_cube(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, P: tl.constexpr, Q: tl.constexpr,
                 R: tl.constexpr):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    cube = tl.permute(tl.load(x_ptr + (a * B + b) * C + c), P, Q, R)
    count: tl.constexpr = A * B * C
    tl.store(out_ptr + tl.arange(0, count), tl.reshape(cube, [count]))


@triton.jit
def transpose_in_place(x_ptr, SIZE: tl.constexpr):
    r = tl.arange(0, SIZE)[:, None]
    c = tl.arange(0, SIZE)[None, :]
    tl.store(x_ptr + r * SIZE + c, tl.load(x_ptr + c * SIZE + r))


@triton.jit
def flip_in_place(x_ptr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(x_ptr + SIZE - 1 - at, tl.load(x_ptr + at))


@triton.jit
def shift_in_place(x_ptr, by, n, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(x_ptr + at + by, tl.load(x_ptr + at, mask=at < n), mask=at < n)


@triton.jit
def swap(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live)
    tl.store(x_ptr + at, y, mask=live)
    tl.store(y_ptr + at, x, mask=live)


@triton.jit
def old_value_after_store(x_ptr, out_ptr, total_ptr, SIZE: tl.constexpr):
    """What was loaded stays what it was, however often memory is overwritten later."""
    at = tl.arange(0, SIZE)
    before = tl.load(x_ptr + at)
    tl.store(x_ptr + at, before * 2)
    after = tl.load(x_ptr + SIZE - 1 - at)
    tl.store(x_ptr + at, after + 1)
    tl.store(out_ptr + at, before * 100 + after)
    tl.store(total_ptr, tl.sum(before, axis=0))


@triton.jit
def old_scalar_after_store(x_ptr, out_ptr):
    first = tl.load(x_ptr)
    tl.store(x_ptr, 50)
    second = tl.load(x_ptr)
    tl.store(x_ptr, first + second)
    tl.store(out_ptr, first)
    tl.store(out_ptr + 1, second)


@triton.jit
def rotate_through_loop(x_ptr, steps, SIZE: tl.constexpr):
    """Every step moves the window by one; a load that were delayed past the store would see its own output."""
    at = tl.arange(0, SIZE)
    for _ in range(steps):
        window = tl.load(x_ptr + (at + 1) % SIZE)
        tl.store(x_ptr + at, window)


@triton.jit
def scatter_repeatedly(x_ptr, out_ptr, SIZE: tl.constexpr):
    """All lanes write the same address: one of the values arrives, whole."""
    at = tl.arange(0, SIZE)
    tl.store(out_ptr + at * 0, tl.load(x_ptr + at))


@triton.jit
def reshape_copy(x_ptr, out_ptr, ROWS: tl.constexpr, COLS: tl.constexpr):
    flat = tl.load(x_ptr + tl.arange(0, ROWS * COLS))
    tile = tl.trans(tl.reshape(flat, [ROWS, COLS]))
    r = tl.arange(0, COLS)[:, None]
    c = tl.arange(0, ROWS)[None, :]
    tl.store(out_ptr + r * ROWS + c, tile)


@triton.jit
def interleave_and_split(x_ptr, y_ptr, both_ptr, odd_ptr, even_ptr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    x = tl.load(x_ptr + at)
    y = tl.load(y_ptr + at)
    both = tl.interleave(x, y)
    tl.store(both_ptr + tl.arange(0, 2 * SIZE), both)
    even, odd = tl.split(tl.reshape(both + 1, [SIZE, 2]))
    tl.store(even_ptr + at, even)
    tl.store(odd_ptr + at, odd)
    pair = tl.join(odd, even)
    tl.store(both_ptr + 2 * SIZE + at[:, None] * 2 + tl.arange(0, 2)[None, :], pair)


@triton.jit
def flip_rows(x_ptr, out_ptr, ROWS: tl.constexpr, COLS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    tl.store(out_ptr + at, tl.flip(tl.load(x_ptr + at), 1))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64", "int8", "int16", "int64", "bool"])
@pytest.mark.parametrize("tile", [(16, 16), (32, 8), (1, 64), (2, 1)])
@pytest.mark.parametrize("rows, cols", [(1, 1), (33, 17), (40, 100)])
def test_tiles(rows, cols, tile, dtype):
    x = random_values((rows, cols), dtype, 1)
    out = make(np.zeros((cols, rows)), dtype)
    grid = (triton.cdiv(rows, tile[0]), triton.cdiv(cols, tile[1]))
    transpose_tiles[grid](make(x, dtype), out, rows, cols, cols, 1, rows, 1, ROWS=tile[0], COLS=tile[1])
    assert_same(read(out), np.ascontiguousarray(x.T))


@pytest.mark.parametrize("x_order", "CF")
@pytest.mark.parametrize("out_order", "CF")
def test_between_layouts(x_order, out_order):
    x = np.asarray(random_values((70, 45), "float32", 2), order=x_order)
    fence = Fenced((45, 70) if out_order == "C" else (70, 45), "float32")
    out = fence.array if out_order == "C" else fence.array.T
    transpose_tiles[(3, 2)](x, out, 70, 45, *element_strides(x), *element_strides(out), ROWS=32, COLS=32)
    assert_same(out, x.T)
    fence.assert_fence_intact()


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
@pytest.mark.parametrize("shape", [(4, 8, 16), (2, 1, 32), (1, 1, 1)])
def test_permuted_cube(shape, order):
    x = random_values(shape, "int32", 3)
    out = np.zeros(x.size, np.int32)
    permute_cube[(1, )](x, out, *shape, *order)
    assert_same(out, x.transpose(order).ravel())


@pytest.mark.parametrize("size", [1, 2, 16, 64])
def test_transpose_in_place(size):
    x = random_values((size, size), "float32", 4)
    inout = x.copy()
    transpose_in_place[(1, )](inout, SIZE=size)
    assert_same(inout, np.ascontiguousarray(x.T))


@pytest.mark.parametrize("size", [1, 2, 8, 1024, 65536])
def test_flip_in_place(size):
    x = random_values(size, "int16", 5)
    inout = x.copy()
    flip_in_place[(1, )](inout, SIZE=size)
    assert_same(inout, x[::-1].copy())


@pytest.mark.parametrize("by", [-5, -1, 1, 3, 100])
def test_overlapping_shift(by):
    buffer = random_values(700, "float32", 6)
    expected = buffer.copy()
    expected[100 + by:400 + by] = buffer[100:400]
    shift_in_place[(1, )](buffer[100:], by, 300, SIZE=512)
    assert_same(buffer, expected)


@pytest.mark.parametrize("n", [1, 100, 3000])
def test_swap(n):
    x, y = random_values(n, "float64", 7), random_values(n, "float64", 8)
    left, right = x.copy(), y.copy()
    swap[(triton.cdiv(n, 1024), )](left, right, n, BLOCK=1024)
    assert_same(left, y)
    assert_same(right, x)


@pytest.mark.parametrize("size", [1, 4, 256])
def test_loads_keep_their_value_over_stores(size):
    x = np.arange(size, dtype=np.int64)
    memory, out, total = x.copy(), np.zeros(size, np.int64), np.zeros(1, np.int64)
    old_value_after_store[(1, )](memory, out, total, SIZE=size)
    after = (2 * x)[::-1]
    assert_same(memory, after + 1)
    assert_same(out, x * 100 + after)
    assert total[0] == x.sum()


def test_scalar_loads_keep_their_value_over_stores():
    x, out = np.array([7], np.int32), np.zeros(2, np.int32)
    old_scalar_after_store[(1, )](x, out)
    assert x.tolist() == [57]
    assert out.tolist() == [7, 50]


@pytest.mark.parametrize("size, steps", [(8, 0), (8, 3), (64, 64), (128, 100)])
def test_rotation_in_a_loop(size, steps):
    x = random_values(size, "float32", 9)
    inout = x.copy()
    rotate_through_loop[(1, )](inout, steps, SIZE=size)
    assert_same(inout, np.roll(x, -steps))


def test_many_lanes_one_address():
    x, out = np.arange(100, 164, dtype=np.int32), np.zeros(3, np.int32)
    scatter_repeatedly[(1, )](x, out, SIZE=64)
    assert out[0] in x
    assert (out[1:] == 0).all()


@pytest.mark.parametrize("rows, cols", [(1, 8), (8, 1), (4, 16), (32, 32)])
def test_reshape_then_transpose(rows, cols):
    x = random_values(rows * cols, "float16", 10)
    out = np.zeros((cols, rows), np.float16)
    reshape_copy[(1, )](x, out, ROWS=rows, COLS=cols)
    assert_same(out, np.ascontiguousarray(x.reshape(rows, cols).T))


@pytest.mark.parametrize("dtype", ["int32", "float32", "uint8"])
@pytest.mark.parametrize("size", [1, 2, 64])
def test_interleave_split_and_join(size, dtype):
    x, y = random_values(size, dtype, 11) // 2, random_values(size, dtype, 12) // 2
    both, odd, even = np.zeros(4 * size, dtype), np.zeros(size, dtype), np.zeros(size, dtype)
    interleave_and_split[(1, )](x, y, both, odd, even, SIZE=size)
    assert_same(even, (x + 1).astype(dtype))
    assert_same(odd, (y + 1).astype(dtype))
    assert_same(both[:2 * size], np.stack([x, y], 1).ravel())
    assert_same(both[2 * size:], np.stack([odd, even], 1).ravel())


@pytest.mark.parametrize("rows, cols", [(1, 1), (4, 8), (2, 128)])
def test_flip(rows, cols):
    x = random_values((rows, cols), "float32", 13)
    out = np.zeros_like(x)
    flip_rows[(1, )](x, out, ROWS=rows, COLS=cols)
    assert_same(out, x[:, ::-1].copy())
