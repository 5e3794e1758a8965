"""Row softmax: masked columns, wide and narrow rows, non-finite inputs, in place, one pass and streaming."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import EPS, Fenced, assert_close, assert_same, element_strides, make, random_values, read


@triton.jit
def softmax_rows(x_ptr, out_ptr, x_row, x_col, out_row, out_col, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_row + c * x_col, mask=c < cols, other=-float("inf")).to(tl.float32)
    weights = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_row + c * out_col, weights / tl.sum(weights, axis=0), mask=c < cols)


@triton.jit
def softmax_tile(x_ptr, out_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    live = (r < rows)[:, None] & (c < cols)[None, :]
    at = r[:, None] * cols + c[None, :]
    x = tl.load(x_ptr + at, mask=live, other=-float("inf"))
    top = tl.max(x, axis=1, keep_dims=True)
    weights = tl.exp(x - tl.where(top == -float("inf"), 0.0, top))
    total = tl.sum(weights, axis=1)
    tl.store(out_ptr + at, weights / total[:, None], mask=live)


@triton.jit
def softmax_streaming(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    """Rows longer than a block: running maximum and rescaled sum, then a second pass."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * cols
    out_ptr += row * cols
    top = tl.full((BLOCK, ), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK, ), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < cols, other=-1e30)
        higher = tl.maximum(top, x)
        total = total * tl.exp(top - higher) + tl.where(c < cols, tl.exp(x - higher), 0.0)
        top = higher
    row_top = tl.max(top, axis=0)
    row_total = tl.sum(total * tl.exp(top - row_top), axis=0)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < cols)
        tl.store(out_ptr + c, tl.exp(x - row_top) / row_total, mask=c < cols)


def oracle(x):
    x = x.astype(np.float64)
    with np.errstate(all="ignore"):
        weights = np.exp(x - x.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)


def run_rows(x, out, block):
    softmax_rows[(x.shape[0], )](x, out, *element_strides(x), *element_strides(out), x.shape[1], BLOCK=block)


@pytest.mark.parametrize("rows, cols", [(1, 1), (5, 2), (7, 17), (33, 781), (4, 1000), (3, 1024), (2, 4000)])
def test_row_per_program(rows, cols):
    x = random_values((rows, cols), "float32", 1, 10.0)
    out = Fenced((rows, cols), "float32")
    run_rows(x, out.array, triton.next_power_of_2(cols))
    assert_close(out.array, oracle(x), rtol=2e-6, atol=1e-12)
    out.assert_fence_intact()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("block", [512, 2048])
def test_dtypes_and_oversized_blocks(dtype, block):
    x = random_values((9, 300), dtype, 2, 5.0)
    out = make(np.zeros((9, 300)), dtype)
    softmax_rows[(9, )](make(x, dtype), out, 300, 1, 300, 1, 300, BLOCK=block)
    assert_close(read(out), oracle(x), rtol=2 * EPS[dtype] + 2e-6, atol=1e-7)


def test_huge_block():
    x = random_values((2, 50000), "float32", 3, 3.0)
    out = np.zeros_like(x)
    run_rows(x, out, 65536)
    assert_close(out, oracle(x), rtol=5e-6, atol=1e-12)


@pytest.mark.parametrize("layout", ["transposed", "row skipping", "columns backwards"])
def test_strided_rows(layout):
    base = random_values((80, 80), "float32", 4, 6.0)
    x = {"transposed": base.T, "row skipping": base[::3], "columns backwards": base[:, ::-1]}[layout][:, :71]
    out = np.zeros((71, x.shape[0]), np.float32).T
    run_rows(x, out, 128)
    assert_close(out, oracle(x), rtol=2e-6, atol=1e-12)


def test_in_place():
    x = random_values((6, 100), "float32", 5, 4.0)
    inout = x.copy()
    run_rows(inout, inout, 128)
    assert_close(inout, oracle(x), rtol=2e-6, atol=1e-12)


def test_non_finite_rows():
    x = np.zeros((5, 20), np.float32)
    x[0, 3] = np.nan
    x[1, :] = -np.inf
    x[2, 4] = np.inf
    x[3, 5:] = -np.inf
    x[4, 7] = 3e38
    out = np.zeros_like(x)
    run_rows(x, out, 32)
    # The maximum skips NaN, the sum does not, and inf - inf is NaN: each of these spoils exactly its row.
    assert np.isnan(out[:3]).all()
    assert_close(out[3:], oracle(x[3:]), rtol=1e-6)


@pytest.mark.parametrize("tile", [(1, 64), (2, 64), (8, 128), (64, 64)])
@pytest.mark.parametrize("rows, cols", [(1, 1), (13, 50), (130, 64)])
def test_several_rows_per_program(rows, cols, tile):
    x = random_values((rows, cols), "float32", 6, 8.0)
    out = Fenced((rows, cols), "float32")
    softmax_tile[(triton.cdiv(rows, tile[0]), )](x, out.array, rows, cols, ROWS=tile[0], COLS=tile[1])
    assert_close(out.array, oracle(x), rtol=2e-6, atol=1e-12)
    out.assert_fence_intact()


@pytest.mark.parametrize("cols", [1, 63, 64, 65, 1000, 5001])
def test_streaming_over_long_rows(cols):
    x = random_values((3, cols), "float32", 7, 10.0)
    out = Fenced((3, cols), "float32")
    softmax_streaming[(3, )](x, out.array, cols, BLOCK=64)
    assert_close(out.array, oracle(x), rtol=5e-6, atol=1e-12)
    out.assert_fence_intact()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_against_torch(dtype):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    x = (4 * torch.randn(100, 781)).to(getattr(torch, dtype))
    out = torch.empty_like(x)
    softmax_rows[(100, )](x, out, *x.stride(), *out.stride(), 781, BLOCK=1024)
    torch.testing.assert_close(out, torch.softmax(x, dim=1))


def test_constant_rows_are_uniform():
    x = np.full((3, 100), -7.5, np.float32)
    out = np.zeros_like(x)
    run_rows(x, out, 128)
    assert_same(out, np.full((3, 100), np.float32(1) / np.float32(100)))
