"""Products of many sizes in one launch.

A batch of equal products has an axis of the grid of its own (`batched_matmul.py`). Products of different sizes have
not: here a fixed number of programs walks over the tiles of all products, as if they were in one long row. Where each
matrix is, and how large it is, the programs read from memory.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def grouped_matmul_kernel(addresses_ptr, sizes_ptr, products, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    begin = 0  # of the tiles of this product
    for product in range(products):
        m = tl.load(sizes_ptr + product * 3)
        n = tl.load(sizes_ptr + product * 3 + 1)
        k = tl.load(sizes_ptr + product * 3 + 2)
        tiles_n = tl.cdiv(n, BN)
        end = begin + tl.cdiv(m, BM) * tiles_n
        a_ptr = tl.load(addresses_ptr + product * 3).to(tl.pointer_type(tl.float32))
        b_ptr = tl.load(addresses_ptr + product * 3 + 1).to(tl.pointer_type(tl.float32))
        c_ptr = tl.load(addresses_ptr + product * 3 + 2).to(tl.pointer_type(tl.float32))
        while tile >= begin and tile < end:
            r = (tile - begin) // tiles_n * BM + tl.arange(0, BM)
            c = (tile - begin) % tiles_n * BN + tl.arange(0, BN)
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for start in range(0, k, BK):
                i = start + tl.arange(0, BK)
                a = tl.load(a_ptr + r[:, None] * k + i[None, :], mask=(r[:, None] < m) & (i[None, :] < k), other=0.0)
                b = tl.load(b_ptr + i[:, None] * n + c[None, :], mask=(i[:, None] < k) & (c[None, :] < n), other=0.0)
                acc = tl.dot(a, b, acc, input_precision="ieee")
            tl.store(c_ptr + r[:, None] * n + c[None, :], acc, mask=(r[:, None] < m) & (c[None, :] < n))
            tile += tl.num_programs(0)
        begin = end


def grouped_matmul(pairs, programs=16):
    """[a @ b for a, b in pairs] of contiguous float32 matrices."""
    results = [np.empty((a.shape[0], b.shape[1]), np.float32) for a, b in pairs]
    triples = [(a, b, c) for (a, b), c in zip(pairs, results, strict=True)]
    addresses = np.array([[x.ctypes.data for x in triple] for triple in triples], np.int64)
    sizes = np.array([[a.shape[0], b.shape[1], a.shape[1]] for a, b, _ in triples], np.int32)
    grouped_matmul_kernel[(programs, )](addresses, sizes, len(pairs), BM=32, BN=32, BK=32)
    return results


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    shapes = [(64, 64, 64), (17, 130, 33), (200, 5, 90), (1, 1, 1), (96, 70, 250)]
    pairs = [tuple(rng.normal(0, 1, shape).astype(np.float32) for shape in ((m, k), (k, n))) for m, n, k in shapes]
    for programs in (1, 7, 16):
        for result, (a, b) in zip(grouped_matmul(pairs, programs), pairs, strict=True):
            np.testing.assert_allclose(result, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-4)
        print(f"grouped_matmul: {len(shapes)} products by {programs} programs agree with NumPy")
