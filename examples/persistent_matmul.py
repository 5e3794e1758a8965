"""A product by as many programs as there are processors, with tensor descriptors.

A grid with a program per tile starts thousands of programs; a persistent kernel starts one per processor, each of
which computes every n-th tile. It pays where starting a program, or what it prepares, is dear. A tensor descriptor
made on the host holds address, sizes, strides and the shape of a block, so that the kernel needs no pointers and no
masks: what lies outside of the tensor is read as zero and not written.
"""

import os

import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def tile_of(index, tiles_m, tiles_n, GROUP: tl.constexpr):
    """Row and column of the tile with this number; GROUP rows of tiles are finished before the next ones begin."""
    per_group = GROUP * tiles_n
    first = index // per_group * GROUP
    height = min(tiles_m - first, GROUP)
    return first + index % per_group % height, index % per_group // height


@triton.jit
def persistent_matmul_kernel(a, b, c, m, n, k, GROUP: tl.constexpr):
    BM: tl.constexpr = a.block_shape[0]
    BN: tl.constexpr = b.block_shape[1]
    BK: tl.constexpr = a.block_shape[1]
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    for index in range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        tile_m, tile_n = tile_of(index, tiles_m, tiles_n, GROUP)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for start in range(0, k, BK):
            acc = tl.dot(a.load([tile_m * BM, start]), b.load([start, tile_n * BN]), acc, input_precision="ieee")
        c.store([tile_m * BM, tile_n * BN], acc.to(c.dtype))


def persistent_matmul(a, b, programs=None):
    """a @ b for contiguous float32 matrices whose rows are multiples of 16 bytes."""
    (m, k), n = a.shape, b.shape[1]
    out = np.empty((m, n), np.float32)
    blocks = ((a, [64, 32]), (b, [32, 64]), (out, [64, 64]))
    descriptors = [TensorDescriptor.from_tensor(x, block) for x, block in blocks]
    tiles = triton.cdiv(m, 64) * triton.cdiv(n, 64)
    programs = min(tiles, programs or os.cpu_count() or 1)
    persistent_matmul_kernel[(programs, )](*descriptors, m, n, k, GROUP=8)
    return out


def aligned(array):
    """A copy of the array at an address that is a multiple of 16 bytes, which descriptors need."""
    space = np.empty(array.nbytes + 16, np.uint8)
    begin = -space.ctypes.data % 16
    copy = space[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    for m, n, k in ((256, 256, 128), (300, 200, 100), (37, 500, 28)):
        a, b = (aligned(rng.normal(0, 1, shape).astype(np.float32)) for shape in ((m, k), (k, n)))
        exact = a.astype(np.float64) @ b.astype(np.float64)
        for programs in (None, 1, 5):
            np.testing.assert_allclose(persistent_matmul(a, b, programs), exact, rtol=1e-4, atol=1e-4)
        print(f"persistent_matmul: {m} x {n} x {k} agrees with NumPy for any number of programs")
