"""Loops that go from the end of a row, or of a tensor, to the next: any lengths, types, starts and numbers of rows."""

import numpy as np
import pytest
import triton
import triton.language as tl
from hypothesis import given, settings
from hypothesis import strategies as st

from .support import Fenced

TYPES = ["float32", "int8", "int16", "int64"]
FEW = settings(max_examples=25, deadline=None)


@triton.jit
def cat_kernel(a_ptr, b_ptr, c_ptr, out_ptr, n, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
               BLOCK: tl.constexpr):
    """Three tensors side by side, each read only where it is meant; the addresses elsewhere are outside of all."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column = i // (A + B + C), (i % (A + B + C)).to(tl.int64)
    inside = i < n
    in_a, in_b = column < A, (column >= A) & (column < A + B)
    a = tl.load(a_ptr + row * A + column, in_a & inside)
    b = tl.load(b_ptr + row * B + (column - A) % B, in_b & inside)
    c = tl.load(c_ptr + row * C + (column - A - B) // 1, (column >= A + B) & inside)
    tl.store(out_ptr + i, tl.where(in_a, a, tl.where(in_b, b, c)), inside)


@FEW
@given(widths=st.tuples(*[st.integers(1, 90)] * 3), rows=st.integers(1, 9), dtype=st.sampled_from(TYPES),
       unit=st.sampled_from([1, 1, 16, 32]), block=st.sampled_from([64, 256]))
def test_three_side_by_side(widths, rows, dtype, unit, block):
    widths = [max(1, w // unit) * unit for w in widths]
    parts = [np.random.default_rng(s).integers(-99, 99, (rows, w)).astype(dtype) for s, w in enumerate(widths)]
    fenced = Fenced((rows, sum(widths)), dtype)
    out = fenced.array
    cat_kernel[(triton.cdiv(out.size, block), )](*parts, out, out.size, *widths, block)
    np.testing.assert_array_equal(out, np.concatenate(parts, 1))
    fenced.assert_fence_intact()


@triton.jit
def take_apart(out_ptr, start, length, LENGTH: tl.constexpr, WIDE: tl.constexpr, BLOCK: tl.constexpr):
    if WIDE:
        i = tl.arange(0, BLOCK).to(tl.int64) + start
    else:
        i = tl.arange(0, BLOCK) + start
    tl.store(out_ptr + tl.arange(0, BLOCK), i % length)
    tl.store(out_ptr + BLOCK + tl.arange(0, BLOCK), i // length)
    tl.store(out_ptr + 2 * BLOCK + tl.arange(0, BLOCK), (i % LENGTH) // 32)
    tl.store(out_ptr + 3 * BLOCK + tl.arange(0, BLOCK), (i // LENGTH) % 3)


def truncated(i, length):
    """Quotient and remainder as of C; by zero, 0 and the dividend."""
    quotient = np.zeros_like(i) if length == 0 else np.sign(length) * np.sign(i) * (np.abs(i) // abs(length))
    return quotient, i - quotient * length


@FEW
@given(length=st.one_of(st.sampled_from([0, 1, -1, -40, 2**31 - 1]), st.integers(-300, 300)),
       constant=st.integers(1, 300), wide=st.booleans(),
       start=st.one_of(st.integers(-1000, 1000), st.integers(2**31 - 300, 2**31 - 1),
                       st.integers(-2**31, -2**31 + 300)))
def test_any_start_and_length(length, constant, wide, start):
    """Indices that pass the largest integer go on with the smallest, in the middle of a row."""
    dtype = np.int64 if wide else np.int32
    out = np.zeros((4, 256), dtype)
    take_apart[(1, )](out, start, length, constant, wide, 256)
    i = np.arange(256, dtype=np.int64) + start
    i = i if wide else i.astype(np.int32).astype(np.int64)
    quotient, rest = truncated(i, length)
    row, column = truncated(i, constant)
    expected = np.stack([rest, quotient, truncated(column, 32)[0], truncated(row, 3)[1]])
    np.testing.assert_array_equal(out, expected.astype(dtype))


@triton.jit
def widened(out_ptr, start, LENGTH: tl.constexpr, BLOCK: tl.constexpr):
    i = (tl.arange(0, BLOCK) + start).to(tl.int64)
    tl.store(out_ptr + tl.arange(0, BLOCK), i % LENGTH)


@pytest.mark.parametrize("length", [64, 100])
def test_narrow_index_that_wraps_is_widened_afterwards(length):
    out = np.zeros(256, np.int64)
    widened[(1, )](out, 2**31 - 100, length, 256)
    i = (np.arange(256) + 2**31 - 100).astype(np.int32).astype(np.int64)
    np.testing.assert_array_equal(out, np.fmod(i, length))


@triton.jit
def in_place(x_ptr, n, LENGTH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column = i // LENGTH, i % LENGTH
    x = tl.load(x_ptr + row * LENGTH + column, i < n)
    tl.store(x_ptr + row * LENGTH + column, x + 1, i < n)


@pytest.mark.parametrize("length", [32, 37, 100, 256])
def test_each_element_once(length):
    fenced = Fenced(7 * length, "int32")
    x = fenced.array
    x[:] = np.arange(x.size)
    in_place[(triton.cdiv(x.size, 256), )](x, x.size, length, 256)
    np.testing.assert_array_equal(x, np.arange(x.size) + 1)
    fenced.assert_fence_intact()


@triton.jit
def looked_up(index_ptr, table_ptr, out_ptr, n, ROWS: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """An embedding as Inductor writes it: indices from the end on are below zero, and all are checked."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i // WIDTH, i < n, other=0)
    index = tl.where(index < 0, index + ROWS, index)
    tl.device_assert((0 <= index) & (index < ROWS) | (i >= n), "index out of bounds")
    tl.store(out_ptr + i, tl.load(table_ptr + i % WIDTH + WIDTH * index, i < n), i < n)


@FEW
@given(width=st.integers(1, 150), count=st.integers(1, 20), dtype=st.sampled_from(TYPES))
def test_embedding(width, count, dtype):
    rng = np.random.default_rng(width)
    index = rng.integers(-11, 11, count)
    table = rng.integers(-99, 99, (11, width)).astype(dtype)
    fenced = Fenced((count, width), dtype)
    out = fenced.array
    looked_up[(triton.cdiv(out.size, 128), )](index, table, out, out.size, 11, width, 128, debug=True)
    np.testing.assert_array_equal(out, table[index])
    fenced.assert_fence_intact()
