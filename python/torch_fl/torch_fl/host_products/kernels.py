"""out = a b + bias in f32, for matrices with any strides. Multiplied and summed in single precision, without rounding
of the factors.
"""

import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, bias_ptr, out_ptr, m, n, k, a_m, a_k, b_k, b_n, bias_m, bias_n, out_m, out_n,
            BIAS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
            SUM: tl.constexpr, GROUP: tl.constexpr):
    """One program for each block of the result.

    SUM products, a multiple of BLOCK_K, are summed before they are added to others: the rounding of one long sum would
    grow with its length. GROUP rows of blocks are gone through together: what they read of `b` is still in the
    processor's caches.
    """
    number, across = tl.program_id(0), tl.cdiv(n, BLOCK_N)
    top = number // (GROUP * across) * GROUP
    height = tl.minimum(tl.cdiv(m, BLOCK_M) - top, GROUP)
    row = (top + number % (GROUP * across) % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    col = number % (GROUP * across) // height * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_at = a_ptr + row[:, None] * a_m + inner[None, :] * a_k
    b_at = b_ptr + inner[:, None] * b_k + col[None, :] * b_n
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for part in range(0, k, SUM):
        some = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for start in range(part, tl.minimum(part + SUM, k), BLOCK_K):
            a = tl.load(a_at, (row[:, None] < m) & (inner[None, :] < k - start), other=0.0)
            b = tl.load(b_at, (inner[:, None] < k - start) & (col[None, :] < n), other=0.0)
            some = tl.dot(a, b, some, input_precision="ieee")
            a_at += BLOCK_K * a_k
            b_at += BLOCK_K * b_k
        acc += some
    inside = (row[:, None] < m) & (col[None, :] < n)
    if BIAS:
        acc += tl.load(bias_ptr + row[:, None] * bias_m + col[None, :] * bias_n, inside, other=0.0)
    tl.store(out_ptr + row[:, None] * out_m + col[None, :] * out_n, acc, inside)
