"""Bias + GELU (the erf form): a broadcast row vector, a special function, several dtypes."""

from math import erf

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import EPS, Fenced, assert_close, assert_same, element_strides, make, random_values, read


@triton.jit
def gelu(x):
    """0.5 x (1 + erf(x / sqrt 2)), in float32."""
    return 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))


@triton.jit
def bias_gelu(x_ptr, bias_ptr, out_ptr, count, cols, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < count
    x = tl.load(x_ptr + at, mask=live).to(tl.float32)
    bias = tl.load(bias_ptr + at % cols, mask=live).to(tl.float32)
    tl.store(out_ptr + at, gelu(x + bias), mask=live)


@triton.jit
def bias_gelu_tiles(x_ptr, bias_ptr, out_ptr, rows, cols, x_row, x_col, out_row, out_col,
                    ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * COLS + tl.arange(0, COLS)
    live = (r < rows)[:, None] & (c < cols)[None, :]
    bias = tl.load(bias_ptr + c, mask=c < cols, other=0.0)
    x = tl.load(x_ptr + r[:, None] * x_row + c[None, :] * x_col, mask=live, other=0.0)
    tl.store(out_ptr + r[:, None] * out_row + c[None, :] * out_col, gelu(x + bias[None, :]), mask=live)


def oracle(x, bias):
    z = x.astype(np.float64) + bias
    return 0.5 * z * (1.0 + np.vectorize(erf)(z / np.sqrt(2.0)))


def tolerance(dtype):
    """A few roundings of the result; deep in the negative tail 1 + erf cancels, hence the absolute part."""
    return {"rtol": 4 * max(EPS[dtype], EPS["float32"]), "atol": 1e-6}


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("rows, cols", [(1, 1), (3, 5), (17, 300), (64, 128)])
@pytest.mark.parametrize("block", [64, 1024])
def test_flat(dtype, rows, cols, block):
    x, bias = random_values((rows, cols), dtype, 1, 5.0), random_values(cols, dtype, 2)
    out = make(np.zeros((rows, cols)), dtype)
    bias_gelu[(triton.cdiv(rows * cols, block), )](make(x, dtype), make(bias, dtype), out, rows * cols, cols,
                                                   BLOCK=block)
    assert_close(read(out), oracle(x, bias), **tolerance(dtype))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("tile", [(1, 64), (16, 16), (64, 1), (32, 128)])
def test_tiles(tile, transposed):
    rows, cols = 45, 131
    x, bias = random_values((rows, cols), "float32", 3, 4.0), random_values(cols, "float32", 4)
    x = np.asfortranarray(x) if transposed else x
    out = Fenced((rows, cols), "float32")
    grid = (triton.cdiv(rows, tile[0]), triton.cdiv(cols, tile[1]))
    bias_gelu_tiles[grid](x, bias, out.array, rows, cols, *element_strides(x), *element_strides(out.array),
                          ROWS=tile[0], COLS=tile[1])
    assert_close(out.array, oracle(x, bias), **tolerance("float32"))
    out.assert_fence_intact()


def test_specials():
    x = np.array([np.nan, np.inf, -50.0, 50.0, 0.0], np.float32)
    out = np.zeros(5, np.float32)
    bias_gelu[(1, )](x, np.zeros(5, np.float32), out, 5, 5, BLOCK=8)
    assert_same(out, np.array([np.nan, np.inf, 0.0, 50.0, 0.0], np.float32))


def test_against_torch():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    x, bias = torch.randn(50, 301), torch.randn(301)
    out = torch.empty_like(x)
    bias_gelu[(triton.cdiv(x.numel(), 1024), )](x, bias, out, x.numel(), 301, BLOCK=1024)
    torch.testing.assert_close(out, torch.nn.functional.gelu(x + bias), rtol=1e-5, atol=2e-6)
