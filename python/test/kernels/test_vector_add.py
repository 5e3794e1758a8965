"""Elementwise sum over every dtype, size and alignment: the first kernel anyone writes."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import FLOATS, INTS, Bf16, Fenced, assert_same, element_strides, make, random_values, read, rounded


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live)
    tl.store(out_ptr + at, x + y, mask=live)


@triton.jit
def add_strided(x_ptr, y_ptr, out_ptr, rows, cols, x_row, x_col, y_row, y_col, out_row, out_col,
                ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.program_id(1) * COLS + tl.arange(0, COLS)[None, :]
    live = (r < rows) & (c < cols)
    x = tl.load(x_ptr + r * x_row + c * x_col, mask=live)
    y = tl.load(y_ptr + r * y_row + c * y_col, mask=live)
    tl.store(out_ptr + r * out_row + c * out_col, x + y, mask=live)


@triton.jit
def add_selected(x_ptr, y_ptr, keep_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    keep = tl.load(keep_ptr + at, mask=live, other=False)
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live & keep, other=0)
    tl.store(out_ptr + at, x + y, mask=live & keep)


@triton.jit
def add_unmasked(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at) + tl.load(y_ptr + at))


def expected_sum(x, y, dtype):
    with np.errstate(over="ignore"):
        return rounded(x + y, dtype) if dtype == "bfloat16" else x + y


@pytest.mark.parametrize("dtype", FLOATS + INTS)
@pytest.mark.parametrize("n", [1, 1000, 4096, 5003])
def test_every_dtype(dtype, n):
    x, y = random_values(n, dtype, 1), random_values(n, dtype, 2)
    out = make(np.zeros(n), dtype)
    add[(triton.cdiv(n, 1024), )](make(x, dtype), make(y, dtype), out, n, BLOCK=1024)
    assert_same(read(out), expected_sum(x, y, dtype))


@pytest.mark.parametrize("block", [1, 2, 8, 16, 64, 1024, 65536])
@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 255, 1023, 65537])
def test_every_block(block, n):
    x, y = random_values(n, "float32", 3), random_values(n, "float32", 4)
    out = Fenced(n, "float32")
    add[(triton.cdiv(n, block), )](x, y, out.array, n, BLOCK=block)
    assert_same(out.array, x + y)
    out.assert_fence_intact()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int16"])
@pytest.mark.parametrize("skew", [0, 1, 3, 7])
def test_unaligned_buffers(dtype, skew):
    n = 777
    x, y, out = (Fenced(n, dtype, skew + k) for k in range(3))
    x.array[:], y.array[:] = random_values(n, dtype, 5), random_values(n, dtype, 6)
    add[(triton.cdiv(n, 256), )](x.array, y.array, out.array, n, BLOCK=256)
    assert_same(out.array, x.array + y.array)
    out.assert_fence_intact()


def test_without_mask_and_more_blocks_than_cores():
    x, y = random_values(64 * 128, "float32", 7), random_values(64 * 128, "float32", 8)
    out = Fenced(64 * 128, "float32")
    add_unmasked[(64, )](x, y, out.array, BLOCK=128)
    assert_same(out.array, x + y)
    out.assert_fence_intact()


def test_output_is_also_an_input():
    x, y = random_values(3001, "float32", 9), random_values(3001, "float32", 10)
    acc = x.copy()
    add[(triton.cdiv(3001, 512), )](acc, y, acc, 3001, BLOCK=512)
    assert_same(acc, x + y)


def test_all_three_the_same_buffer():
    x = random_values(100, "int32", 11)
    twice = x.copy()
    add[(1, )](twice, twice, twice, 100, BLOCK=128)
    with np.errstate(over="ignore"):
        assert_same(twice, x + x)


def test_empty_grid_writes_nothing():
    x, out = np.ones(16, np.float32), np.full(16, 7, np.float32)
    add[(0, )](x, x, out, 16, BLOCK=16)
    assert (out == 7).all()


def test_no_live_element_writes_nothing():
    x, out = np.ones(16, np.float32), np.full(16, 7, np.float32)
    add[(3, )](x, x, out, 0, BLOCK=16)
    assert (out == 7).all()


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "bfloat16"])
def test_mask_loaded_from_memory(dtype):
    n = 1234
    x, y = random_values(n, dtype, 12), random_values(n, dtype, 13)
    keep = random_values(n, "bool", 14)
    out = make(np.full(n, 3), dtype)
    add_selected[(triton.cdiv(n, 128), )](make(x, dtype), make(y, dtype), keep, out, n, BLOCK=128)
    three = make(np.full(n, 3), dtype)
    assert_same(read(out), np.where(keep, expected_sum(x, y, dtype), read(three)))


VIEWS = {
    "row major": lambda a: a,
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "every second": lambda a: np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2],
    "rows backwards": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "columns backwards": lambda a: np.ascontiguousarray(a[:, ::-1])[:, ::-1],
    "one row repeated": lambda a: np.broadcast_to(a[:1], a.shape),
    "one column repeated": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "one value repeated": lambda a: np.broadcast_to(a[:1, :1], a.shape),
}


@pytest.mark.parametrize("dtype", ["float32", "int16"])
@pytest.mark.parametrize("x_view", VIEWS)
@pytest.mark.parametrize("y_view", ["row major", "transposed", "columns backwards"])
def test_strided_views(x_view, y_view, dtype):
    rows, cols = 37, 53
    x = VIEWS[x_view](random_values((rows, cols), dtype, 15))
    y = VIEWS[y_view](random_values((rows, cols), dtype, 16))
    out = np.zeros((cols, rows), dtype).T
    grid = (triton.cdiv(rows, 16), triton.cdiv(cols, 32))
    add_strided[grid](x, y, out, rows, cols, *element_strides(x), *element_strides(y), *element_strides(out),
                      ROWS=16, COLS=32)
    with np.errstate(over="ignore"):
        assert_same(out, x + y)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "int32", "uint8"])
def test_torch_tensors(dtype):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    n = 3333
    if dtype.startswith("float") or dtype == "bfloat16":
        x, y = torch.randn(n).to(getattr(torch, dtype)), torch.randn(n).to(getattr(torch, dtype))
    else:
        x, y = (torch.randint(0, 200, (n, ), dtype=getattr(torch, dtype)) for _ in range(2))
    out = torch.empty_like(x)
    add[lambda meta: (triton.cdiv(n, meta["BLOCK"]), )](x, y, out, n, BLOCK=512)
    assert torch.equal(out, x + y)


def test_torch_views_with_strides():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    x, y, out = torch.randn(70, 90).t(), torch.randn(90, 140)[:, ::2], torch.empty(90, 70)
    add_strided[(triton.cdiv(90, 16), triton.cdiv(70, 16))](x, y, out, 90, 70, *x.stride(), *y.stride(),
                                                            *out.stride(), ROWS=16, COLS=16)
    assert torch.equal(out, x + y)


def test_bf16_rounds_to_nearest_even():
    # 1 + 2**-8 lies half way between two neighbours, 1 + 3 * 2**-8 as well: one rounds down, the other up.
    x, y, out = Bf16([1.0, 1.0]), Bf16([2.0**-8, 3 * 2.0**-8]), Bf16([0.0, 0.0])
    add[(1, )](x, y, out, 2, BLOCK=2)
    assert out.read().tolist() == [1.0, 1.0 + 2.0**-6]
