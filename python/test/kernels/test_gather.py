"""Indirect access: embedding rows, chains of loads, scatters, `other` values, masks made of data."""

from itertools import pairwise

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import Fenced, assert_same, make, random_values, read


@triton.jit
def embed(ids_ptr, table_ptr, out_ptr, cols, table_row, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    row = tl.load(ids_ptr + token)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + token * cols + c, tl.load(table_ptr + row * table_row + c, mask=c < cols), mask=c < cols)


@triton.jit
def embed_block(ids_ptr, table_ptr, out_ptr, tokens, vocabulary, cols, PADDING: tl.constexpr, TOKENS: tl.constexpr,
                COLS: tl.constexpr):
    """Many tokens at once; an id outside of the table reads as PADDING."""
    t = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    c = tl.arange(0, COLS)
    ids = tl.load(ids_ptr + t, mask=t < tokens, other=-1)
    known = (ids >= 0) & (ids < vocabulary)
    values = tl.load(table_ptr + ids[:, None] * cols + c[None, :], mask=known[:, None] & (c < cols)[None, :],
                     other=PADDING)
    tl.store(out_ptr + t[:, None] * cols + c[None, :], values, mask=(t < tokens)[:, None] & (c < cols)[None, :])


@triton.jit
def embed_backward(ids_ptr, grad_ptr, table_grad_ptr, cols, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    row = tl.load(ids_ptr + token)
    c = tl.arange(0, BLOCK)
    grad = tl.load(grad_ptr + token * cols + c, mask=c < cols)
    tl.atomic_add(table_grad_ptr + row * cols + c, grad, mask=c < cols)


@triton.jit
def follow(next_ptr, start_ptr, out_ptr, hops, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    node = tl.load(start_ptr + at, mask=live, other=0)
    for _ in range(hops):
        node = tl.load(next_ptr + node)
    tl.store(out_ptr + at, node, mask=live)


@triton.jit
def scatter(x_ptr, to_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    tl.store(out_ptr + tl.load(to_ptr + at, mask=live, other=0), tl.load(x_ptr + at, mask=live), mask=live)


@triton.jit
def masked_far_away(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    """Dead lanes point terabytes away, so touching one faults."""
    at = tl.arange(0, BLOCK)
    live = at < n
    far = tl.where(live, at, at.to(tl.int64) * stride)
    x = tl.load(x_ptr + far, mask=live, other=0)
    tl.store(out_ptr + far, x + 1, mask=live)


@triton.jit
def other_per_lane(x_ptr, other_ptr, keep_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    other = tl.load(other_ptr + at)
    keep = tl.load(keep_ptr + at)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=keep, other=other))


@triton.jit
def store_where_larger(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """The mask of the store compares with what the output holds."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    current = tl.load(out_ptr + at, mask=at < n, other=0)
    tl.store(out_ptr + at, x, mask=(at < n) & (x > current))


@triton.jit
def compact(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr):
    """Positive elements move to the front: a scan gives every one its place."""
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=-1)
    chosen = (x > 0).to(tl.int32)
    place = tl.cumsum(chosen, 0) - chosen
    tl.store(out_ptr + place, x, mask=x > 0)
    tl.store(count_ptr, tl.sum(chosen, 0))


@triton.jit
def segment_sums(x_ptr, offsets_ptr, out_ptr, BLOCK: tl.constexpr):
    segment = tl.program_id(0)
    start = tl.load(offsets_ptr + segment)
    end = tl.load(offsets_ptr + segment + 1)
    acc = tl.zeros((BLOCK, ), tl.float32)
    for first in range(start, end, BLOCK):
        at = first + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + at, mask=at < end, other=0.0)
    tl.store(out_ptr + segment, tl.sum(acc, 0))


@triton.jit
def gather_in_registers(x_ptr, index_ptr, out_ptr, ROWS: tl.constexpr, COLS: tl.constexpr, OUT_ROWS: tl.constexpr):
    c = tl.arange(0, COLS)[None, :]
    x = tl.load(x_ptr + tl.arange(0, ROWS)[:, None] * COLS + c)
    at = tl.arange(0, OUT_ROWS)[:, None] * COLS + c
    tl.store(out_ptr + at, tl.gather(x, tl.load(index_ptr + at), 0))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8"])
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_embedding(index, dtype):
    vocabulary, cols, tokens = 50, 77, 33
    table = random_values((vocabulary, cols), dtype, 1)
    ids = np.random.default_rng(2).integers(0, vocabulary, tokens).astype(index)
    out = make(np.zeros((tokens, cols)), dtype)
    embed[(tokens, triton.cdiv(cols, 32))](ids, make(table, dtype), out, cols, cols, BLOCK=32)
    assert_same(read(out), table[ids])


@pytest.mark.parametrize("tile", [(1, 64), (8, 64), (32, 128)])
def test_embedding_blocks_with_padding(tile):
    vocabulary, cols, tokens = 40, 60, 45
    table = random_values((vocabulary, cols), "float32", 3)
    ids = np.random.default_rng(4).integers(-3, vocabulary + 3, tokens)
    out = Fenced((tokens, cols), "float32")
    embed_block[(triton.cdiv(tokens, tile[0]), )](ids, table, out.array, tokens, vocabulary, cols, PADDING=-7.0,
                                                  TOKENS=tile[0], COLS=tile[1])
    known = (ids >= 0) & (ids < vocabulary)
    assert_same(out.array, np.where(known[:, None], table[ids.clip(0, vocabulary - 1)], np.float32(-7)))
    out.assert_fence_intact()


def test_embedding_of_every_second_table_row():
    table = random_values((40, 20), "float32", 5)
    ids = np.array([3, 0, 19, 19], np.int32)
    out = np.zeros((4, 20), np.float32)
    embed[(4, 1)](ids, table[::2], out, 20, 40, BLOCK=32)
    assert_same(out, table[::2][ids])


def test_embedding_backward():
    vocabulary, cols, tokens = 5, 30, 400
    ids = np.random.default_rng(6).integers(0, vocabulary, tokens)
    grad = np.random.default_rng(7).integers(-8, 8, (tokens, cols)).astype(np.float32)  # sums are exact
    table_grad = np.zeros((vocabulary, cols), np.float32)
    embed_backward[(tokens, )](ids, grad, table_grad, cols, BLOCK=32)
    expected = np.zeros_like(table_grad)
    np.add.at(expected, ids, grad)
    assert_same(table_grad, expected)


@pytest.mark.parametrize("hops", [0, 1, 10])
@pytest.mark.parametrize("n", [1, 100, 1000])
def test_chain_of_loads(n, hops):
    step = np.random.default_rng(8).permutation(n).astype(np.int32)
    start = np.arange(n, dtype=np.int32)
    out = np.zeros(n, np.int32)
    follow[(triton.cdiv(n, 128), )](step, start, out, hops, n, BLOCK=128)
    expected = start
    for _ in range(hops):
        expected = step[expected]
    assert_same(out, expected)


@pytest.mark.parametrize("dtype", ["float32", "int8", "float64", "bfloat16", "bool"])
def test_scatter(dtype):
    n = 500
    x, to = random_values(n, dtype, 9), np.random.default_rng(10).permutation(n)
    out = make(np.zeros(n), dtype)
    scatter[(4, )](make(x, dtype), to, out, n, BLOCK=128)
    expected = np.zeros_like(x)
    expected[to] = x
    assert_same(read(out), expected)


@pytest.mark.parametrize("n", [0, 1, 7, 16, 63])
def test_masked_lanes_never_touch_memory(n):
    x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    masked_far_away[(1, )](x, out, n, 2**40, BLOCK=64)
    assert_same(out[:n], x[:n] + 1)
    assert (out[n:] == 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int64", "uint8", "bool"])
def test_other_differs_per_lane(dtype):
    x, other = random_values(256, dtype, 11), random_values(256, dtype, 12)
    keep = random_values(256, "bool", 13)
    out = make(np.zeros(256), dtype)
    other_per_lane[(1, )](make(x, dtype), make(other, dtype), keep, out, BLOCK=256)
    assert_same(read(out), np.where(keep, x, other))


def test_mask_depends_on_the_output():
    n = 777
    x, current = random_values(n, "float32", 14), random_values(n, "float32", 15)
    out = current.copy()
    store_where_larger[(triton.cdiv(n, 128), )](x, out, n, BLOCK=128)
    assert_same(out, np.maximum(x, current))


@pytest.mark.parametrize("n", [1, 64, 200, 256])
def test_compaction(n):
    x = random_values(n, "int32", 16)
    out, count = Fenced(n, "int32"), np.zeros(1, np.int32)
    out.array[:] = 0
    compact[(1, )](x, out.array, count, n, BLOCK=256)
    expected = x[x > 0]
    assert count[0] == expected.size
    assert_same(out.array[:expected.size], expected)
    assert (out.array[expected.size:] == 0).all()
    out.assert_fence_intact()


def test_segments_of_any_length():
    lengths = [0, 1, 100, 0, 31, 32, 33]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    x = np.random.default_rng(17).integers(-100, 100, offsets[-1]).astype(np.float32)
    out = np.full(len(lengths), np.nan, np.float32)
    segment_sums[(len(lengths), )](x, offsets, out, BLOCK=32)
    assert_same(out, np.array([x[a:b].sum() for a, b in pairwise(offsets)], np.float32))


@pytest.mark.parametrize("rows, cols, out_rows", [(8, 4, 8), (16, 1, 32), (4, 32, 2)])
def test_gather_along_an_axis(rows, cols, out_rows):
    x = random_values((rows, cols), "float32", 18)
    index = np.random.default_rng(19).integers(0, rows, (out_rows, cols)).astype(np.int32)
    out = np.zeros((out_rows, cols), np.float32)
    gather_in_registers[(1, )](x, index, out, ROWS=rows, COLS=cols, OUT_ROWS=out_rows)
    assert_same(out, np.take_along_axis(x, index, 0))
