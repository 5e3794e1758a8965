"""The kernels that are measured. Each has a `launch` that takes torch tensors and writes into a given output."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=live) + tl.load(y_ptr + at, mask=live), mask=live)


@triton.jit
def gelu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    tl.store(out_ptr + at, 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476)), mask=live)


@triton.jit
def softmax_kernel(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=-float("inf"))
    weights = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * cols + c, weights / tl.sum(weights, axis=0), mask=c < cols)


@triton.jit
def layer_norm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    live = c < cols
    x = tl.load(x_ptr + row * cols + c, mask=live, other=0.0)
    mean = tl.sum(x, axis=0) / cols
    centred = tl.where(live, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / cols + eps)
    weight = tl.load(weight_ptr + c, mask=live)
    bias = tl.load(bias_ptr + c, mask=live)
    tl.store(out_ptr + row * cols + c, centred * rstd * weight + bias, mask=live)


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, a_m, a_k, b_k, b_n, c_m, c_n, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(m, BM)
    per_group = GROUP * tl.cdiv(n, BN)
    first = pid // per_group * GROUP
    height = min(tiles_m - first, GROUP)
    r = (first + pid % per_group % height) * BM + tl.arange(0, BM)
    c = pid % per_group // height * BN + tl.arange(0, BN)
    i = tl.arange(0, BK)
    a_at = a_ptr + r[:, None] * a_m + i[None, :] * a_k
    b_at = b_ptr + i[:, None] * b_k + c[None, :] * b_n
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        a = tl.load(a_at, mask=(r[:, None] < m) & (i[None, :] < k - start), other=0.0)
        b = tl.load(b_at, mask=(i[:, None] < k - start) & (c[None, :] < n), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_at += BK * a_k
        b_at += BK * b_k
    tl.store(c_ptr + r[:, None] * c_m + c[None, :] * c_n, acc, mask=(r[:, None] < m) & (c[None, :] < n))


@triton.jit
def packed_matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                         ACC: tl.constexpr):
    tiles_n = tl.cdiv(n, BN)
    r = tl.program_id(0) // tiles_n * BM + tl.arange(0, BM)
    c = tl.program_id(0) % tiles_n * BN + tl.arange(0, BN)
    i = tl.arange(0, BK)
    a_at = a_ptr + r[:, None] * k + i[None, :]
    b_at = b_ptr + i[:, None] * n + c[None, :]
    acc = tl.zeros((BM, BN), dtype=ACC)
    for _ in range(0, k, BK):
        acc = tl.dot(tl.load(a_at), tl.load(b_at), acc, out_dtype=ACC)
        a_at += BK
        b_at += BK * n
    tl.store(c_ptr + r[:, None] * n + c[None, :], acc.to(c_ptr.dtype.element_ty))


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, BLOCK)[None, :]
    x = tl.load(x_ptr + r * cols + c, mask=c < cols, other=0.0)
    tl.store(out_ptr + r * cols + c, tl.cumsum(x, axis=1), mask=c < cols)


@triton.jit
def histogram_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr + tl.load(x_ptr + at, mask=at < n, other=0), 1, mask=at < n)


@triton.jit
def column_sum_kernel(x_ptr, out_ptr, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    for i in range(ROWS):
        row = tl.program_id(0) * ROWS + i
        tl.atomic_add(out_ptr + c, tl.load(x_ptr + row * cols + c, mask=c < cols), mask=c < cols)


def add(x, y, out, block=4096):
    add_kernel[(triton.cdiv(out.numel(), block), )](x, y, out, out.numel(), BLOCK=block)


def gelu(x, out, block=4096):
    gelu_kernel[(triton.cdiv(out.numel(), block), )](x, out, out.numel(), BLOCK=block)


def softmax(x, out):
    rows, cols = x.shape
    softmax_kernel[(rows, )](x, out, cols, BLOCK=triton.next_power_of_2(cols))


def layer_norm(x, weight, bias, out):
    rows, cols = x.shape
    layer_norm_kernel[(rows, )](x, weight, bias, out, cols, 1e-5, BLOCK=triton.next_power_of_2(cols))


def matmul(a, b, out, blocks=(64, 64, 64), group=8):
    """`group` rows of blocks are gone through together."""
    (m, k), n = a.shape, b.shape[1]
    bm, bn, bk = blocks
    grid = (triton.cdiv(m, bm) * triton.cdiv(n, bn), )
    matmul_kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), *out.stride(), BM=bm, BN=bn, BK=bk,
                        GROUP=group)


def packed_matmul(a, b, out, acc, blocks=(64, 64, 128)):
    """All sizes are multiples of the blocks; `acc` is the type of the sums."""
    (m, k), n = a.shape, b.shape[1]
    bm, bn, bk = blocks
    packed_matmul_kernel[(m // bm * (n // bn), )](a, b, out, m, n, k, BM=bm, BN=bn, BK=bk, ACC=acc)


def cumsum(x, out, rows=4):
    """Along rows, of which there are a multiple of `rows`."""
    cumsum_kernel[(x.shape[0] // rows, )](x, out, x.shape[1], ROWS=rows, BLOCK=triton.next_power_of_2(x.shape[1]))


def histogram(x, out, block=1024):
    """Adds the counts of `x`'s values to `out`, which has a place for each."""
    histogram_kernel[(triton.cdiv(x.numel(), block), )](x, out, x.numel(), BLOCK=block)


def column_sum(x, out, rows=16):
    """Adds the rows of `x`, of which there are a multiple of `rows`, to `out`."""
    column_sum_kernel[(x.shape[0] // rows, )](x, out, x.shape[1], ROWS=rows, BLOCK=triton.next_power_of_2(x.shape[1]))
