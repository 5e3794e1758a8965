"""Shape operations, accesses, atomics, block pointers and descriptors."""

import pytest
import triton
import triton.language as tl


@triton.jit
def shapes(p):
    x = tl.load(p + tl.arange(0, 32))
    tl.static_assert(x.shape[0] == 32)
    m = tl.reshape(x, (4, 8))
    tl.static_assert(m.T.shape[0] == 8)
    tl.static_assert(tl.trans(m).shape[1] == 4)
    tl.static_assert(tl.permute(m[None], (1, 2, 0)).shape[0] == 4)
    tl.static_assert(m[:, None, :].shape[1] == 1)
    tl.static_assert(len(m) == 4)
    tl.static_assert(m.numel == 32)
    tl.static_assert(tl.broadcast_to(x[None, :], (4, 32)).shape[0] == 4)
    tl.static_assert(tl.expand_dims(x, (0, 2)).shape[2] == 1)
    tl.static_assert(tl.join(x, x).shape[1] == 2)
    low, high = tl.split(tl.reshape(x, (16, 2)))
    tl.static_assert(low.shape[0] == 16)
    tl.static_assert(tl.interleave(low, high).shape[0] == 32)
    tl.static_assert(tl.cat(low, high, can_reorder=True).shape[0] == 32)
    tl.static_assert(tl.cat(m, m, dim=1).shape[1] == 16)
    tl.static_assert(tl.ravel(m).shape[0] == 32)
    tl.static_assert(tl.histogram(x, 16).shape[0] == 16)
    tl.static_assert(tl.gather(x, tl.arange(0, 8), 0).shape[0] == 8)
    tl.static_assert(tl.sort(m).shape[1] == 8)
    tl.static_assert(tl.topk(m, 4).shape[1] == 4)
    tl.static_assert(tl.flip(m, 0).shape[0] == 4)
    tl.static_assert(tl.sum(m, 0).shape[0] == 8)
    tl.static_assert(tl.sum(m, 1, keep_dims=True).shape[1] == 1)
    tl.static_assert(tl.max(m, keep_dims=True).shape[1] == 1)
    tl.static_assert(tl.argmax(m, -1).shape[0] == 4)
    tl.static_assert(tl.cumsum(m, 1).shape[1] == 8)
    tl.static_assert(tl.zeros_like(m).dtype == m.dtype)
    tl.static_assert(len(tl.item(x[:, None].sum(0)).shape) == 0)
    tl.store(p, tl.sum(x))


def test_shapes(ttir):
    text = ttir(shapes, p="*i32")
    for operation in (
        "tt.reshape",
        "tt.trans",
        "tt.join",
        "tt.split",
        "tt.cat",
        "tt.histogram",
        "tt.gather",
        "tt.scan",
    ):
        assert operation in text


@triton.jit
def accesses(p, q):
    at = tl.arange(0, 8)
    x = tl.load(p + at, mask=at < 5, other=1, cache_modifier=".cg", eviction_policy="evict_last", volatile=True)
    tl.store(q + at[:, None] + at[None, :], x, mask=(at < 3)[None, :], cache_modifier=".wb")
    tl.store(q, 1)
    tl.atomic_add(p + at, 1, mask=at < 3, sem="relaxed", scope="cta")
    tl.atomic_max(q, 1.5)
    tl.atomic_xchg(p, 3)
    tl.atomic_cas(p, 3, 4)
    tl.atomic_xor(p, 3)


def test_accesses(ttir):
    text = ttir(accesses, p="*i32", q="*fp32")
    assert "cacheModifier = cg evictionPolicy = evict_last {isVolatile = true}" in text
    assert "cacheModifier = wb" in text
    assert "tt.atomic_rmw add, relaxed, cta" in text
    # A float maximum is an integer maximum for one sign and an unsigned minimum for the other.
    assert "tt.atomic_rmw max, acq_rel, gpu" in text
    assert "tt.atomic_rmw umin, acq_rel, gpu" in text
    assert "tt.atomic_rmw exch" in text
    assert "tt.atomic_cas acq_rel, gpu" in text
    assert "tt.atomic_rmw xor" in text


@triton.jit
def unsigned_offsets(p, n):
    tl.store(p + n, 1)


def test_unsigned_offsets_are_not_sign_extended(ttir):
    assert "arith.extui %arg1 : i32 to i64" in ttir(unsigned_offsets, p="*i32", n="u32")
    assert "arith.ext" not in ttir(unsigned_offsets, p="*i32", n="i32")


@triton.jit
def pointer_arithmetic(p, n):
    q = p - n
    q += 1
    r = q.to(tl.int64) + 8
    tl.store(r.to(tl.pointer_type(tl.int8)), 1)
    tl.store(tl.where(n > 1, p, q), 1)


def test_pointer_arithmetic(ttir):
    text = ttir(pointer_arithmetic, p="*i32", n="i32")
    assert "tt.ptr_to_int" in text
    assert "tt.int_to_ptr" in text
    assert "arith.select %" in text


@triton.jit
def block_pointers(p, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    block = tl.make_block_ptr(p, (M, N), (stride, 1), (0, 0), (BM, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, N, BN):
        acc += tl.load(block, boundary_check=(1,), padding_option="nan")
        block = tl.advance(block, (0, BN))
    tl.store(block, acc, boundary_check=(0, 1))


def test_block_pointers_become_pointers_and_masks(ttir):
    text = ttir(block_pointers, p="*fp32", M="i32", N="i32", stride="i64", BM=8, BN=16)
    assert "make_tensor_ptr" not in text
    assert "dense<0x7FC00000> : tensor<8x16xf32>" in text
    assert "tensor<8x16x!tt.ptr<f32>>" in text


@triton.jit
def descriptors(p, q, M, N, BM: tl.constexpr, BN: tl.constexpr):
    a = tl.make_tensor_descriptor(p, [M, N], [N, 1], [BM, BN])
    b = tl.make_tensor_descriptor(q, [M, N], [N, 1], [BM, BN])
    tl.static_assert(a.dtype == tl.float32)
    tl.static_assert(a.block_shape[1] == BN)
    b.store([0, 0], a.load([0, 0]))
    b.atomic_add([0, 0], a.load([BM, 0]))
    tl.store(q, a.shape[0])


def test_descriptors(ttir):
    text = ttir(descriptors, p="*fp32", q="*fp32", M="i32", N="i32", BM=8, BN=16)
    assert text.count("tt.load") == 2
    assert "tt.atomic_rmw fadd, relaxed" in text


@triton.jit
def host_descriptor(d, p):
    x = d.load([8, 16])
    d.store([0, 0], x + 1)
    tl.store(p, d.strides[0])


def test_host_descriptors_are_base_shape_and_strides(ttir):
    text = ttir(host_descriptor, d="tensordesc<fp32[8, 16]>", p="*i64")
    # The last stride is 1; base and the other strides are multiples of 16 bytes.
    arguments = (
        "%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i64, %arg2: i64, "
        "%arg3: i64 {tt.divisibility = 4 : i32}, %arg4: !tt.ptr<i64>"
    )
    assert f"({arguments})" in text
    assert "0x7FC00000" in ttir(host_descriptor, d="tensordesc<fp32[8, 16],nan>", p="*i64")


@triton.jit
def gather_rows(p, q, N):
    d = tl.make_tensor_descriptor(p, [N, N], [N, 1], [1, 16])
    rows = tl.arange(0, 8) * 2
    x = d.gather(rows, 16)
    tl.static_assert(x.shape[0] == 8)
    d.scatter(x, rows, 0)


def test_gather_of_rows(ttir):
    assert "tensor<8x16x!tt.ptr<f32>>" in ttir(gather_rows, p="*fp32", q="*fp32", N="i32")


@triton.jit
def bad_block_pointer(p):
    tl.make_block_ptr(p, (8, 8), (8, 1), (0,), (4, 4), (1, 0))


@triton.jit
def bad_order(p):
    tl.make_block_ptr(p, (8, 8), (8, 1), (0, 0), (4, 4), (1, 1))


@triton.jit
def bad_check(p):
    tl.load(tl.make_block_ptr(p, (8, 8), (8, 1), (0, 0), (4, 4), (1, 0)), boundary_check=(2,))


@triton.jit
def masked_block_pointer(p):
    tl.load(tl.make_block_ptr(p, (8, 8), (8, 1), (0, 0), (4, 4), (1, 0)), mask=True)


@triton.jit
def strided_descriptor(p, n):
    tl.make_tensor_descriptor(p, [n, n], [n, 2], [4, 4])


@triton.jit
def narrow_descriptor(p, n):
    tl.make_tensor_descriptor(p, [n, n], [n, 1], [4, 2])


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (bad_block_pointer, "same length, got 2, 2, 1 and 2"),
        (bad_order, "order must be a permutation"),
        (bad_check, "boundary_check must list dimensions"),
        (masked_block_pointer, "takes boundary_check"),
        (strided_descriptor, "last stride must be the constant 1"),
        (narrow_descriptor, "16 bytes"),
    ],
)
def test_bad_views(error_of, kernel, message):
    assert message in str(error_of(kernel, **dict(zip(kernel.arg_names, ("*fp32", "i32")))))


@triton.jit
def hints(p, n):
    at = tl.max_contiguous(tl.multiple_of(tl.arange(0, 8) * n, 8), 8)
    n = tl.multiple_of(n, 16)
    tl.assume(n > 0)
    tl.debug_barrier()
    tl.store(p + at, n)


def test_hints(ttir):
    text = ttir(hints, p="*i32", n="i32")
    assert "tt.contiguity = dense<8> : tensor<1xi32>" in text
    assert "tt.divisibility = dense<8> : tensor<1xi32>" in text
    assert "%arg1: i32 {tt.divisibility = dense<16> : tensor<1xi32>}" in text
    assert "llvm.intr.assume" in text
    assert "gpu.barrier" in text


@triton.jit
def dots(p, PRECISION: tl.constexpr):
    a = tl.zeros((16, 32), tl.float32)
    b = tl.zeros((32, 16), tl.float32)
    c = tl.dot(a, b, input_precision=PRECISION)
    i = tl.dot(tl.zeros((2, 16, 32), tl.int8), tl.zeros((2, 32, 16), tl.int8))
    tl.static_assert(i.dtype == tl.int32)
    h = tl.dot(a.to(tl.float16), b.to(tl.float16), out_dtype=tl.float16)
    tl.static_assert(h.dtype == tl.float16)
    tl.store(p, tl.sum(c) + tl.sum(i))


def test_dots(ttir, error_of):
    assert "inputPrecision = tf32x3" in ttir(dots, p="*fp32", PRECISION=tl.constexpr("tf32x3"))
    message = str(error_of(dots, p="*fp32", PRECISION=tl.constexpr("fp4")))
    assert "'fp4'" in message
    assert "tf32x3" in message


def test_targets_have_a_smallest_dot(error_of):
    fns = {"min_dot_size": lambda lhs, rhs: (16, 16, 64)}
    assert "K >= 64" in str(error_of(dots, p="*fp32", PRECISION=None, codegen_fns=fns))


@triton.jit
def stores_with_every_modifier(p):
    for modifier in tl.static_range(6):
        tl.store(p, 1, cache_modifier=(".wb", ".ca", ".cg", ".cs", ".cv", ".wt")[modifier])


def test_stores_take_the_modifiers_of_all_releases(ttir):
    text = ttir(stores_with_every_modifier, p="*i32")
    assert all(f"cacheModifier = {name}" in text for name in ("wb", "ca", "cg", "cs", "cv", "wt"))
