"""A product of 4-bit and 8-bit floats that share scales in groups of 32: the MX formats.

A group of 32 numbers along K has one scale, a power of two stored as its exponent in a byte. The numbers are e2m1 (two
to a byte, the first in the low half) or e4m3. `tl.dot_scaled` takes numbers and scales as they are in memory. On
hardware for it this is one instruction; the CPU decodes, scales and multiplies in float32.
"""

import numpy as np
import triton
import triton.language as tl

GROUP = 32  # numbers with one scale
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)


@triton.jit
def scaled_matmul_kernel(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, m, n, k, A_FORMAT: tl.constexpr,
                         B_FORMAT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    # Of e2m1 two numbers are in a byte.
    A_PACK: tl.constexpr = 2 if A_FORMAT == "e2m1" else 1
    B_PACK: tl.constexpr = 2 if B_FORMAT == "e2m1" else 1
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        a_i = start // A_PACK + tl.arange(0, BK // A_PACK)
        b_i = start // B_PACK + tl.arange(0, BK // B_PACK)
        group = start // 32 + tl.arange(0, BK // 32)
        a = tl.load(a_ptr + r[:, None] * (k // A_PACK) + a_i[None, :], mask=r[:, None] < m, other=0)
        b = tl.load(b_ptr + b_i[:, None] * n + c[None, :], mask=c[None, :] < n, other=0)
        a_scale = tl.load(a_scale_ptr + r[:, None] * (k // 32) + group[None, :], mask=r[:, None] < m, other=127)
        b_scale = tl.load(b_scale_ptr + c[:, None] * (k // 32) + group[None, :], mask=c[:, None] < n, other=127)
        acc = tl.dot_scaled(a, a_scale, A_FORMAT, b, b_scale, B_FORMAT, acc)
    tl.store(c_ptr + r[:, None] * n + c[None, :], acc, mask=(r[:, None] < m) & (c[None, :] < n))


def scaled_matmul(a, a_scale, a_format, b, b_scale, b_format, k):
    """The float32 product of (m, k) and (k, n) numbers, packed along k where the format is "e2m1".

    `a_scale` and `b_scale`, of shapes (m, k / 32) and (n, k / 32), hold exponents plus 127. `k` is a multiple of 64.
    """
    m, n = a.shape[0], b.shape[1]
    out = np.empty((m, n), np.float32)
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 32))
    scaled_matmul_kernel[grid](a, a_scale, b, b_scale, out, m, n, k, A_FORMAT=a_format, B_FORMAT=b_format, BM=32, BN=32,
                               BK=64)
    return out


def e2m1_values(codes):
    return np.where(codes & 8, -1, 1) * E2M1[codes & 7]


def e4m3_values(codes):
    exponent, fraction = (codes >> 3 & 15).astype(int), (codes & 7).astype(np.float32)
    magnitude = np.where(exponent > 0, (1 + fraction / 8) * 2.0**(exponent - 7), fraction / 8 * 2.0**-6)
    return np.where(codes & 128, -magnitude, magnitude)


def make(rng, rows, k, number_format):
    """(bytes, scales, values) of random numbers in groups along the second axis."""
    scales = rng.integers(120, 134, (rows, k // GROUP)).astype(np.uint8)
    factor = np.repeat(2.0**(scales.astype(int) - 127), GROUP, axis=1)
    if number_format == "e2m1":
        codes = rng.integers(0, 16, (rows, k)).astype(np.uint8)
        return codes[:, ::2] | codes[:, 1::2] << 4, scales, e2m1_values(codes) * factor
    codes = (rng.integers(0, 127, (rows, k)) | rng.integers(0, 2, (rows, k)) << 7).astype(np.uint8)
    return codes, scales, e4m3_values(codes) * factor


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    m, n, k = 70, 50, 256
    for a_format, b_format in (("e2m1", "e2m1"), ("e4m3", "e4m3"), ("e4m3", "e2m1")):
        a, a_scale, a_values = make(rng, m, k, a_format)
        b, b_scale, b_values = make(rng, n, k, b_format)  # made in rows, needed in columns
        result = scaled_matmul(a, a_scale, a_format, np.ascontiguousarray(b.T), b_scale, b_format, k)
        exact = a_values @ b_values.T
        np.testing.assert_allclose(result, exact, rtol=1e-4, atol=np.abs(exact).max() * 1e-5)
        print(f"scaled_matmul: {m} x {n} x {k}, {a_format} by {b_format}, agrees with NumPy")
