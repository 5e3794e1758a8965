"""Attention without a matrix of scores in memory: a block of queries meets one block of keys after the other.

Tensors are (batch, heads, length, d), with any strides but of d, which is 1. Gradients are written contiguous as
(batch, length, heads, d). Sums are in single precision.

Forward, for each query: out = sum(w v) / sum(w), w = exp(s - max(s)), s = scale q k + mask, and
logsumexp = max(s) + log(sum(w)). Of a query that sees no key the result is 0, as torch's is.

Backward, with p = exp(s - logsumexp) and delta = sum over d of grad_out * out: grad_v = p^T grad_out,
ds = scale p (grad_out v^T - delta), grad_q = ds k, grad_k = ds^T q.
"""

import triton
import triton.language as tl


@triton.jit
def rows_of(pointer, rows, stride, length, D: tl.constexpr, BLOCK_D: tl.constexpr):
    """Rows of a (length, D) matrix, 0 where there are none."""
    d = tl.arange(0, BLOCK_D)
    inside = (rows < length)[:, None] & (d < D)[None, :]
    return tl.load(pointer + rows[:, None] * stride + d[None, :], inside, other=0.0)


@triton.jit
def store_rows(pointer, rows, stride, length, value, D: tl.constexpr, BLOCK_D: tl.constexpr):
    d = tl.arange(0, BLOCK_D)
    inside = (rows < length)[:, None] & (d < D)[None, :]
    tl.store(pointer + rows[:, None] * stride + d[None, :], value, inside)


@triton.jit
def scores_of(q, k, rows, cols, queries, keys, scale, mask_ptr, mask_row, mask_col, CAUSAL: tl.constexpr,
              MASK: tl.constexpr):
    """Scores of a block, -inf where a query does not see a key."""
    scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    seen = (cols < keys)[None, :] & (rows < queries)[:, None]
    if MASK:
        at = rows[:, None] * mask_row + cols[None, :] * mask_col
        scores += tl.load(mask_ptr + at, seen, other=0.0).to(tl.float32)
    if CAUSAL:
        seen = seen & (cols[None, :] <= rows[:, None])
    return tl.where(seen, scores, -float("inf"))


@triton.jit
def forward(q_ptr, k_ptr, v_ptr, mask_ptr, out_ptr, lse_ptr, heads, queries, keys, scale, q_batch, q_head, q_row,
            k_batch, k_head, k_row, v_batch, v_head, v_row, out_batch, out_head, out_row, mask_batch, mask_head,
            mask_row, mask_col, D: tl.constexpr, BLOCK_D: tl.constexpr, CAUSAL: tl.constexpr, MASK: tl.constexpr,
            ROWS: tl.constexpr, COLS: tl.constexpr):
    """One program for each block of queries of a head. `lse` is (batch, queries, heads)."""
    blocks = tl.cdiv(queries, ROWS)
    which = tl.program_id(0) // blocks
    batch, head = which // heads, which % heads
    # The longest programs first: those at the end have least to do.
    first = (blocks - 1 - tl.program_id(0) % blocks) * ROWS
    rows = first + tl.arange(0, ROWS)
    q = rows_of(q_ptr + batch * q_batch + head * q_head, rows, q_row, queries, D, BLOCK_D)
    k_ptr += batch * k_batch + head * k_head
    v_ptr += batch * v_batch + head * v_head
    mask_ptr += batch * mask_batch + head * mask_head
    top = tl.full((ROWS, ), -float("inf"), tl.float32)
    total = tl.zeros((ROWS, ), tl.float32)
    acc = tl.zeros((ROWS, BLOCK_D), tl.float32)
    end = tl.minimum(first + ROWS, keys) if CAUSAL else keys
    for start in range(0, end, COLS):
        cols = start + tl.arange(0, COLS)
        k = rows_of(k_ptr, cols, k_row, keys, D, BLOCK_D)
        scores = scores_of(q, k, rows, cols, queries, keys, scale, mask_ptr, mask_row, mask_col, CAUSAL, MASK)
        higher = tl.maximum(top, tl.max(scores, axis=1))
        # A finite number to subtract where nothing has been seen yet.
        base = tl.where(higher == -float("inf"), 0.0, higher)
        weights = tl.exp(scores - base[:, None])
        shrink = tl.exp(top - base)
        total = total * shrink + tl.sum(weights, axis=1)
        v = rows_of(v_ptr, cols, v_row, keys, D, BLOCK_D)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None], input_precision="ieee")
        top = higher
    out = acc / tl.where(total == 0.0, 1.0, total)[:, None]
    store_rows(out_ptr + batch * out_batch + head * out_head, rows, out_row, queries, out, D, BLOCK_D)
    tl.store(lse_ptr + batch * queries * heads + head + rows * heads, top + tl.log(total), rows < queries)


@triton.jit
def backward(grad_ptr, q_ptr, k_ptr, v_ptr, mask_ptr, out_ptr, lse_ptr, dq_ptr, dk_ptr, dv_ptr, sum_ptr, heads,
             queries, keys, scale, grad_batch, grad_head, grad_row, q_batch, q_head, q_row, k_batch, k_head, k_row,
             v_batch, v_head, v_row, out_batch, out_head, out_row, lse_batch, lse_head, lse_row, mask_batch,
             mask_head, mask_row, mask_col, D: tl.constexpr, BLOCK_D: tl.constexpr, CAUSAL: tl.constexpr,
             MASK: tl.constexpr, ONE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """One program for each head, keys outside, queries inside. `sum`, (batch * heads, queries, BLOCK_D) in single
    precision, collects the gradients of queries; with ONE block of each it is not used.
    """
    which = tl.program_id(0)
    batch, head = which // heads, which % heads
    grad_ptr += batch * grad_batch + head * grad_head
    q_ptr += batch * q_batch + head * q_head
    k_ptr += batch * k_batch + head * k_head
    v_ptr += batch * v_batch + head * v_head
    out_ptr += batch * out_batch + head * out_head
    lse_ptr += batch * lse_batch + head * lse_head
    mask_ptr += batch * mask_batch + head * mask_head
    dq_ptr += (batch * queries * heads + head) * D
    dk_ptr += (batch * keys * heads + head) * D
    dv_ptr += (batch * keys * heads + head) * D
    sum_ptr += which * queries * BLOCK_D
    for start in range(0, keys, COLS):
        cols = start + tl.arange(0, COLS)
        k = rows_of(k_ptr, cols, k_row, keys, D, BLOCK_D)
        v = rows_of(v_ptr, cols, v_row, keys, D, BLOCK_D)
        dk = tl.zeros((COLS, BLOCK_D), tl.float32)
        dv = tl.zeros((COLS, BLOCK_D), tl.float32)
        for first in range(start // ROWS * ROWS if CAUSAL else 0, queries, ROWS):
            rows = first + tl.arange(0, ROWS)
            q = rows_of(q_ptr, rows, q_row, queries, D, BLOCK_D)
            grad = rows_of(grad_ptr, rows, grad_row, queries, D, BLOCK_D)
            out = rows_of(out_ptr, rows, out_row, queries, D, BLOCK_D)
            lse = tl.load(lse_ptr + rows * lse_row, rows < queries, other=0.0)
            delta = tl.sum(grad.to(tl.float32) * out.to(tl.float32), axis=1)
            scores = scores_of(q, k, rows, cols, queries, keys, scale, mask_ptr, mask_row, mask_col, CAUSAL, MASK)
            base = tl.where(lse == -float("inf"), 0.0, lse)
            p = tl.exp(scores - base[:, None])
            dv = tl.dot(tl.trans(p.to(grad.dtype)), grad, dv, input_precision="ieee")
            dp = tl.dot(grad, tl.trans(v), input_precision="ieee")
            ds = (p * (dp - delta[:, None]) * scale).to(q.dtype)
            dk = tl.dot(tl.trans(ds), q, dk, input_precision="ieee")
            if ONE:
                store_rows(dq_ptr, rows, heads * D, queries, tl.dot(ds, k, input_precision="ieee"), D, BLOCK_D)
            else:
                at = sum_ptr + rows[:, None] * BLOCK_D + tl.arange(0, BLOCK_D)[None, :]
                dq = tl.load(at, (rows < queries)[:, None] & (start > 0), other=0.0)
                tl.store(at, tl.dot(ds, k, dq, input_precision="ieee"), (rows < queries)[:, None])
        store_rows(dk_ptr, cols, heads * D, keys, dk, D, BLOCK_D)
        store_rows(dv_ptr, cols, heads * D, keys, dv, D, BLOCK_D)
    if not ONE:
        for first in range(0, queries, ROWS):
            rows = first + tl.arange(0, ROWS)
            dq = rows_of(sum_ptr, rows, BLOCK_D, queries, BLOCK_D, BLOCK_D)
            store_rows(dq_ptr, rows, heads * D, queries, dq, D, BLOCK_D)
