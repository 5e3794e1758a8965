"""One index taken apart into rows and columns by `//` and `%`: whole vectors in one row, or not; masks by column."""

import numpy as np
import pytest
import triton
import triton.language as tl

BLOCK = 256
LENGTHS = [16, 48, 64, 100, 256, 768, 1000]


@triton.jit
def transposed_rows(x_ptr, out_ptr, n, LENGTH: tl.constexpr, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column, row = i % LENGTH, i // LENGTH
    x = tl.load(x_ptr + row * LENGTH + column, (i < n) & (column < COLUMNS), other=-1)
    tl.store(out_ptr + i, x * 1000 + column + row * 7, i < n)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_masked_by_column(length, dtype):
    n, columns = length * 5 + 3, length - 5
    x = np.arange(n).astype(dtype) % 13
    out = np.zeros(n, np.float32)
    transposed_rows[(triton.cdiv(n, BLOCK), )](x, out, n, length, columns, BLOCK)
    i = np.arange(n)
    expected = np.where(i % length < columns, x, -1).astype(np.float32) * 1000 + i % length + i // length * 7
    np.testing.assert_array_equal(out, expected)


@triton.jit
def joined(a_ptr, b_ptr, out_ptr, n, LENGTH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column, row = (i % (2 * LENGTH)).to(tl.int64), i // (2 * LENGTH)
    a = tl.load(a_ptr + LENGTH * row + column, (column < LENGTH) & (i < n), other=0.0)
    b = tl.load(b_ptr + LENGTH * row + (column - LENGTH), (column >= LENGTH) & (i < n), other=0.0)
    tl.store(out_ptr + i, tl.where(column < LENGTH, a, b), i < n)


@pytest.mark.parametrize("length", LENGTHS)
def test_joined_columns(length):
    a, b = (np.random.default_rng(s).standard_normal((9, length)).astype(np.float32) for s in (0, 1))
    out = np.zeros((9, 2 * length), np.float32)
    joined[(triton.cdiv(out.size, BLOCK), )](a, b, out, out.size, length, BLOCK)
    np.testing.assert_array_equal(out, np.concatenate([a, b], 1))


@triton.jit
def apart(out_ptr, start, LENGTH: tl.constexpr, FROM: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    constant, dynamic = i + FROM, i + start
    tl.store(out_ptr + i, constant % LENGTH)
    tl.store(out_ptr + BLOCK + i, constant // LENGTH)
    tl.store(out_ptr + 2 * BLOCK + i, dynamic % LENGTH)
    tl.store(out_ptr + 3 * BLOCK + i, dynamic // LENGTH)


@pytest.mark.parametrize("length", [16, 32, 100, 128])
@pytest.mark.parametrize("start", [-512, -128, -32, -16, -5, 0, 16, 17, 4096])
def test_starts_of_either_sign(length, start):
    """Quotients are rounded towards zero: below it, a vector that starts at a multiple of the length is no row."""
    out = np.zeros((4, BLOCK), np.int32)
    apart[(1, )](out, start, length, start, BLOCK)
    i = np.arange(BLOCK) + start
    rest, quotient = np.fmod(i, length), np.trunc(i / length).astype(np.int32)
    np.testing.assert_array_equal(out, np.stack([rest, quotient, rest, quotient]))


@triton.jit
def sums_in_a_loop(x_ptr, out_ptr, n, OUTER: tl.constexpr, INNER: tl.constexpr, STRIDE: tl.constexpr,
                   BLOCK: tl.constexpr):
    """Sums over dimensions `OUTER` and `INNER` of an array between which another one lies, as Inductor writes them."""
    channel = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, n, BLOCK):
        r = first + tl.arange(0, BLOCK)
        inner, outer = r % INNER, r // INNER
        total += tl.load(x_ptr + outer * STRIDE + channel * INNER + inner, r < n, other=0.0)
    tl.store(out_ptr + channel, tl.sum(total, 0))


@pytest.mark.parametrize("inner", [16, 49, 64, 196, 784])
def test_sums_over_two_dimensions(inner):
    x = np.random.default_rng(0).integers(-4, 5, (5, 3, inner)).astype(np.float32)
    out = np.zeros(3, np.float32)
    sums_in_a_loop[(3, )](x, out, 5 * inner, 5, inner, 3 * inner, 64)
    np.testing.assert_array_equal(out, x.sum((0, 2)))


@triton.jit
def heads(x_ptr, out_ptr, T: tl.constexpr, H: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d, h, t, batch = i % D, (i // D) % H, (i // (D * H)) % T, i // (D * H * T)
    tl.store(out_ptr + i, tl.load(x_ptr + d + D * t + D * T * h + D * T * H * batch))


@pytest.mark.parametrize("d", [8, 16, 64])
def test_heads(d):
    x = np.random.default_rng(0).standard_normal((2, 4, 8, d)).astype(np.float32)
    out = np.zeros((2, 8, 4, d), np.float32)
    heads[(x.size // 128, )](x, out, 8, 4, d, 128)
    np.testing.assert_array_equal(out, x.transpose(0, 2, 1, 3))
