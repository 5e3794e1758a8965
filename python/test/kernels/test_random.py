"""Philox streams bit for bit, and dropout built on them."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import Fenced, assert_close, assert_same, make, random_values, read


@triton.jit
def draw_bits(out_ptr, seed, n, ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.randint(seed, at, ROUNDS), mask=at < n)


@triton.jit
def draw_four(out_ptr, seed, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, at)
    tl.store(out_ptr + at, a, mask=at < n)
    tl.store(out_ptr + n + at, b, mask=at < n)
    tl.store(out_ptr + 2 * n + at, c, mask=at < n)
    tl.store(out_ptr + 3 * n + at, d, mask=at < n)


@triton.jit
def draw_uniform(out_ptr, seed, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.rand(seed, at), mask=at < n)


@triton.jit
def draw_normal(out_ptr, seed, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.randn(seed, at), mask=at < n)


@triton.jit
def draw_scalar(out_ptr, seed):
    tl.store(out_ptr + tl.program_id(0), tl.rand(seed, tl.program_id(0)))


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    keep = tl.rand(seed, at) > p
    tl.store(out_ptr + at, tl.where(keep, x / (1 - p), 0.0), mask=live)


def philox(seed, counters, rounds=10):
    """The four words of Philox-4x32 for counters (c, 0, 0, 0) and the 64-bit ``seed`` as key."""
    low = np.uint64(0xFFFFFFFF)
    c = [np.asarray(counters).astype(np.uint32).astype(np.uint64)] + [np.zeros(len(counters), np.uint64)] * 3
    key = [int(seed) & 0xFFFFFFFF, (int(seed) >> 32) & 0xFFFFFFFF]
    for _ in range(rounds):
        left, right = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(right >> np.uint64(32)) ^ c[1] ^ np.uint64(key[0]), right & low,
             (left >> np.uint64(32)) ^ c[3] ^ np.uint64(key[1]), left & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return [word.astype(np.uint32) for word in c]


def uniform(bits):
    """float32 in [0, 1): the signed value folded onto the positive half line, times a shade less than 2**-31."""
    signed = bits.view(np.int32)
    return np.where(signed < 0, ~signed, signed).astype(np.float32) * np.float32(4.6566127342e-10)


SEEDS = [0, 1, 42, 2**31 - 1, 2**31, 2**40 + 17, -3]


@pytest.mark.parametrize("seed", SEEDS)
def test_bits(seed):
    n = 700
    out = Fenced(n, "uint32")
    draw_bits[(triton.cdiv(n, 256), )](out.array, seed, n, ROUNDS=10, BLOCK=256)
    assert_same(out.array, philox(seed, np.arange(n))[0])
    out.assert_fence_intact()


@pytest.mark.parametrize("rounds", [1, 6, 7])
def test_fewer_rounds(rounds):
    out = np.zeros(100, np.uint32)
    draw_bits[(1, )](out, 5, 100, ROUNDS=rounds, BLOCK=128)
    assert_same(out, philox(5, np.arange(100), rounds)[0])


@pytest.mark.parametrize("seed", [0, 99, 2**40 + 17])
def test_four_words(seed):
    n = 333
    out = np.zeros((4, n), np.uint32)
    draw_four[(triton.cdiv(n, 64), )](out, seed, n, BLOCK=64)
    assert_same(out, np.stack(philox(seed, np.arange(n))))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("block", [1, 1024])
def test_uniform_floats(seed, block):
    n = 50 if block == 1 else 3000
    out = np.zeros(n, np.float32)
    draw_uniform[(triton.cdiv(n, block), )](out, seed, n, BLOCK=block)
    assert_same(out, uniform(philox(seed, np.arange(n))[0]))
    assert (out >= 0).all() and (out < 1).all()


def test_scalar_offset():
    out = np.zeros(20, np.float32)
    draw_scalar[(20, )](out, 7)
    assert_same(out, uniform(philox(7, np.arange(20))[0]))


def test_normal_floats():
    n = 5000
    out = np.zeros(n, np.float32)
    draw_normal[(triton.cdiv(n, 512), )](out, 11, n, BLOCK=512)
    words = philox(11, np.arange(n))
    u, v = np.maximum(uniform(words[0]), np.float32(1e-7)).astype(np.float64), uniform(words[1]).astype(np.float64)
    assert_close(out, np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * v), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("p", [0.0, 0.3, 0.9])
def test_dropout(p, dtype):
    n = 2500
    x = random_values(n, dtype, 1) + 3
    x = read(make(x, dtype))
    out = make(np.full(n, 9), dtype)
    dropout[(triton.cdiv(n, 512), )](make(x, dtype), out, n, p, 1234, BLOCK=512)
    keep = uniform(philox(1234, np.arange(n))[0]) > np.float32(p)
    assert_close(read(out), np.where(keep, x.astype(np.float64) / (1 - p), 0), rtol=2.0**-7)
    assert ((read(out) != 0) == keep).all()


def test_dropout_repeats_with_its_seed():
    x = np.ones(1000, np.float32)
    runs = [np.zeros(1000, np.float32) for _ in range(3)]
    for out, seed, block in zip(runs, (8, 8, 9), (256, 32, 256), strict=True):
        dropout[(triton.cdiv(1000, block), )](x, out, 1000, 0.5, seed, BLOCK=block)
    assert_same(runs[0], runs[1])
    assert (runs[0] != runs[2]).any()
