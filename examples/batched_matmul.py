"""Many small products at once, with a leaky ReLU applied before the result leaves the registers.

The third axis of the grid is the batch. Each program moves its pointers to its own batch first; everything after that
is the product of two matrices.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def leaky_relu(x, slope):
    return tl.where(x >= 0, x, slope * x)


@triton.jit
def batched_matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, slope, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(2).to(tl.int64)  # 64 bits: a batch times a matrix soon exceeds 2**31 elements
    a_ptr += batch * m * k
    b_ptr += batch * k * n
    c_ptr += batch * m * n
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        i = start + tl.arange(0, BK)
        a = tl.load(a_ptr + r[:, None] * k + i[None, :], mask=(r[:, None] < m) & (i[None, :] < k), other=0.0)
        b = tl.load(b_ptr + i[:, None] * n + c[None, :], mask=(i[:, None] < k) & (c[None, :] < n), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    out = leaky_relu(acc, slope)
    tl.store(c_ptr + r[:, None] * n + c[None, :], out, mask=(r[:, None] < m) & (c[None, :] < n))


def batched_matmul(a, b, slope=0.01):
    """leaky_relu(a @ b) for contiguous float32 arrays of shapes (batch, m, k) and (batch, k, n)."""
    batch, m, k = a.shape
    n = b.shape[2]
    out = np.empty((batch, m, n), np.float32)
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 64), batch)
    batched_matmul_kernel[grid](a, b, out, m, n, k, slope, BM=32, BN=64, BK=32)
    return out


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a, b = (rng.normal(0, 1, shape).astype(np.float32) for shape in ((20, 50, 70), (20, 70, 90)))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(batched_matmul(a, b), np.where(exact >= 0, exact, 0.01 * exact), rtol=1e-5, atol=1e-5)
    print("batched_matmul: 20 products of 50 x 70 x 90 with leaky ReLU agree with NumPy")
