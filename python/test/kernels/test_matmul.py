"""Matrix products: grouped program order, ragged edges, all transpositions, the type combinations, epilogues."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import EPS, Fenced, assert_close, assert_same, element_strides, make, random_values, read


@triton.jit
def tile_of_program(pid, m, n, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """Row and column of the output tile: GROUP rows of tiles are walked column by column."""
    tiles_m = tl.cdiv(m, BM)
    tiles_n = tl.cdiv(n, BN)
    group = pid // (GROUP * tiles_n)
    first = group * GROUP
    height = min(tiles_m - first, GROUP)
    within = pid % (GROUP * tiles_n)
    return first + within % height, within // height


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, m, n, k, a_m, a_k, b_k, b_n, c_m, c_n, ACC: tl.constexpr, BM: tl.constexpr,
           BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    tile_m, tile_n = tile_of_program(tl.program_id(0), m, n, BM, BN, GROUP)
    r = tile_m * BM + tl.arange(0, BM)
    c = tile_n * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    a_at = a_ptr + r[:, None] * a_m + inner[None, :] * a_k
    b_at = b_ptr + inner[:, None] * b_k + c[None, :] * b_n
    acc = tl.zeros((BM, BN), dtype=ACC)
    for start in range(0, k, BK):
        left = k - start
        a = tl.load(a_at, mask=(r < m)[:, None] & (inner < left)[None, :], other=0)
        b = tl.load(b_at, mask=(inner < left)[:, None] & (c < n)[None, :], other=0)
        acc = tl.dot(a, b, acc, input_precision="ieee", out_dtype=ACC)
        a_at += BK * a_k
        b_at += BK * b_k
    c_at = c_ptr + r[:, None] * c_m + c[None, :] * c_n
    tl.store(c_at, acc.to(c_ptr.dtype.element_ty), mask=(r < m)[:, None] & (c < n)[None, :])


@triton.jit
def matmul_wrapping(a_ptr, b_ptr, c_ptr, m, n, k, a_m, a_k, b_k, b_n, c_m, c_n, BM: tl.constexpr, BN: tl.constexpr,
                    BK: tl.constexpr):
    """Rows and columns taken modulo the size instead of masked; only the inner dimension has a mask."""
    r = (tl.program_id(0) * BM + tl.arange(0, BM)) % m
    c = (tl.program_id(1) * BN + tl.arange(0, BN)) % n
    inner = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(tl.cdiv(k, BK)):
        at = step * BK + inner
        a = tl.load(a_ptr + r[:, None] * a_m + at[None, :] * a_k, mask=at[None, :] < k, other=0.0)
        b = tl.load(b_ptr + at[:, None] * b_k + c[None, :] * b_n, mask=at[:, None] < k, other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(c_ptr + rows[:, None] * c_m + cols[None, :] * c_n, acc, mask=(rows < m)[:, None] & (cols < n)[None, :])


@triton.jit
def dot_once(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, TRANSPOSE_A: tl.constexpr):
    """One product of two whole operands, the left one optionally through ``tl.trans``."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    if TRANSPOSE_A:
        a = tl.trans(tl.load(a_ptr + k[:, None] * M + m[None, :]))
    else:
        a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b, input_precision="ieee"))


@triton.jit
def dot_of_computed(a_ptr, b_ptr, c_ptr, total_ptr, SIZE: tl.constexpr):
    """Operands that are expressions, a product feeding a product, and a result used twice."""
    at = tl.arange(0, SIZE)
    where = at[:, None] * SIZE + at[None, :]
    a = tl.load(a_ptr + where)
    b = tl.load(b_ptr + where)
    first = tl.dot(tl.exp(a * 0.5), b - 1.0, input_precision="ieee")
    second = tl.dot(first * 0.25, tl.trans(b) + first, input_precision="ieee")
    tl.store(c_ptr + where, second - first)
    tl.store(total_ptr + at, tl.sum(first, axis=1) + tl.sum(second, axis=0))


@triton.jit
def matmul_with_epilogue(a_ptr, b_ptr, bias_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr,
                         BK: tl.constexpr, ACTIVATION: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32) + tl.load(bias_ptr + c, mask=c < n, other=0.0)[None, :]
    for start in range(0, k, BK):
        i = start + tl.arange(0, BK)
        a = tl.load(a_ptr + r[:, None] * k + i[None, :], mask=(r[:, None] < m) & (i[None, :] < k), other=0.0)
        b = tl.load(b_ptr + i[:, None] * n + c[None, :], mask=(i[:, None] < k) & (c[None, :] < n), other=0.0)
        acc = tl.dot(a, b, acc=acc, input_precision="ieee")
    if ACTIVATION == "relu":
        acc = tl.maximum(acc, 0.0)
    elif ACTIVATION == "sigmoid":
        acc = tl.sigmoid(acc)
    tl.store(c_ptr + r[:, None] * n + c[None, :], acc, mask=(r[:, None] < m) & (c[None, :] < n))


ACCUMULATORS = {"float64": tl.float64, "float32": tl.float32, "float16": tl.float32, "bfloat16": tl.float32,
                "int8": tl.int32}
RESULTS = {"float64": "float64", "float32": "float32", "float16": "float16", "bfloat16": "bfloat16", "int8": "int32"}


def operands(m, n, k, dtype):
    return random_values((m, k), dtype, 1, 1.0), random_values((k, n), dtype, 2, 1.0)


def product(a, b):
    kind = np.int32 if a.dtype == np.int8 else np.float64
    return a.astype(kind) @ b.astype(kind)


def check(actual, a, b, result):
    expected = product(a, b)
    if result == "int32":
        assert_same(actual, expected)
    else:
        magnitude = float((np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))).max(initial=0.0))
        exact = EPS["float64"] if result == "float64" else EPS["float32"]
        assert_close(actual, expected, rtol=EPS[result], atol=8 * exact * magnitude)


def run(a_arg, b_arg, a_strides, b_strides, m, n, k, dtype, blocks, group=4, out=None):
    c_arg = make(np.zeros((m, n)), RESULTS[dtype]) if out is None else out
    grid = (triton.cdiv(m, blocks[0]) * triton.cdiv(n, blocks[1]), )
    matmul[grid](a_arg, b_arg, c_arg, m, n, k, *a_strides, *b_strides, n, 1, ACC=ACCUMULATORS[dtype], BM=blocks[0],
                 BN=blocks[1], BK=blocks[2], GROUP=group)
    return read(c_arg)


@pytest.mark.parametrize("dtype", ACCUMULATORS)
@pytest.mark.parametrize("m, n, k", [(1, 1, 1), (64, 64, 64), (70, 50, 33), (129, 65, 100)])
@pytest.mark.parametrize("blocks", [(32, 32, 32), (64, 16, 64)])
def test_sizes_and_dtypes(m, n, k, dtype, blocks):
    a, b = operands(m, n, k, dtype)
    check(run(make(a, dtype), make(b, dtype), (k, 1), (n, 1), m, n, k, dtype, blocks), a, b, RESULTS[dtype])


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8"])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_transpositions(transpose_a, transpose_b, dtype):
    m, n, k = 75, 90, 57
    a, b = operands(m, n, k, dtype)
    a_arg, a_strides = (make(a.T, dtype), (1, m)) if transpose_a else (make(a, dtype), (k, 1))
    b_arg, b_strides = (make(b.T, dtype), (1, k)) if transpose_b else (make(b, dtype), (n, 1))
    check(run(a_arg, b_arg, a_strides, b_strides, m, n, k, dtype, (32, 64, 32)), a, b, RESULTS[dtype])


@pytest.mark.parametrize("blocks", [(16, 16, 16), (16, 128, 32), (128, 16, 128), (128, 128, 64), (64, 256, 16)])
def test_block_shapes(blocks):
    m, n, k = 200, 300, 150
    a, b = operands(m, n, k, "float32")
    fence = Fenced((m, n), "float32")
    check(run(a, b, (k, 1), (n, 1), m, n, k, "float32", blocks, out=fence.array), a, b, "float32")
    fence.assert_fence_intact()


@pytest.mark.parametrize("group", [1, 2, 3, 8, 100])
def test_grouping_covers_every_tile_once(group):
    m, n, k = 150, 70, 20
    a, b = operands(m, n, k, "float32")
    check(run(a, b, (k, 1), (n, 1), m, n, k, "float32", (16, 16, 16), group), a, b, "float32")


def test_empty_inner_dimension_gives_zeros():
    a, b = np.zeros((5, 0), np.float32), np.zeros((0, 7), np.float32)
    out = np.full((5, 7), 3, np.float32)
    run(a, b, (0, 1), (7, 1), 5, 7, 0, "float32", (16, 16, 16), out=out)
    assert (out == 0).all()


@pytest.mark.parametrize("view", ["every second", "backwards", "one row repeated"])
def test_strided_operands(view):
    m, n, k = 40, 50, 30
    wide = random_values((2 * m, 2 * k), "float32", 3)
    a = {"every second": wide[::2, ::2], "backwards": wide[:m, :k][::-1, ::-1],
         "one row repeated": np.broadcast_to(wide[:1, :k], (m, k))}[view]
    b = np.asfortranarray(random_values((k, n), "float32", 4))
    actual = run(a, b, element_strides(a), element_strides(b), m, n, k, "float32", (32, 32, 16))
    check(actual, a, b, "float32")


@pytest.mark.parametrize("m, n, k", [(33, 47, 65), (64, 64, 32), (5, 200, 1)])
def test_wrapping_indices(m, n, k):
    a, b = operands(m, n, k, "float32")
    c = Fenced((m, n), "float32")
    matmul_wrapping[(triton.cdiv(m, 32), triton.cdiv(n, 32))](a, b, c.array, m, n, k, k, 1, n, 1, n, 1, BM=32,
                                                              BN=32, BK=32)
    check(c.array, a, b, "float32")
    c.assert_fence_intact()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int8"])
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("m, n, k", [(16, 16, 16), (64, 32, 16), (16, 64, 128)])
def test_single_product(m, n, k, transpose, dtype):
    a, b = operands(m, n, k, dtype)
    result = {"float64": "float64", "int8": "int32"}.get(dtype, "float32")
    out = np.zeros((m, n), result)
    dot_once[(1, )](make(a.T if transpose else a, dtype), make(b, dtype), out, M=m, N=n, K=k, TRANSPOSE_A=transpose)
    check(out, a, b, result)


def test_int8_extremes_do_not_saturate():
    a, b = np.full((16, 128), -128, np.int8), np.full((128, 16), -128, np.int8)
    out = np.zeros((16, 16), np.int32)
    dot_once[(1, )](a, b, out, M=16, N=16, K=128, TRANSPOSE_A=False)
    assert (out == 128 * 16384).all()


def test_uint8_is_not_read_as_signed():
    rng = np.random.default_rng(8)
    a, b = (rng.integers(0, 256, shape, dtype=np.uint8) for shape in ((16, 32), (32, 16)))
    out = np.zeros((16, 16), np.int32)
    dot_once[(1, )](a, b, out, M=16, N=16, K=32, TRANSPOSE_A=False)
    assert (out == a.astype(np.int32) @ b.astype(np.int32)).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_non_finite_values_stay_in_their_row_and_column(bad):
    a, b = operands(32, 32, 32, "float32")
    a[3, 5] = bad
    out = np.zeros((32, 32), np.float32)
    dot_once[(1, )](a, b, out, M=32, N=32, K=32, TRANSPOSE_A=False)
    assert not np.isfinite(out[3]).any()
    assert np.isfinite(np.delete(out, 3, 0)).all()


@pytest.mark.parametrize("size", [16, 32])
def test_products_of_expressions(size):
    a, b = operands(size, size, size, "float32")
    out, total = np.zeros((size, size), np.float32), np.zeros(size, np.float32)
    dot_of_computed[(1, )](a, b, out, total, SIZE=size)
    a, b = a.astype(np.float64), b.astype(np.float64)
    first = np.exp(a * 0.5) @ (b - 1)
    second = (first * 0.25) @ (b.T + first)
    scale = np.abs(second).max()
    assert_close(out, second - first, rtol=1e-5, atol=2e-5 * scale)
    assert_close(total, first.sum(1) + second.sum(0), rtol=1e-5, atol=2e-5 * scale * size)


@pytest.mark.parametrize("activation", ["", "relu", "sigmoid"])
def test_bias_and_activation(activation):
    m, n, k = 45, 77, 60
    a, b = operands(m, n, k, "float32")
    bias = random_values(n, "float32", 5)
    out = np.zeros((m, n), np.float32)
    matmul_with_epilogue[(triton.cdiv(m, 32), triton.cdiv(n, 32))](a, b, bias, out, m, n, k, BM=32, BN=32, BK=32,
                                                                   ACTIVATION=activation)
    expected = product(a, b) + bias
    if activation == "relu":
        expected = np.maximum(expected, 0)
    elif activation == "sigmoid":
        expected = 1 / (1 + np.exp(-expected))
    assert_close(out, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_against_torch(dtype):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    a, b = torch.randn(100, 70).to(getattr(torch, dtype)), torch.randn(90, 70).to(getattr(torch, dtype)).t()
    out = torch.empty(100, 90, dtype=getattr(torch, dtype))
    run(a, b, a.stride(), b.stride(), 100, 90, 70, dtype, (32, 32, 32), out=out)
    torch.testing.assert_close(out.float(), a.float() @ b.float(), rtol=0.01 if dtype == "bfloat16" else 1e-4,
                               atol=0.05 if dtype == "bfloat16" else 1e-4)
