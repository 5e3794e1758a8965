"""Measured kernels of the kind that models are made of: norms, losses, positions, attention, sorting."""

import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, weight_ptr, out_ptr, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / cols + eps)
    tl.store(out_ptr + row * cols + c, x * scale * tl.load(weight_ptr + c, mask=c < cols), mask=c < cols)


@triton.jit
def cross_entropy_kernel(x_ptr, target_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=-float("inf"))
    top = tl.max(x, axis=0)
    chosen = tl.load(x_ptr + row * cols + tl.load(target_ptr + row))
    tl.store(out_ptr + row, tl.log(tl.sum(tl.exp(x - top), axis=0)) + top - chosen)


@triton.jit
def rotary_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, HEADS: tl.constexpr, HALF: tl.constexpr):
    token = tl.program_id(0)
    d = tl.arange(0, HALF)[None, :]
    cos, sin = tl.load(cos_ptr + token * HALF + d), tl.load(sin_ptr + token * HALF + d)
    at = (token * HEADS + tl.arange(0, HEADS)[:, None]) * 2 * HALF + d
    left, right = tl.load(x_ptr + at), tl.load(x_ptr + at + HALF)
    tl.store(out_ptr + at, left * cos - right * sin)
    tl.store(out_ptr + at + HALF, right * cos + left * sin)


@triton.jit
def chain_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + at, mask=at < n), tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, (tl.maximum(x * y + 1.0, 0.0) - y) * x, mask=at < n)


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, length, scale, D: tl.constexpr, BM: tl.constexpr,
                     BN: tl.constexpr):
    """Causal; `length` is a multiple of BM and BN."""
    head = tl.program_id(1) * length * D
    # The longest programs first: those at the end have least to do.
    first = (tl.num_programs(0) - 1 - tl.program_id(0)) * BM
    rows, d = first + tl.arange(0, BM), tl.arange(0, D)
    q = tl.load(q_ptr + head + rows[:, None] * D + d[None, :]) * scale
    top = tl.full((BM, ), -float("inf"), tl.float32)
    total = tl.zeros((BM, ), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, first + BM, BN):
        cols = start + tl.arange(0, BN)
        k = tl.load(k_ptr + head + cols[:, None] * D + d[None, :])
        scores = tl.dot(q, tl.trans(k), input_precision="ieee")
        scores = tl.where(cols[None, :] <= rows[:, None], scores, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, axis=1))
        weights = tl.exp(scores - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(weights, axis=1)
        v = tl.load(v_ptr + head + cols[:, None] * D + d[None, :])
        acc = tl.dot(weights, v, acc * shrink[:, None], input_precision="ieee")
        top = higher
    tl.store(out_ptr + head + rows[:, None] * D + d[None, :], acc / total[:, None])


@triton.jit
def sort_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.sort(tl.load(x_ptr + at)))


@triton.jit
def many_arguments_kernel(x_ptr, y_ptr, z_ptr, u_ptr, v_ptr, out_ptr, n, a, b, c, d, e, f, g, h, i, j, k,
                          BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = a + b + c + d + e + f + g + h + i + j + k
    s = tl.load(x_ptr + at) + tl.load(y_ptr + at) + tl.load(z_ptr + at) + tl.load(u_ptr + at) + tl.load(v_ptr + at)
    tl.store(out_ptr + at, s + total, mask=at < n)


def rms_norm(x, weight, out, eps=1e-6):
    rows, cols = x.shape
    rms_norm_kernel[(rows, )](x, weight, out, cols, eps, BLOCK=triton.next_power_of_2(cols))


def cross_entropy(x, target, out):
    """The loss of each row of `x`."""
    rows, cols = x.shape
    cross_entropy_kernel[(rows, )](x, target, out, cols, BLOCK=triton.next_power_of_2(cols))


def rotary(x, cos, sin, out):
    """Turns the halves of each head by the angles of its token; `x` is (tokens, heads, d), `cos` (tokens, d / 2)."""
    tokens, heads, d = x.shape
    rotary_kernel[(tokens, )](x, cos, sin, out, HEADS=heads, HALF=d // 2)


def chain(x, y, out, block=4096):
    chain_kernel[(triton.cdiv(out.numel(), block), )](x, y, out, out.numel(), BLOCK=block)


def attention(q, k, v, out, blocks=(64, 64)):
    """Causal attention of contiguous (heads, length, d) tensors."""
    heads, length, d = q.shape
    attention_kernel[(length // blocks[0], heads)](q, k, v, out, length, d**-0.5, D=d, BM=blocks[0], BN=blocks[1])
