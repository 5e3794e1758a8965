"""Matrix product: tiles of C, a loop over K, and an order of programs that is kind to the caches.

Each program computes one BM x BN tile of C. It walks along K in steps of BK, loads a tile of A and one of B and adds
their product to an accumulator. Programs that run one after the other should share rows of A and columns of B, so the
tiles of C are numbered in groups of GROUP rows instead of row by row.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, a_m, a_k, b_k, b_n, c_m, c_n, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(m, BM)
    tiles_n = tl.cdiv(n, BN)
    per_group = GROUP * tiles_n
    first = pid // per_group * GROUP
    height = min(tiles_m - first, GROUP)  # the last group may have fewer rows
    tile_m = first + pid % per_group % height
    tile_n = pid % per_group // height

    r = tile_m * BM + tl.arange(0, BM)
    c = tile_n * BN + tl.arange(0, BN)
    i = tl.arange(0, BK)
    a_at = a_ptr + r[:, None] * a_m + i[None, :] * a_k
    b_at = b_ptr + i[:, None] * b_k + c[None, :] * b_n
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        rest = k - start
        a = tl.load(a_at, mask=(r[:, None] < m) & (i[None, :] < rest), other=0.0)
        b = tl.load(b_at, mask=(i[:, None] < rest) & (c[None, :] < n), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_at += BK * a_k
        b_at += BK * b_k
    tl.store(c_ptr + r[:, None] * c_m + c[None, :] * c_n, acc, mask=(r[:, None] < m) & (c[None, :] < n))


def matmul(a, b):
    """a @ b for two matrices of one float dtype and any strides."""
    (m, k), n = a.shape, b.shape[1]
    if b.shape[0] != k:
        raise ValueError(f"matmul: inner dimensions differ: {a.shape} and {b.shape}")
    out = np.empty((m, n), a.dtype)
    strides = [s // x.itemsize for x in (a, b, out) for s in x.strides]
    # A callable grid receives the constants of the launch, so block sizes are written once.
    matmul_kernel[lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]), )](
        a, b, out, m, n, k, *strides, BM=64, BN=64, BK=64, GROUP=8)
    return out


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    for dtype, tolerance in ((np.float32, 1e-5), (np.float16, 1e-3)):
        a = rng.normal(0, 1, (200, 300)).astype(dtype)
        b = rng.normal(0, 1, (300, 150)).astype(dtype)
        exact = a.astype(np.float64) @ b.astype(np.float64)
        layouts = {"A B": (a, b), "A' B": (np.asfortranarray(a), b), "A B'": (a, np.asfortranarray(b)),
                   "A' B'": (np.asfortranarray(a), np.asfortranarray(b))}
        for left, right in layouts.values():
            np.testing.assert_allclose(matmul(left, right), exact, rtol=tolerance, atol=tolerance * 20)
        print(f"matmul: 200 x 300 x 150 {np.dtype(dtype).name} agrees with NumPy as {', '.join(layouts)}")
