"""Flash attention forward: streaming softmax over key blocks, causal and not, ragged lengths."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import Fenced, assert_close, make, random_values, read


@triton.jit
def attend_block(acc, total, top, q, k_ptr, v_ptr, start, rows, length, k_row, v_row, scale, MASKED: tl.constexpr,
                 CAUSAL: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """One block of keys and values folded into the running (acc, total, top)."""
    cols = start + tl.arange(0, BN)
    d = tl.arange(0, D)
    inside = cols < length
    k = tl.load(k_ptr + cols[None, :] * k_row + d[:, None], mask=inside[None, :], other=0.0)
    scores = tl.dot(q, k, input_precision="ieee") * scale
    if MASKED:
        keep = inside[None, :]
        if CAUSAL:
            keep = keep & (cols[None, :] <= rows[:, None])
        scores = tl.where(keep, scores, -float("inf"))
    higher = tl.maximum(top, tl.max(scores, 1))
    weights = tl.exp2(scores - higher[:, None])
    shrink = tl.exp2(top - higher)
    total = total * shrink + tl.sum(weights, 1)
    v = tl.load(v_ptr + cols[:, None] * v_row + d[None, :], mask=inside[:, None], other=0.0)
    acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None], input_precision="ieee")
    return acc, total, higher


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, q_head, q_row, k_head, k_row, v_head, v_row, out_head, out_row,
              length, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1)
    first = tl.program_id(0) * BM
    rows = first + tl.arange(0, BM)
    d = tl.arange(0, D)
    k_ptr += head * k_head
    v_ptr += head * v_head
    scale *= 1.44269504  # exp(x) is taken as exp2(x * log2 e)
    q = tl.load(q_ptr + head * q_head + rows[:, None] * q_row + d[None, :], mask=rows[:, None] < length, other=0.0)
    top = tl.full((BM, ), -float("inf"), tl.float32)
    total = tl.zeros((BM, ), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    # Whole blocks in front of the diagonal and of the end need no mask.
    if CAUSAL:
        plain = first // BN * BN
        stop = min(first + BM, length)
    else:
        plain = length // BN * BN
        stop = length
    plain = min(plain, length // BN * BN)
    for start in range(0, plain, BN):
        acc, total, top = attend_block(acc, total, top, q, k_ptr, v_ptr, start, rows, length, k_row, v_row, scale,
                                       False, CAUSAL, BN, D)
    for start in range(plain, stop, BN):
        acc, total, top = attend_block(acc, total, top, q, k_ptr, v_ptr, start, rows, length, k_row, v_row, scale,
                                       True, CAUSAL, BN, D)
    out = (acc / total[:, None]).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + head * out_head + rows[:, None] * out_row + d[None, :], out, mask=rows[:, None] < length)
    tl.store(lse_ptr + head * length + rows, top + tl.log2(total), mask=rows < length)


def oracle(q, k, v, scale, causal):
    q, k, v = (a.astype(np.float64) for a in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) * scale
    if causal:
        scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(-1, keepdims=True)
    return weights / total @ v, ((top + np.log(total)) / np.log(2))[..., 0]


TOLERANCE = {"float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("length, d", [(1, 16), (64, 64), (77, 32), (130, 16)])
@pytest.mark.parametrize("bm, bn", [(32, 32), (64, 16), (16, 64)])
def test_heads_and_lengths(length, d, causal, dtype, bm, bn):
    heads = 3
    q, k, v = (random_values((heads, length, d), dtype, seed, 1.0) for seed in (1, 2, 3))
    out, lse = make(np.zeros((heads, length, d)), dtype), Fenced((heads, length), "float32")
    scale = d**-0.5
    attention[(triton.cdiv(length, bm), heads)](make(q, dtype), make(k, dtype), make(v, dtype), out, lse.array,
                                                *(length * d, d) * 4, length, scale, CAUSAL=causal, BM=bm, BN=bn,
                                                D=d)
    expected, expected_lse = oracle(q, k, v, scale, causal)
    assert_close(read(out), expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    assert_close(lse.array, expected_lse, rtol=1e-4, atol=1e-3 if dtype != "float32" else 1e-4)
    lse.assert_fence_intact()


@pytest.mark.parametrize("causal", [False, True])
def test_heads_interleaved_in_memory(causal):
    length, heads, d = 50, 4, 32
    q, k, v = (random_values((length, heads, d), "float32", seed, 1.0) for seed in (4, 5, 6))
    out, lse = np.zeros((length, heads, d), np.float32), np.zeros((heads, length), np.float32)
    attention[(4, heads)](q, k, v, out, lse, *(d, heads * d) * 4, length, 0.3, CAUSAL=causal, BM=16, BN=32, D=d)
    expected, _ = oracle(*(a.transpose(1, 0, 2) for a in (q, k, v)), 0.3, causal)
    assert_close(out.transpose(1, 0, 2), expected, rtol=2e-5, atol=2e-5)


def test_large_scores_do_not_overflow():
    q, k, v = (random_values((1, 40, 16), "float32", seed, 1.0) for seed in (7, 8, 9))
    out, lse = np.zeros((1, 40, 16), np.float32), np.zeros((1, 40), np.float32)
    attention[(3, 1)](q, k, v, out, lse, *(640, 16) * 4, 40, 100.0, CAUSAL=True, BM=16, BN=16, D=16)
    expected, _ = oracle(q, k, v, 100.0, True)
    assert_close(out, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("causal", [False, True])
def test_against_torch(causal):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 3, 100, 32) for _ in range(3))
    out, lse = torch.empty_like(q), torch.empty(6, 100)
    attention[(triton.cdiv(100, 32), 6)](q, k, v, out, lse, *(q.stride(1), q.stride(2)) * 4, 100, 32**-0.5,
                                         CAUSAL=causal, BM=32, BN=32, D=32)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)
