"""Cases about blocks: reductions, scans, rearrangements, products."""

from __future__ import annotations

import numpy as np
import triton
import triton.language as tl

from .cases import N, case, floats, integers


# --- shapes, reductions, scans ---
@triton.jit
def first_of_equal(a, i, b, j):
    better = (a > b) | ((a == b) & (i < j))
    return tl.where(better, a, b), tl.where(better, i, j)


@triton.jit
def branching_max(a, b):
    if a > b:
        result = a
    else:
        result = b
    return result


@triton.jit
def reduce_kernel(x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    rows = tl.arange(0, R)
    tl.store(out_ptr + rows, tl.sum(x, 1))
    tl.store(out_ptr + R + rows, tl.max(x, 1))
    tl.store(out_ptr + 2 * R + rows, tl.argmin(x, 1))
    tl.store(out_ptr + 3 * R + rows, tl.xor_sum(x, 1))
    index = tl.broadcast_to(tl.arange(0, C)[None, :], (R, C))
    value, where = tl.reduce((x, index), 1, first_of_equal)
    tl.store(out_ptr + 4 * R + rows, value * 1000 + where)
    tl.store(out_ptr + 5 * R + rows, tl.reduce(x, -1, branching_max))
    tl.store(out_ptr + 6 * R, tl.sum(x))
    tl.store(out_ptr + 6 * R + 1, tl.min(tl.max(x, axis=0, keep_dims=True)))


@case
def reductions():
    x = integers("int32", 11, 16 * 32) % 50
    out = np.zeros(7 * 16, np.int32)
    reduce_kernel[(1,)](x, out, R=16, C=32)
    return {"out": out}


@triton.jit
def affine(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def scan_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.cumsum(x))
    tl.store(out_ptr + BLOCK + at, tl.cumsum(x, reverse=True))
    a, b = tl.associative_scan((x, x + 1), 0, affine)
    tl.store(out_ptr + 2 * BLOCK + at, a ^ b)
    grid = tl.reshape(x, (16, BLOCK // 16))
    tl.store(out_ptr + 3 * BLOCK + at, tl.ravel(tl.associative_scan(grid, 0, branching_max)))


@case
def scans():
    out = np.zeros(4 * N, np.int32)
    scan_kernel[(1,)](integers("int32", 12), out, BLOCK=N)
    return {"out": out}


@triton.jit
def shape_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.sort(x))
    tl.store(out_ptr + BLOCK + at, tl.sort(x, descending=True) ^ tl.flip(x))
    low, high = tl.split(tl.reshape(x, (BLOCK // 2, 2)))
    tl.store(out_ptr + 2 * BLOCK + at, tl.interleave(high, low))
    tl.store(out_ptr + 3 * BLOCK + at, tl.ravel(tl.trans(tl.reshape(x, (8, BLOCK // 8)))))
    tl.store(out_ptr + 4 * BLOCK + at, tl.gather(x, (at * 7) % BLOCK, 0))
    tl.store(out_ptr + 5 * BLOCK + tl.arange(0, 16), tl.histogram(x & 15, 16))
    tl.store(out_ptr + 6 * BLOCK + at, tl.cat(low, high, dim=0))
    tl.store(out_ptr + 7 * BLOCK + tl.arange(0, 4), tl.topk(x, 4))
    cube = tl.reshape(x, (4, 4, BLOCK // 16))
    tl.store(out_ptr + 8 * BLOCK + at, tl.ravel(tl.permute(cube, (2, 0, 1)) + tl.zeros((1, 4, 4), tl.int32)))


@case
def shapes():
    out = np.zeros(9 * N, np.int32)
    shape_kernel[(1,)](integers("int32", 13), out, BLOCK=N)
    return {"out": out}


# --- products ---
@triton.jit
def dot_kernel(a_ptr, b_ptr, out_ptr, M: tl.constexpr, K: tl.constexpr, C: tl.constexpr):
    m, k, c = tl.arange(0, M), tl.arange(0, K), tl.arange(0, C)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * C + c[None, :])
    tl.store(out_ptr + m[:, None] * C + c[None, :], tl.dot(a, b))


@case
def products_of_integers():
    out = np.zeros((16, 8), np.int32)
    dot_kernel[(1,)](integers("int8", 20, 16 * 32), integers("int8", 21, 32 * 8), out, M=16, K=32, C=8)
    return {"out": out}


@case
def products_of_small_floats():
    """Every product and sum is exact, so the order does not matter."""
    results = {}
    for dtype in ("float16", "float32", "float64"):
        a, b = ((integers("int8", seed, 512) // 8).astype(dtype) for seed in (22, 23))
        out = np.zeros((16, 16), "float64" if dtype == "float64" else "float32")
        dot_kernel[(1,)](a, b, out, M=16, K=32, C=16)
        results[dtype] = out
    return results


@triton.jit
def batch_kernel(a_ptr, b_ptr, out_ptr, B: tl.constexpr, M: tl.constexpr, DTYPE: tl.constexpr):
    row = tl.arange(0, B)[:, None, None] * M + tl.arange(0, M)[None, :, None]
    at = row * M + tl.arange(0, M)[None, None, :]
    tl.store(out_ptr + at, tl.dot(tl.load(a_ptr + at).to(DTYPE), tl.load(b_ptr + at).to(DTYPE)))


@case
def products_of_batches():
    results = {}
    for dtype in (tl.float16, tl.bfloat16, tl.float8e4nv, tl.float8e5):
        a, b = ((integers("int8", seed, 4 * 16 * 16) // 16).astype(np.float32) for seed in (32, 33))
        results[dtype.name] = out = np.zeros(4 * 16 * 16, np.float32)
        batch_kernel[(1,)](a, b, out, B=4, M=16, DTYPE=dtype)
    return results


@triton.jit
def rows_kernel(x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.gather(x, (x & (C - 1)), 1))
    tl.store(out_ptr + R * C + at, tl.gather(x, (x & (R - 1)), 0) ^ tl.sort(x, descending=True))
    tl.store(out_ptr + 2 * R * C + at, tl.flip(x, 0) + tl.cumprod(x | 1, 1))
    best, where = tl.max(x, 1, return_indices=True)
    tl.store(out_ptr + 3 * R * C + tl.arange(0, R), best ^ where)
    i, j = tl.swizzle2d(tl.arange(0, R * C) // C, tl.arange(0, R * C) % C, R, C, 4)
    tl.store(out_ptr + 4 * R * C + tl.arange(0, R * C), i * 1000 + j)


@case
def rows_and_columns():
    out = np.zeros(5 * N, np.int32)
    rows_kernel[(1,)](integers("int32", 34), out, R=8, C=32)
    return {"out": out}


@triton.jit
def softmax_kernel(x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out_ptr + at, tl.softmax(tl.load(x_ptr + at), dim=1))


@case
def approximate_softmax():
    out = np.zeros((8, 32), np.float32)
    softmax_kernel[(1,)](floats(31), out, R=8, C=32)
    return {"out": out}
