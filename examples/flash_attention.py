"""Attention without the matrix of scores.

    out = softmax(Q K' * scale) V

The scores of one block of queries are computed against one block of keys at a time and thrown away at once. What is
kept per query is the largest score so far (`top`), the sum of weights relative to it (`total`) and the weighted sum of
values (`acc`). When a larger score turns up, total and acc shrink by exp(old top - new top) and all is as if the new
maximum had been known from the start.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, length, scale, CAUSAL: tl.constexpr, D: tl.constexpr,
                     BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1) * length * D
    first = tl.program_id(0) * BM
    rows = first + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + head + rows[:, None] * D + d[None, :], mask=rows[:, None] < length, other=0.0)

    top = tl.full((BM, ), -float("inf"), tl.float32)
    total = tl.zeros((BM, ), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    # A causal query sees no key behind itself, so the last block to look at depends on the program.
    end = min(first + BM, length) if CAUSAL else length
    for start in range(0, end, BN):
        cols = start + tl.arange(0, BN)
        # K is loaded transposed by swapping the roles of rows and columns in the addresses.
        k = tl.load(k_ptr + head + cols[None, :] * D + d[:, None], mask=cols[None, :] < length, other=0.0)
        scores = tl.dot(q, k, input_precision="ieee") * scale
        visible = cols[None, :] < length
        if CAUSAL:
            visible = visible & (cols[None, :] <= rows[:, None])
        scores = tl.where(visible, scores, -float("inf"))

        higher = tl.maximum(top, tl.max(scores, axis=1))
        weights = tl.exp(scores - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(weights, axis=1)
        v = tl.load(v_ptr + head + cols[:, None] * D + d[None, :], mask=cols[:, None] < length, other=0.0)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None], input_precision="ieee")
        top = higher
    tl.store(out_ptr + head + rows[:, None] * D + d[None, :], acc / total[:, None], mask=rows[:, None] < length)


def attention(q, k, v, causal=False):
    """Attention over contiguous (heads, length, d) arrays of float32 or float16, d a power of two from 16 on."""
    heads, length, d = q.shape
    out = np.empty_like(q)
    attention_kernel[(triton.cdiv(length, 64), heads)](q, k, v, out, length, d**-0.5, CAUSAL=causal, D=d, BM=64,
                                                       BN=32)
    return out


def reference(q, k, v, causal):
    """The same by NumPy in float64, with the whole matrix of scores."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) * q.shape[2]**-0.5
    if causal:
        scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return weights / weights.sum(axis=2, keepdims=True) @ v


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    for dtype, tolerance in ((np.float32, 1e-5), (np.float16, 2e-3)):
        q, k, v = (rng.normal(0, 1, (4, 201, 64)).astype(dtype) for _ in range(3))
        for causal in (False, True):
            np.testing.assert_allclose(attention(q, k, v, causal), reference(q, k, v, causal), rtol=tolerance,
                                       atol=tolerance)
            kind = "causal" if causal else "full"
            print(f"flash_attention: 4 heads, 201 x 64, {np.dtype(dtype).name}, {kind}: agrees with NumPy")
