"""Layer norm, forward and backward.

    y = (x - mean) * rstd * weight + bias      mean and rstd per row, weight and bias per column

The gradient of x is a matter of each row alone. Those of weight and bias are sums over all rows, hence over all
programs, and this file shows both ways to sum: atomic additions into the result, and partial sums in memory that a
second kernel adds up. The second one gives the same bits on every run.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def forward_kernel(x_ptr, weight_ptr, bias_ptr, y_ptr, mean_ptr, rstd_ptr, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    inside = c < cols
    x = tl.load(x_ptr + row * cols + c, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / cols
    centred = tl.where(inside, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / cols + eps)
    weight = tl.load(weight_ptr + c, mask=inside)
    bias = tl.load(bias_ptr + c, mask=inside)
    tl.store(y_ptr + row * cols + c, centred * rstd * weight + bias, mask=inside)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


@triton.jit
def gradients_of_row(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, row, c, cols):
    """The gradient of one row of x, and what the row adds to those of weight and bias."""
    inside = c < cols
    dy = tl.load(dy_ptr + row * cols + c, mask=inside, other=0.0)
    x = tl.load(x_ptr + row * cols + c, mask=inside, other=0.0)
    weight = tl.load(weight_ptr + c, mask=inside, other=0.0)
    rstd = tl.load(rstd_ptr + row)
    normed = tl.where(inside, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
    scaled = weight * dy
    # Moving x also moves mean and rstd; the two averages are their share.
    through_rstd = tl.sum(normed * scaled, axis=0) / cols
    through_mean = tl.sum(scaled, axis=0) / cols
    return (scaled - normed * through_rstd - through_mean) * rstd, dy * normed, dy


@triton.jit
def backward_atomic_kernel(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr, cols,
                           BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    dx, dw, db = gradients_of_row(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, row, c, cols)
    tl.store(dx_ptr + row * cols + c, dx, mask=c < cols)
    tl.atomic_add(dw_ptr + c, dw, mask=c < cols)
    tl.atomic_add(db_ptr + c, db, mask=c < cols)


@triton.jit
def backward_partial_kernel(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr, rows, cols,
                            BLOCK: tl.constexpr):
    part = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    dw_sum = tl.zeros([BLOCK], tl.float32)
    db_sum = tl.zeros([BLOCK], tl.float32)
    for row in range(part, rows, tl.num_programs(0)):
        dx, dw, db = gradients_of_row(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, row, c, cols)
        tl.store(dx_ptr + row * cols + c, dx, mask=c < cols)
        dw_sum += dw
        db_sum += db
    tl.store(dw_ptr + part * cols + c, dw_sum, mask=c < cols)
    tl.store(db_ptr + part * cols + c, db_sum, mask=c < cols)


@triton.jit
def sum_rows_kernel(x_ptr, out_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    c = tl.program_id(0) * COLS + tl.arange(0, COLS)
    total = tl.zeros([ROWS, COLS], tl.float32)
    for start in range(0, rows, ROWS):
        r = start + tl.arange(0, ROWS)
        inside = (r[:, None] < rows) & (c[None, :] < cols)
        total += tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + c, tl.sum(total, axis=0), mask=c < cols)


def forward(x, weight, bias, eps=1e-5):
    """(y, mean, rstd) of a contiguous float32 matrix."""
    rows, cols = x.shape
    y, mean, rstd = np.empty_like(x), np.empty(rows, np.float32), np.empty(rows, np.float32)
    forward_kernel[(rows, )](x, weight, bias, y, mean, rstd, cols, eps, BLOCK=triton.next_power_of_2(cols))
    return y, mean, rstd


def backward_atomic(dy, x, weight, mean, rstd):
    """(dx, dw, db), one program per row, the sums over rows by atomic additions."""
    rows, cols = x.shape
    dx, dw, db = np.empty_like(x), np.zeros(cols, np.float32), np.zeros(cols, np.float32)
    backward_atomic_kernel[(rows, )](dy, x, weight, mean, rstd, dx, dw, db, cols,
                                     BLOCK=triton.next_power_of_2(cols))
    return dx, dw, db


def backward_two_stage(dy, x, weight, mean, rstd, parts=16):
    """(dx, dw, db), `parts` programs that share the rows, then one that adds their sums."""
    rows, cols = x.shape
    dx = np.empty_like(x)
    partial = np.empty((2, parts, cols), np.float32)
    backward_partial_kernel[(parts, )](dy, x, weight, mean, rstd, dx, partial[0], partial[1], rows, cols,
                                       BLOCK=triton.next_power_of_2(cols))
    sums = np.empty((2, cols), np.float32)
    for source, target in zip(partial, sums, strict=True):
        sum_rows_kernel[(triton.cdiv(cols, 64), )](source, target, parts, cols, ROWS=8, COLS=64)
    return dx, sums[0], sums[1]


def reference(dy, x, weight, bias, eps=1e-5):
    """(y, dx, dw, db) by NumPy in float64."""
    dy, x = dy.astype(np.float64), x.astype(np.float64)
    mean = x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + eps)
    normed, scaled = (x - mean) * rstd, dy * weight
    along = (normed * scaled).mean(axis=1, keepdims=True)
    dx = (scaled - normed * along - scaled.mean(axis=1, keepdims=True)) * rstd
    return normed * weight + bias, dx, (dy * normed).sum(axis=0), dy.sum(axis=0)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    rows, cols = 300, 1000
    x, dy = (rng.normal(0, 2, (rows, cols)).astype(np.float32) for _ in range(2))
    weight, bias = (rng.normal(0, 1, cols).astype(np.float32) for _ in range(2))
    expected_y, *expected = reference(dy, x, weight, bias)
    y, mean, rstd = forward(x, weight, bias)
    np.testing.assert_allclose(y, expected_y, rtol=1e-4, atol=1e-4)
    print(f"layer_norm: forward of {rows} x {cols} agrees with NumPy")
    for backward in (backward_atomic, backward_two_stage):
        for actual, wanted in zip(backward(dy, x, weight, mean, rstd), expected, strict=True):
            np.testing.assert_allclose(actual, wanted, rtol=1e-3, atol=1e-3)
        print(f"layer_norm: {backward.__name__} agrees with NumPy")
