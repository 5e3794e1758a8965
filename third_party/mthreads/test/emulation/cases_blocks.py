"""Loads and stores, elementwise operations, reductions and scans."""

from __future__ import annotations

import math

import numpy as np
import triton
import triton.language as tl
from support import case, floats, rng


@triton.jit
def _add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask) + tl.load(y + at, mask), mask)


@case
def add_with_mask(run):
    for n, block in ((1000, 1024), (1000, 256), (16, 16), (77, 8), (4096, 4096)):
        x, y, out = floats(n), floats(n), np.full(n + 8, -5, np.float32)
        run(_add, (triton.cdiv(n, block),), x, y, out, n, BLOCK=block)
        np.testing.assert_array_equal(out[:n], x + y)
        assert (out[n:] == -5).all()


@triton.jit
def _copy(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at))


@case
def copies_of_every_type(run):
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64):
        x = np.arange(2048).astype(dtype)
        out = np.zeros_like(x)
        run(_copy, (1,), x, out, BLOCK=2048)
        np.testing.assert_array_equal(out, x)


@triton.jit
def _gelu(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)) + tl.exp(v) - tl.sqrt(v * v))


@case
def gelu_and_exp(run):
    x = floats(1024)
    out = np.zeros_like(x)
    run(_gelu, (2,), x, out, BLOCK=512)
    expected = 0.5 * x * (1 + np.vectorize(math.erf)(x * math.sqrt(0.5))) + np.exp(x) - abs(x)
    np.testing.assert_allclose(out, expected, rtol=2e-6, atol=2e-6)


@triton.jit
def _softmax(x, out, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + at, at < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * stride + at, e / tl.sum(e, 0), at < columns)


@case
def row_softmax(run):
    x = floats(3, 100)
    out = np.zeros_like(x)
    run(_softmax, (3,), x, out, 100, 100, BLOCK=128)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=1e-5)


@triton.jit
def _layer_norm(x, w, b, out, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * n + at, at < n, other=0.0)
    mean = tl.sum(total, 0) / n
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.where(at < n, tl.load(x + row * n + at, at < n, other=0.0) - mean, 0.0)
        squares += v * v
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / n + eps)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = (tl.load(x + row * n + at, at < n) - mean) * scale
        tl.store(out + row * n + at, v * tl.load(w + at, at < n) + tl.load(b + at, at < n), at < n)


@case
def layer_norm(run):
    x, w, b = floats(2, 300), floats(300), floats(300)
    out = np.zeros_like(x)
    run(_layer_norm, (2,), x, w, b, out, 300, 1e-5, BLOCK=128)
    d = x - x.mean(1, keepdims=True)
    np.testing.assert_allclose(out, d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5) * w + b, rtol=2e-4, atol=2e-5)


@triton.jit
def _reductions(x, sums, maxima, places, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + rows[:, None] * N + columns[None, :])
    at = tl.arange(0, N if AXIS == 0 else M)
    tl.store(sums + at, tl.sum(v, AXIS))
    tl.store(maxima + at, tl.max(v, AXIS))
    tl.store(places + at, tl.argmax(v, AXIS))


@case
def reductions_over_either_axis(run):
    for m, n in ((16, 64), (64, 16), (8, 4), (2, 512), (256, 8)):
        for axis in (0, 1):
            x = rng.integers(-50, 50, (m, n)).astype(np.float32)
            sums, maxima = np.zeros(m * n, np.float32), np.zeros(m * n, np.float32)
            places = np.zeros(m * n, np.int32)
            run(_reductions, (1,), x, sums, maxima, places, M=m, N=n, AXIS=axis)
            count = n if axis == 0 else m
            np.testing.assert_array_equal(sums[:count], x.sum(axis))
            np.testing.assert_array_equal(maxima[:count], x.max(axis))
            np.testing.assert_array_equal(places[:count], x.argmax(axis))


@triton.jit
def _whole(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a, b, c = tl.arange(0, A), tl.arange(0, B), tl.arange(0, C)
    v = tl.load(x + (a[:, None, None] * B + b[None, :, None]) * C + c[None, None, :])
    tl.store(out, tl.sum(v))
    tl.store(out + 1, tl.min(tl.max(tl.sum(v, 1), 0), 0))
    middle = tl.sum(v, 1)
    tl.store(out + 2 + a[:, None] * C + c[None, :], middle)
    tl.store(out + 2 + A * C + tl.arange(0, 1), tl.sum(tl.zeros([1], tl.int32) + 5, 0, keep_dims=True))


@case
def reductions_of_rank_three(run):
    x = rng.integers(-9, 9, (4, 8, 16)).astype(np.int32)
    out = np.zeros(3 + 64, np.int32)
    run(_whole, (1,), x, out, A=4, B=8, C=16)
    assert out[0] == x.sum() and out[1] == x.sum(1).max(0).min() and out[-1] == 5
    np.testing.assert_array_equal(out[2:-1].reshape(4, 16), x.sum(1))


@triton.jit
def _affine(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def _scans(x, out, affine, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    tl.store(out + at, tl.cumsum(v, AXIS, reverse=REVERSE))
    # Order matters to this combination.
    _, b = tl.associative_scan((v * 0 + 2, v), AXIS, _affine, reverse=REVERSE)
    tl.store(affine + at, b)


@case
def scans(run):
    for m, n in ((1, 256), (8, 32), (64, 4)):
        for axis in (0, 1):
            for reverse in (False, True):
                x = rng.integers(-3, 4, (m, n)).astype(np.int64)
                out, affine = np.zeros_like(x), np.zeros_like(x)
                run(_scans, (1,), x, out, affine, M=m, N=n, AXIS=axis, REVERSE=reverse)
                y = np.moveaxis(np.flip(x, axis) if reverse else x, axis, 0)
                last, rows = np.zeros_like(y[0]), []
                with np.errstate(over="ignore"):
                    for row in y:
                        last = last * 2 + row
                        rows.append(last)
                for got, expected in ((out, np.cumsum(y, 0)), (affine, np.stack(rows))):
                    expected = np.moveaxis(expected, 0, axis)
                    np.testing.assert_array_equal(got, np.flip(expected, axis) if reverse else expected)


@triton.jit
def _transpose(x, out, scaled, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + rows[:, None] * N + columns[None, :])
    at = columns[:, None] * M + rows[None, :]
    tl.store(out + at, tl.trans(v))
    tl.store(scaled + at, tl.trans(v * tl.sum(v, 1)[:, None]))


@case
def transpose(run):
    for m, n in ((32, 64), (4, 2), (128, 8)):
        x = rng.integers(-9, 9, (m, n)).astype(np.float32)
        out, scaled = np.zeros((n, m), np.float32), np.zeros((n, m), np.float32)
        run(_transpose, (1,), x, out, scaled, M=m, N=n)
        np.testing.assert_array_equal(out, x.T)
        np.testing.assert_array_equal(scaled, (x * x.sum(1, keepdims=True)).T)
