"""Bias and GELU in one pass: what takes several trips through memory as separate operations takes one.

    out[r, c] = gelu(x[r, c] + bias[c])      gelu(z) = z/2 (1 + erf(z / sqrt 2))
"""

from math import erf

import numpy as np
import triton
import triton.language as tl


@triton.jit
def gelu(z):
    # A jit function may call another one; it is compiled into its caller.
    return 0.5 * z * (1.0 + tl.erf(z * 0.7071067811865476))


@triton.jit
def bias_gelu_kernel(x_ptr, bias_ptr, out_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * COLS + tl.arange(0, COLS)
    # r[:, None] is a column, c[None, :] a row; together they index a ROWS x COLS tile.
    index = r[:, None] * cols + c[None, :]
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(x_ptr + index, mask=inside)
    bias = tl.load(bias_ptr + c, mask=c < cols)
    tl.store(out_ptr + index, gelu(x + bias[None, :]), mask=inside)


def bias_gelu(x, bias):
    """gelu(x + bias) for a contiguous float32 matrix x and a vector as long as its rows."""
    out = np.empty_like(x)
    rows, cols = x.shape
    bias_gelu_kernel[(triton.cdiv(rows, 8), triton.cdiv(cols, 256))](x, bias, out, rows, cols, ROWS=8, COLS=256)
    return out


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x, bias = rng.normal(0, 2, (301, 777)).astype(np.float32), rng.normal(0, 1, 777).astype(np.float32)
    z = x.astype(np.float64) + bias
    expected = 0.5 * z * (1 + np.vectorize(erf)(z / np.sqrt(2)))
    error = np.abs(bias_gelu(x, bias) - expected).max()
    assert error < 2e-6, error
    print(f"gelu: {x.shape[0]} x {x.shape[1]} elements, largest error {error:.1e}")
