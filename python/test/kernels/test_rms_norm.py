"""RMS norm forward and backward, bfloat16 in and out, float32 inside."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import EPS, assert_close, make, random_values, read

EPSILON = 1e-6


@triton.jit
def forward(x_ptr, weight_ptr, out_ptr, rstd_ptr, x_row, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    live = c < cols
    x = tl.load(x_ptr + row * x_row + c, mask=live, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + c, mask=live, other=0.0)
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / cols + eps)
    tl.store(rstd_ptr + row, rstd)
    normed = (x * rstd).to(weight.dtype)
    tl.store(out_ptr + row * cols + c, normed * weight, mask=live)


@triton.jit
def backward(dy_ptr, x_ptr, weight_ptr, rstd_ptr, dx_ptr, dw_ptr, rows, cols, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    live = c < cols
    weight = tl.load(weight_ptr + c, mask=live, other=0.0).to(tl.float32)
    dw = tl.zeros([BLOCK], dtype=tl.float32)
    row = tl.program_id(0)
    while row < rows:
        dy = tl.load(dy_ptr + row * cols + c, mask=live, other=0.0).to(tl.float32)
        x = tl.load(x_ptr + row * cols + c, mask=live, other=0.0).to(tl.float32)
        rstd = tl.load(rstd_ptr + row)
        normed = x * rstd
        scaled = dy * weight
        dw += dy * normed
        dx = rstd * (scaled - normed * (tl.sum(scaled * normed, axis=0) / cols))
        tl.store(dx_ptr + row * cols + c, dx, mask=live)
        row += tl.num_programs(0)
    tl.atomic_add(dw_ptr + c, dw, mask=live)


def oracle(x, weight):
    x = x.astype(np.float64)
    rstd = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + EPSILON)
    return x * rstd * weight, rstd[:, 0]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
@pytest.mark.parametrize("rows, cols", [(1, 1), (3, 7), (20, 384), (5, 1000), (2, 4096)])
def test_forward(rows, cols, dtype):
    x, weight = random_values((rows, cols), dtype, 1, 3.0), random_values(cols, dtype, 2)
    out, rstd = make(np.zeros((rows, cols)), dtype), np.zeros(rows, np.float32)
    forward[(rows, )](make(x, dtype), make(weight, dtype), out, rstd, cols, cols, EPSILON,
                      BLOCK=triton.next_power_of_2(cols))
    expected, expected_rstd = oracle(x, weight)
    assert_close(rstd, expected_rstd, rtol=1e-5)
    assert_close(read(out), expected, rtol=1.5 * EPS[dtype] + 1e-5, atol=1e-7)


def test_every_second_row():
    x, weight = random_values((20, 100), "bfloat16", 3), random_values(100, "bfloat16", 4)
    out, rstd = make(np.zeros((10, 100)), "bfloat16"), np.zeros(10, np.float32)
    forward[(10, )](make(x, "bfloat16"), make(weight, "bfloat16"), out, rstd, 200, 100, EPSILON, BLOCK=128)
    assert_close(read(out), oracle(x[::2], weight)[0], rtol=0.02, atol=1e-7)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_backward(dtype):
    rows, cols = 45, 200
    x, dy = random_values((rows, cols), dtype, 5), random_values((rows, cols), dtype, 6)
    weight = random_values(cols, dtype, 7)
    rstd = oracle(x, weight)[1]
    dx, dw = make(np.zeros((rows, cols)), dtype), np.zeros(cols, np.float32)
    backward[(8, )](make(dy, dtype), make(x, dtype), make(weight, dtype), rstd.astype(np.float32), dx, dw, rows,
                    cols, BLOCK=256)
    normed = x.astype(np.float64) * rstd[:, None]
    scaled = dy.astype(np.float64) * weight
    expected_dx = rstd[:, None] * (scaled - normed * (scaled * normed).mean(axis=1, keepdims=True))
    assert_close(read(dx), expected_dx, rtol=EPS[dtype] + 1e-5, atol=1e-5)
    assert_close(dw, (dy * normed).sum(axis=0), rtol=1e-4, atol=1e-4)


def test_against_torch():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    x, weight = torch.randn(30, 500).bfloat16(), torch.randn(500).bfloat16()
    out, rstd = torch.empty_like(x), torch.empty(30)
    forward[(30, )](x, weight, out, rstd, x.stride(0), 500, EPSILON, BLOCK=512)
    expected = torch.nn.functional.rms_norm(x.float(), (500, ), weight.float(), EPSILON)
    torch.testing.assert_close(out.float(), expected, rtol=0.015, atol=1e-6)
