"""Dropout whose mask is never stored.

`tl.rand(seed, offset)` is a pure function: the same seed and offset give the same number, on every device, in any
order, at any block size. So the backward pass draws the mask again instead of reading it from memory. The generator
is Philox-4x32 with ten rounds, written out below in NumPy for the check.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    x = tl.load(x_ptr + index, mask=inside)
    keep = tl.rand(seed, index) > p
    # Scaling what is kept leaves the expected value as it was.
    tl.store(out_ptr + index, tl.where(keep, x / (1 - p), 0.0), mask=inside)


def dropout(x, p, seed, block=1024):
    """Zero each element of a contiguous float32 array with probability p, divide the others by 1 - p."""
    out = np.empty_like(x)
    dropout_kernel[(triton.cdiv(x.size, block), )](x, out, x.size, p, seed, BLOCK=block)
    return out


def uniform(seed, count):
    """The float32 numbers tl.rand(seed, 0 .. count - 1)."""
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    words = [np.arange(count, dtype=np.uint64)] + [np.zeros(count, np.uint64)] * 3
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first, third = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [(third >> half) ^ words[1] ^ np.uint64(key[0]), third & low,
                 (first >> half) ^ words[3] ^ np.uint64(key[1]), first & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    signed = words[0].astype(np.uint32).view(np.int32)
    return np.where(signed < 0, ~signed, signed).astype(np.float32) * np.float32(4.6566127342e-10)


if __name__ == "__main__":
    x = np.random.default_rng(0).normal(0, 1, 10_007).astype(np.float32)
    for p in (0.1, 0.5):
        out = dropout(x, p, seed=1234)
        keep = uniform(1234, x.size) > np.float32(p)
        np.testing.assert_array_equal(out != 0, keep)
        np.testing.assert_allclose(out[keep], x[keep] / (1 - p), rtol=1e-6)
        np.testing.assert_array_equal(out, dropout(x, p, seed=1234, block=64))
        print(f"dropout: p = {p}, {(~keep).mean():.3f} dropped, the mask is Philox bit for bit, at any block size")
