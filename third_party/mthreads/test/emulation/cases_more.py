"""Movements between threads, matrix products, atomics, control flow and formats."""

from __future__ import annotations

import numpy as np
import triton
import triton.language as tl
from support import case, floats, from_bf16, rng, to_bf16
from triton.language.extra import libdevice


@triton.jit
def _shapes(x, y, joined, halves, concatenated, gathered, order, N: tl.constexpr):
    at = tl.arange(0, N)
    a, b = tl.load(x + at), tl.load(y + at)
    both = tl.join(a, b)
    tl.store(joined + at[:, None] * 2 + tl.arange(0, 2)[None, :], both)
    left, right = tl.split(both.reshape(2, N // 2, 2))
    tl.store(halves + tl.arange(0, 2)[:, None] * (N // 2) + tl.arange(0, N // 2)[None, :], left - right)
    tl.store(concatenated + tl.arange(0, 2 * N), tl.cat(a, b, can_reorder=True))
    tl.store(gathered + at, tl.gather(a, tl.load(order + at), 0))


@case
def joins_splits_and_gathers(run):
    for n in (8, 512):
        x, y = floats(n), floats(n)
        order = rng.permutation(n).astype(np.int32)
        joined, halves = np.zeros((n, 2), np.float32), np.zeros(n, np.float32)
        concatenated, gathered = np.zeros(2 * n, np.float32), np.zeros(n, np.float32)
        run(_shapes, (1,), x, y, joined, halves, concatenated, gathered, order, N=n)
        np.testing.assert_array_equal(joined, np.stack([x, y], 1))
        np.testing.assert_array_equal(halves, x - y)
        np.testing.assert_array_equal(np.sort(concatenated), np.sort(np.concatenate([x, y])))
        np.testing.assert_array_equal(gathered, x[order])


@triton.jit
def _matmul(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BLOCK_K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    left = a + m[:, None] * K + k[None, :]
    right = b + k[:, None] * N + n[None, :]
    sums = tl.zeros([M, N], tl.float32)
    for _ in range(0, K, BLOCK_K):
        sums = tl.dot(tl.load(left), tl.load(right), sums)
        left += BLOCK_K
        right += BLOCK_K * N
    tl.store(c + m[:, None] * N + n[None, :], sums.to(c.dtype.element_ty))


@case
def matrix_products(run):
    for dtype in (np.float32, np.float16):
        for m, n, k in ((32, 32, 32), (16, 64, 128)):
            a, b = rng.integers(-4, 5, (m, k)).astype(dtype), rng.integers(-4, 5, (k, n)).astype(dtype)
            c = np.zeros((m, n), np.float32)
            run(_matmul, (1,), a, b, c, M=m, N=n, K=k, BLOCK_K=32)
            np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    a, b = to_bf16(rng.integers(-4, 5, (32, 32))), to_bf16(rng.integers(-4, 5, (32, 32)))
    c = to_bf16(np.zeros((32, 32)))
    run(_matmul, (1,), a, b, c, M=32, N=32, K=32, BLOCK_K=16)
    np.testing.assert_allclose(from_bf16(c), from_bf16(a) @ from_bf16(b), rtol=2**-8)


@triton.jit
def _int_dot(a, b, c, B: tl.constexpr, N: tl.constexpr):
    batch, i, j = tl.arange(0, B)[:, None, None], tl.arange(0, N)[None, :, None], tl.arange(0, N)[None, None, :]
    at = (batch * N + i) * N + j
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at), out_dtype=tl.int32))


@case
def batched_product_of_i8(run):
    a, b = (rng.integers(-128, 128, (2, 16, 16)).astype(np.int8) for _ in range(2))
    c = np.zeros((2, 16, 16), np.int32)
    run(_int_dot, (1,), a, b, c, B=2, N=16)
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32))


@triton.jit
def _count(x, bins, old, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(x + at, at < n), 1, at < n)
    tl.store(old + tl.program_id(0), tl.atomic_add(bins + 16, 2))


@case
def atomics(run):
    for block in (16, 512):
        x = rng.integers(0, 16, 700).astype(np.int32)
        grid = triton.cdiv(700, block)
        bins, old = np.zeros(17, np.int32), np.zeros(grid, np.int32)
        run(_count, (grid,), x, bins, old, 700, BLOCK=block)
        np.testing.assert_array_equal(bins[:16], np.bincount(x, minlength=16))
        assert bins[16] == 2 * grid
        np.testing.assert_array_equal(np.sort(old), 2 * np.arange(grid))


@triton.jit
def _more_atomics(x, sums, largest, swapped, before, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    tl.atomic_add(sums + at % 4, v)
    tl.atomic_max(largest + at % 4, v)
    tl.store(before + at, tl.atomic_cas(swapped + at, at, at * 2))


@case
def atomics_of_floats_and_exchanges(run):
    for n in (8, 256):
        x = rng.integers(-20, 20, n).astype(np.float32)
        sums, largest = np.zeros(4, np.float32), np.full(4, -100, np.float32)
        swapped = np.arange(n, dtype=np.int32)
        swapped[1] = -7
        before = np.zeros(n, np.int32)
        original = swapped.copy()
        run(_more_atomics, (1,), x, sums, largest, swapped, before, N=n)
        np.testing.assert_array_equal(sums, x.reshape(-1, 4).sum(0))
        np.testing.assert_array_equal(largest, x.reshape(-1, 4).max(0))
        np.testing.assert_array_equal(before, original)
        np.testing.assert_array_equal(swapped, np.where(original < 0, original, 2 * original))


@triton.jit
def _narrow_atomics(x, sums, swapped, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    tl.atomic_add(sums + at % 3, v)
    old = tl.atomic_cas(swapped + at, at.to(tl.int16), (at * 2).to(tl.int16))
    tl.atomic_add(swapped + at, old)


@case
def atomics_of_half_words(run):
    for n in (8, 256):
        x = rng.integers(-5, 5, n).astype(np.float16)
        sums, swapped = np.zeros(4, np.float16), np.arange(n, dtype=np.int16)
        swapped[3] = -1
        original = swapped.copy()
        run(_narrow_atomics, (1,), x, sums, swapped, N=n)
        np.testing.assert_array_equal(sums, [*(x[i::3].sum() for i in range(3)), 0])
        np.testing.assert_array_equal(swapped, np.where(original < 0, 2 * original, 3 * original))


@triton.jit
def _in_place(x, n, N: tl.constexpr, M: tl.constexpr):
    rows, columns = tl.arange(0, N), tl.arange(0, M)
    at = x + rows[:, None] * M + columns[None, :]
    v = tl.load(at)
    tl.store(x + columns[None, :] * N + rows[:, None], v)
    for i in range(n):
        row = tl.load(x + i * M + columns)
        tl.store(x + (i + 1) * M + M - 1 - columns, row + 1)


@case
def memory_is_accessed_in_program_order(run):
    x = np.arange(8 * 32, dtype=np.int32)
    expected = np.ascontiguousarray(x.reshape(8, 32).T).reshape(8, 32)
    for i in range(7):
        expected[i + 1] = expected[i][::-1] + 1
    run(_in_place, (1,), x, 7, N=8, M=32)
    np.testing.assert_array_equal(x.reshape(8, 32), expected)


@triton.jit
def _flags(x, flag, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.where(flag, tl.load(x + at) * 2, 0))


@case
def scalars_of_one_bit(run):
    for flag in (False, True):
        x, out = floats(64), np.ones(64, np.float32)
        run(_flags, (1,), x, flag, out, N=64)
        np.testing.assert_array_equal(out, 2 * x * flag)


@triton.jit
def _histogram(x, out, n, N: tl.constexpr, BINS: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + at), BINS, mask=at < n))


@case
def histograms(run):
    for n, bins in ((256, 16), (16, 1024), (1024, 2)):
        x = rng.integers(0, bins, n).astype(np.int32)
        out = np.zeros(bins, np.int32)
        run(_histogram, (1,), x, out, n - 3, N=n, BINS=bins)
        np.testing.assert_array_equal(out, np.bincount(x[: n - 3], minlength=bins))


@triton.jit
def _control(x, out, n, limit, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at)
    first, second = v, v * 0
    for i in range(n):
        first, second = second + i, first
    if limit > 3:
        first = first * 2 + tl.sum(second, 0)
    else:
        first = first - 1
    steps = 0
    while tl.max(first, 0) > limit:
        first = first // 2
        steps += 1
    tl.store(out + at, first + steps)


@case
def control_flow(run):
    for n, limit in ((0, 1), (5, 2), (4, 9)):
        x = rng.integers(0, 1000, 256).astype(np.int32)
        out = np.zeros_like(x)
        run(_control, (1,), x, out, n, limit, BLOCK=256)
        first, second = x, x * 0
        for i in range(n):
            first, second = second + i, first
        first = first * 2 + second.sum() if limit > 3 else first - 1
        steps = 0
        while first.max() > limit:
            first = (first / 2).astype(np.int32)
            steps += 1
        np.testing.assert_array_equal(out, first + steps)


@triton.jit
def _integers(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(out + at, a // b)
    tl.store(out + N + at, a % b)
    tl.store(out + 2 * N + at, (a << (b & 7)) ^ (a >> (b & 15)))
    tl.store(out + 3 * N + at, tl.minimum(a, b) + tl.maximum(a, b) * tl.abs(a))
    tl.store(out + 4 * N + at, tl.where((a > b) & (a != 3), a | b, ~a))
    tl.store(out + 5 * N + at, tl.umulhi(a.to(tl.uint32), b.to(tl.uint32)).to(tl.int32))


@case
def integer_operations(run):
    n = 128
    x = rng.integers(-(2**31), 2**31, n).astype(np.int32)
    y = rng.integers(-100, 100, n).astype(np.int32)
    y[:4], x[0] = (-1, 0, 0, 7), -(2**31)
    out = np.zeros((6, n), np.int32)
    run(_integers, (1,), x, y, out, N=n)
    wide, by = x.astype(np.int64), np.where(y == 0, 1, y).astype(np.int64)
    quotient = np.where(y == 0, 0, np.trunc(wide / by)).astype(np.int64).astype(np.int32)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out[0], quotient)
        np.testing.assert_array_equal(out[1], x - quotient * y)
        np.testing.assert_array_equal(out[2], (x << (y & 7)) ^ (x >> (y & 15)))
        np.testing.assert_array_equal(out[3], np.minimum(x, y) + np.maximum(x, y) * abs(x))
    np.testing.assert_array_equal(out[4], np.where((x > y) & (x != 3), x | y, ~x))
    high = (x.view(np.uint32).astype(np.uint64) * y.view(np.uint32).astype(np.uint64)) >> np.uint64(32)
    np.testing.assert_array_equal(out[5].view(np.uint32), high.astype(np.uint32))


@triton.jit
def _casts(x, half, brain, small, back, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    tl.store(half + at, v.to(tl.float16))
    tl.store(brain + at, v.to(tl.bfloat16))
    tl.store(small + at, v.to(tl.int8))
    tl.store(back + at, v.to(tl.float8e5).to(tl.float32))
    tl.store(back + N + at, v.to(tl.float8e4nv).to(tl.float32))
    tl.store(back + 2 * N + at, (v.to(tl.bfloat16) * 3).to(tl.float32))
    tl.store(back + 3 * N + at, (v.to(tl.float16) / 3).to(tl.float32))


@case
def casts(run):
    x = (rng.integers(-64, 64, 256) / 4).astype(np.float32)
    half, brain = np.zeros(256, np.float16), to_bf16(np.zeros(256))
    small, back = np.zeros(256, np.int8), np.zeros((4, 256), np.float32)
    run(_casts, (1,), x, half, brain, small, back, N=256)
    np.testing.assert_array_equal(half, x.astype(np.float16))
    np.testing.assert_array_equal(from_bf16(brain), x)  # 7 bits hold every quarter up to 16
    np.testing.assert_array_equal(small, x.astype(np.int8))
    for row, bits in ((back[0], 2), (back[1], 3)):
        mantissa, exponent = np.frexp(x)
        exact = np.ldexp(np.round(np.ldexp(mantissa, bits + 1)), exponent - bits - 1)
        np.testing.assert_array_equal(row, exact)
    np.testing.assert_allclose(back[2], 3 * x, rtol=2**-8)
    np.testing.assert_array_equal(back[3], x / np.float32(3))  # quotients of halves are computed as f32


@triton.jit
def _collatz(v):
    steps = v * 0
    while v > 1:
        v = v // 2 if v % 2 == 0 else 3 * v + 1
        steps += 1
    return steps


@triton.jit
def _map(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.map_elementwise(_collatz, tl.load(x + at)))


@case
def scalar_code_for_each_element(run):
    x = np.arange(64, dtype=np.int32)
    out = np.zeros_like(x)
    run(_map, (1,), x, out, N=64)
    expected = []
    for value in x.tolist():
        steps = 0
        while value > 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            steps += 1
        expected.append(steps)
    np.testing.assert_array_equal(out, expected)


@triton.jit
def _math(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    tl.store(out + at, tl.sin(v) + tl.cos(v) + tl.log(v) + tl.log2(v) + tl.exp2(v))
    tl.store(out + N + at, tl.floor(v) + tl.ceil(v) + tl.rsqrt(v) + tl.fma(v, v, v))
    single = v.to(tl.float32)
    tl.store(out + 2 * N + at, tl.clamp(v, 1.0, 2.0) + tl.sqrt_rn(single) + tl.div_rn(single, 3.0))
    tl.store(out + 3 * N + at, tl.maximum(v, tl.where(v > 2, float("nan"), 0.0), propagate_nan=tl.PropagateNan.ALL))


@case
def functions(run):
    for dtype in (np.float32, np.float64):
        x = rng.uniform(0.1, 4, 64).astype(dtype)
        out = np.zeros((4, 64), dtype)
        run(_math, (1,), x, out, N=64)
        np.testing.assert_allclose(out[0], np.sin(x) + np.cos(x) + np.log(x) + np.log2(x) + np.exp2(x), rtol=1e-5)
        np.testing.assert_allclose(out[1], np.floor(x) + np.ceil(x) + 1 / np.sqrt(x) + x * x + x, rtol=1e-5)
        np.testing.assert_allclose(out[2], np.clip(x, 1, 2) + np.sqrt(x) + x / 3, rtol=1e-6)
        np.testing.assert_array_equal(out[3], np.where(x > 2, np.nan, x))


@triton.jit
def _library(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    tl.store(out + at, libdevice.asinh(v) + libdevice.pow(v, 3.0) + libdevice.cbrt(v))
    tl.store(out + N + at, libdevice.fmod(v, 0.7) + libdevice.atan2(v, v + 1) + libdevice.rint(v))


@case
def functions_of_libdevice(run):
    for dtype in (np.float32, np.float64):
        x = rng.uniform(0.1, 4, 64).astype(dtype)
        out = np.zeros((2, 64), dtype)
        run(_library, (1,), x, out, N=64)
        np.testing.assert_allclose(out[0], np.arcsinh(x) + x**3 + np.cbrt(x), rtol=1e-5)
        expected = np.fmod(x, dtype(0.7)) + np.arctan2(x, x + 1) + np.rint(x)
        np.testing.assert_allclose(out[1], expected, rtol=1e-5)


@triton.jit
def _grid(out, X: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    sizes = tl.num_programs(0) * 100 + tl.num_programs(1) * 10 + tl.num_programs(2)
    tl.store(out + (z * tl.num_programs(1) + y) * tl.num_programs(0) + x, sizes * 1000 + x * 100 + y * 10 + z)


@case
def grids(run):
    out = np.zeros((4, 3, 2), np.int32)
    run(_grid, (2, 3, 4), out, X=1)
    z, y, x = np.indices(out.shape)
    np.testing.assert_array_equal(out, 234000 + x * 100 + y * 10 + z)


@triton.jit
def _lock(lock, total, n):
    while tl.atomic_cas(lock, 0, 1, sem="acquire") == 1:
        pass
    tl.store(total, tl.load(total) + n)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0, sem="release")


@case
def a_lock(run):
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    run(_lock, (5,), lock, total, 3)
    assert lock[0] == 0 and total[0] == 15
