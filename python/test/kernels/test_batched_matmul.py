"""Batched products with a fused leaky ReLU: one program per batch and tile, and three-dimensional ``tl.dot``."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import EPS, Fenced, assert_close, make, random_values, read


@triton.jit
def leaky_relu(x, slope):
    return tl.where(x >= 0, x, slope * x)


@triton.jit
def batched_matmul(a_ptr, b_ptr, c_ptr, m, n, k, a_batch, a_m, a_k, b_batch, b_k, b_n, c_batch, c_m, c_n, slope,
                   BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(2).to(tl.int64)
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    a_ptr += batch * a_batch
    b_ptr += batch * b_batch
    c_ptr += batch * c_batch
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        i = start + tl.arange(0, BK)
        a = tl.load(a_ptr + r[:, None] * a_m + i[None, :] * a_k, mask=(r[:, None] < m) & (i[None, :] < k), other=0.0)
        b = tl.load(b_ptr + i[:, None] * b_k + c[None, :] * b_n, mask=(i[:, None] < k) & (c[None, :] < n), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    out = leaky_relu(acc, slope).to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + r[:, None] * c_m + c[None, :] * c_n, out, mask=(r[:, None] < m) & (c[None, :] < n))


@triton.jit
def cube_product(a_ptr, b_ptr, c_ptr, slope, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    batch = tl.arange(0, B)[:, None, None]
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + (batch * M + m[None, :, None]) * K + k[None, None, :])
    b = tl.load(b_ptr + (batch * K + k[None, :, None]) * N + n[None, None, :])
    c = leaky_relu(tl.dot(a, b, input_precision="ieee"), slope)
    tl.store(c_ptr + (batch * M + m[None, :, None]) * N + n[None, None, :], c)


def oracle(a, b, slope):
    c = a.astype(np.float64) @ b.astype(np.float64)
    return np.where(c >= 0, c, slope * c)


def strides(array):
    return tuple(s // array.itemsize for s in array.strides)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("batch, m, n, k", [(1, 1, 1, 1), (3, 32, 32, 32), (5, 40, 50, 70), (2, 100, 17, 33)])
def test_batches(batch, m, n, k, dtype):
    a, b = random_values((batch, m, k), dtype, 1, 1.0), random_values((batch, k, n), dtype, 2, 1.0)
    out = make(np.zeros((batch, m, n)), dtype)
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 16), batch)
    batched_matmul[grid](make(a, dtype), make(b, dtype), out, m, n, k, m * k, k, 1, k * n, n, 1, m * n, n, 1, 0.01,
                         BM=32, BN=16, BK=32)
    assert_close(read(out), oracle(a, b, 0.01), rtol=EPS[dtype], atol=1e-5)


@pytest.mark.parametrize("a_order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (2, 1, 0)])
@pytest.mark.parametrize("b_order", [(0, 1, 2), (0, 2, 1)])
def test_transposed_and_broadcast_batches(a_order, b_order):
    batch, m, n, k = 4, 24, 36, 20

    def view(shape, order, seed):
        laid_out = random_values(tuple(shape[axis] for axis in order), "float32", seed)
        return laid_out.transpose(np.argsort(order))

    a = view((batch, m, k), a_order, 3)
    b = np.broadcast_to(view((1, k, n), b_order, 4), (batch, k, n))
    out = Fenced((batch, m, n), "float32")
    batched_matmul[(2, 3, batch)](a, b, out.array, m, n, k, *strides(a), *strides(b), *strides(out.array), 0.2,
                                  BM=16, BN=16, BK=16)
    assert_close(out.array, oracle(a, b, 0.2), rtol=1e-5, atol=1e-5)
    out.assert_fence_intact()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("batch, m, n, k", [(1, 16, 16, 16), (4, 16, 32, 16), (2, 32, 16, 64)])
def test_three_dimensional_dot(batch, m, n, k, dtype):
    a, b = random_values((batch, m, k), dtype, 5, 1.0), random_values((batch, k, n), dtype, 6, 1.0)
    out = np.zeros((batch, m, n), np.float32)
    cube_product[(1, )](a, b, out, 0.1, B=batch, M=m, N=n, K=k)
    assert_close(out, oracle(a, b, 0.1), rtol=1e-5, atol=1e-5)
