"""Addresses: 64-bit offsets, pointer arithmetic in loops, shapes of length one, broadcasts, scalar accesses."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import Fenced, assert_same, random_values


@triton.jit
def outer(x_ptr, y_ptr, out_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * COLS + tl.arange(0, COLS)
    x = tl.load(x_ptr + r, mask=r < rows, other=0.0)
    y = tl.load(y_ptr + c, mask=c < cols, other=0.0)
    tl.store(out_ptr + r[:, None] * cols + c[None, :], x[:, None] * y[None, :],
             mask=(r < rows)[:, None] & (c < cols)[None, :])


@triton.jit
def walk_pointers(x_ptr, out_ptr, rows, cols, BLOCK: tl.constexpr):
    """Pointer tensors and a scalar pointer advanced by hand."""
    at = tl.arange(0, BLOCK)
    source = x_ptr + at
    target = out_ptr
    for _ in range(rows):
        tl.store(target + at, tl.load(source, mask=at < cols) + 1, mask=at < cols)
        source += cols
        target += cols


@triton.jit
def walk_backwards(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    end = x_ptr + n - 1
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        tl.store(out_ptr + at, tl.load(end - at, mask=at < n), mask=at < n)


@triton.jit
def strided_gather(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at * stride, mask=at < n), mask=at < n)


@triton.jit
def constant_stride(x_ptr, out_ptr, n, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at * STRIDE, tl.load(x_ptr + at * STRIDE, mask=at < n) * 2, mask=at < n)


@triton.jit
def scalars_only(x_ptr, out_ptr, n):
    pid = tl.program_id(0)
    if pid < n:
        tl.store(out_ptr + pid, tl.load(x_ptr + n - 1 - pid))


@triton.jit
def masked_scalar(x_ptr, out_ptr, flag):
    value = tl.load(x_ptr, mask=flag > 0, other=-1)
    tl.store(out_ptr, value)
    tl.store(out_ptr + 1, 5, mask=flag > 0)


@triton.jit
def block_of_one(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Shapes full of ones, broadcast to something larger."""
    at = tl.arange(0, BLOCK)
    one = tl.load(x_ptr + tl.arange(0, 1))
    both = tl.broadcast_to(one[None, :], (BLOCK, 1)) + at[:, None]
    tl.store(out_ptr + at[:, None] + tl.zeros((1, 1), tl.int32), both)


@triton.jit
def broadcast_scalar_store(out_ptr, value, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, value, mask=at < n)


@triton.jit
def broadcast_pointers(x_ptr, out_ptr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Every column of a row reads the same address, and the mask is broadcast too."""
    r = tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, COLS)[None, :]
    x = tl.load(x_ptr + r + c * 0, mask=r % 2 == 0, other=-1)
    tl.store(out_ptr + r * COLS + c, x + c)


@triton.jit
def far_offsets(x_ptr, out_ptr, far, BLOCK: tl.constexpr):
    """Offsets beyond 32 bits that cancel before the access."""
    at = tl.arange(0, BLOCK).to(tl.int64) + far
    tl.store(out_ptr + at - far, tl.load(x_ptr + (at - far)))
    base = x_ptr + far
    tl.store(out_ptr + BLOCK + tl.arange(0, BLOCK), tl.load(base - far + tl.arange(0, BLOCK)))


@triton.jit
def unsigned_offsets(x_ptr, offsets_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + tl.load(offsets_ptr + at)))


@triton.jit
def pointer_as_integer(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    address = x_ptr.to(tl.int64) + at.to(tl.int64) * 4
    tl.store(out_ptr + at, tl.load(address.to(tl.pointer_type(tl.float32))))


@triton.jit
def reinterpret_elements(x_ptr, out_ptr, BLOCK: tl.constexpr):
    halves = x_ptr.to(tl.pointer_type(tl.int16), bitcast=True)
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(halves + at))


@triton.jit
def select_pointer(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    if tl.program_id(0) % 2 == 0:
        source = x_ptr
    else:
        source = y_ptr
    tl.store(out_ptr + tl.program_id(0) * BLOCK + at, tl.load(source + at))


@triton.jit
def hinted(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.max_contiguous(tl.multiple_of(at, BLOCK), BLOCK)
    tl.assume(stride > 0)
    tl.store(out_ptr + at * stride, tl.load(x_ptr + at * stride, mask=at < n), mask=at < n)


@triton.jit
def modifiers(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, eviction_policy="evict_last")
    y = tl.load(x_ptr + at, mask=at < n, volatile=True)
    z = tl.load(x_ptr + at, mask=at < n, cache_modifier=".cg")
    tl.store(out_ptr + at, x + y + z, mask=at < n, cache_modifier=".wt")
    tl.store(out_ptr + at, x + y, mask=at < n, eviction_policy="evict_first")


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 100), (100, 1), (37, 65)])
@pytest.mark.parametrize("tile", [(1, 1), (16, 32), (64, 2), (1, 128)])
def test_outer_product(rows, cols, tile):
    x, y = random_values(rows, "float32", 1), random_values(cols, "float32", 2)
    out = Fenced((rows, cols), "float32")
    outer[(triton.cdiv(rows, tile[0]), triton.cdiv(cols, tile[1]))](x, y, out.array, rows, cols, ROWS=tile[0],
                                                                    COLS=tile[1])
    assert_same(out.array, x[:, None] * y[None, :])
    out.assert_fence_intact()


@pytest.mark.parametrize("rows, cols", [(0, 5), (1, 1), (20, 33)])
def test_pointers_carried_by_a_loop(rows, cols):
    x = random_values((rows, cols), "int32", 3) // 2
    out = Fenced((rows, cols), "int32")
    walk_pointers[(1, )](x, out.array, rows, cols, BLOCK=64)
    assert_same(out.array, x + 1)
    out.assert_fence_intact()


@pytest.mark.parametrize("n", [1, 31, 32, 33, 1000])
@pytest.mark.parametrize("dtype", ["float32", "int8", "float64"])
def test_descending_addresses(n, dtype):
    x = random_values(n, dtype, 4)
    out = Fenced(n, dtype)
    walk_backwards[(1, )](x, out.array, n, BLOCK=32)
    assert_same(out.array, x[::-1].copy())
    out.assert_fence_intact()


@pytest.mark.parametrize("stride", [-3, -1, 0, 1, 2, 5, 16, 100])
def test_runtime_stride(stride):
    n = 150
    buffer = random_values(40_000, "float32", 5)
    out = Fenced(n, "float32")
    strided_gather[(triton.cdiv(n, 64), )](buffer[20_000:], out.array, n, stride, BLOCK=64)
    assert_same(out.array, buffer[20_000 + np.arange(n) * stride])
    out.assert_fence_intact()


@pytest.mark.parametrize("stride", [1, 2, 3, 4, 8, 17])
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_constant_stride(stride, dtype):
    n = 100
    x = random_values(n * stride, dtype, 6) // 2
    out = Fenced(n * stride, dtype)
    out.array[:] = 1
    constant_stride[(2, )](x, out.array, n, STRIDE=stride, BLOCK=64)
    expected = np.ones_like(x)
    expected[::stride] = x[::stride] * 2
    assert_same(out.array, expected)
    out.assert_fence_intact()


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64", "bool"])
def test_scalar_programs(dtype):
    x = random_values(70, dtype, 7)
    out = Fenced(70, dtype)
    scalars_only[(100, )](x, out.array, 70)
    assert_same(out.array, x[::-1].copy())
    out.assert_fence_intact()


@pytest.mark.parametrize("flag, expected", [(5, [3, 5]), (-5, [-1, 0])])
def test_masked_scalar(flag, expected):
    out = np.zeros(2, np.int32)
    masked_scalar[(1, )](np.array([3], np.int32), out, flag)
    assert out.tolist() == expected


@pytest.mark.parametrize("block", [1, 2, 64])
def test_shapes_of_one(block):
    out = np.zeros(block, np.int32)
    block_of_one[(1, )](np.array([100], np.int32), out, BLOCK=block)
    assert_same(out, 100 + np.arange(block, dtype=np.int32))


@pytest.mark.parametrize("dtype, value", [("float32", 2.5), ("int8", -3), ("float16", 0.5), ("int64", 2**40),
                                          ("float64", 1e-3)])
def test_scalar_into_a_block(dtype, value):
    out = Fenced(100, dtype)
    broadcast_scalar_store[(2, )](out.array, value, 100, BLOCK=64)
    expected = np.full(100, np.float32(value) if dtype == "float64" else value, dtype)
    assert_same(out.array, expected)
    out.assert_fence_intact()


def test_broadcast_addresses_and_masks():
    x = np.arange(10, 26, dtype=np.int32)
    out = np.zeros((16, 8), np.int32)
    broadcast_pointers[(1, )](x, out, ROWS=16, COLS=8)
    rows = np.where(np.arange(16) % 2 == 0, x, -1)
    assert_same(out, (rows[:, None] + np.arange(8)).astype(np.int32))


@pytest.mark.parametrize("far", [0, 2**31, 2**40, -2**33])
def test_64_bit_offsets(far):
    x = random_values(32, "float32", 8)
    out = np.zeros(64, np.float32)
    far_offsets[(1, )](x, out, far, BLOCK=32)
    assert_same(out, np.concatenate([x, x]))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "uint32", "int64"])
def test_offset_types(dtype):
    x = random_values(256, "float32", 9)
    top = 127 if dtype == "int8" else 255
    offsets = np.random.default_rng(10).integers(0, top, 64, endpoint=True).astype(dtype)
    out = np.zeros(64, np.float32)
    unsigned_offsets[(1, )](x, offsets, out, BLOCK=64)
    assert_same(out, x[offsets])


def test_addresses_as_integers():
    x = random_values(16, "float32", 11)
    out = np.zeros(16, np.float32)
    pointer_as_integer[(1, )](x, out, BLOCK=16)
    assert_same(out, x)


def test_elements_seen_as_another_type():
    x = random_values(16, "int32", 12)
    out = np.zeros(32, np.int16)
    reinterpret_elements[(1, )](x, out, BLOCK=32)
    assert_same(out, x.view(np.int16))


def test_pointer_chosen_by_a_branch():
    x, y = random_values(8, "float32", 13), random_values(8, "float32", 14)
    out = np.zeros((4, 8), np.float32)
    select_pointer[(4, )](x, y, out, BLOCK=8)
    assert_same(out, np.stack([x, y, x, y]))


@pytest.mark.parametrize("stride", [1, 2])
def test_hints_change_nothing(stride):
    x = random_values(400, "float32", 15)
    out = np.zeros(400, np.float32)
    hinted[(2, )](x, out, 100, stride, BLOCK=64)
    expected = np.zeros(400, np.float32)
    expected[:100 * stride:stride] = x[:100 * stride:stride]
    assert_same(out, expected)


def test_cache_modifiers_change_nothing():
    x = random_values(100, "float32", 16)
    out = np.zeros(100, np.float32)
    modifiers[(2, )](x, out, 100, BLOCK=64)
    assert_same(out, x + x)
