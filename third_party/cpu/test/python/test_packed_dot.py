"""Products of bytes and of bf16, with the instructions for them where the processor has some."""

from __future__ import annotations

import platform

import pytest
import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.backends.cpu.compiler import CPUBackend, host_machine


@triton.jit
def dot_kernel(a, b, c, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    at = m[:, None] * N + n[None, :]
    tl.store(out + at, tl.dot(x, y, tl.load(c + at), out_dtype=c.dtype.element_ty))


SHAPES = [(16, 16, 16), (1, 16, 4), (64, 128, 32), (32, 64, 256), (2, 32, 2), (16, 8, 64), (4, 4, 1)]


@pytest.mark.parametrize("shape", SHAPES)
def test_bytes(shape):
    m, n, k = shape
    a = torch.randint(-128, 128, (m, k), dtype=torch.int8)
    b = torch.randint(-128, 128, (k, n), dtype=torch.int8)
    a[0], b[:, 0] = -128, -128  # the largest products
    c = torch.randint(-(2**31), 2**31 - 1, (m, n), dtype=torch.int32)
    out = torch.zeros_like(c)
    kernel = dot_kernel[(1,)](a, b, c, out, m, n, k)
    assert torch.equal(out, c + a.int() @ b.int())
    packed = host_machine().dot_int8 and n >= 16 and k % 4 == 0
    assert ("vpdpbusd" in kernel.asm["tcir"]) == packed


@pytest.mark.parametrize("shape", SHAPES)
def test_bf16(shape):
    m, n, k = shape
    a, b = torch.randn(m, k, dtype=torch.bfloat16), torch.randn(k, n, dtype=torch.bfloat16)
    c, out = torch.randn(m, n), torch.zeros(m, n)
    kernel = dot_kernel[(1,)](a, b, c, out, m, n, k)
    torch.testing.assert_close(out.double(), c.double() + a.double() @ b.double(), rtol=1e-5, atol=1e-5 * k)
    packed = host_machine().dot_bf16 and n >= 16 and k % 2 == 0
    assert ("dpbf16ps" in kernel.asm["tcir"]) == packed


@triton.jit
def tiles_kernel(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM + tl.arange(0, BM)[:, None], tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), out.dtype.element_ty)
    for start in range(0, K, BK):
        x = tl.load(a + m * K + (start + k)[None, :], mask=(m < M) & (start + k < K)[None, :], other=0)
        y = tl.load(b + (start + k)[:, None] * N + n, mask=(start + k < K)[:, None] & (n < N), other=0)
        acc = tl.dot(x, y, acc, out_dtype=out.dtype.element_ty)
    tl.store(out + m * N + n, acc, mask=(m < M) & (n < N))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int8])
@pytest.mark.parametrize("blocks", [(16, 128, 64), (64, 32, 32), (8, 64, 16)])
def test_tiles_of_a_loop(dtype, blocks):
    m, n, k = 75, 203, 129
    a, b = (torch.randint(-8, 9, shape).to(dtype) for shape in ((m, k), (k, n)))
    out = torch.zeros(m, n, dtype=torch.int32 if dtype == torch.int8 else torch.float32)
    grid = (triton.cdiv(m, blocks[0]), triton.cdiv(n, blocks[1]))
    kernel = tiles_kernel[grid](a, b, out, m, n, k, *blocks)
    assert torch.equal(out.long(), a.long() @ b.long())  # small whole numbers are exact
    machine = host_machine()
    packed = machine.dot_int8 if dtype == torch.int8 else machine.dot_bf16
    assert ("llvm.intr.prefetch" in kernel.asm["tcir"]) or not packed


def test_bf16_special_values():
    inf, nan = float("inf"), float("nan")
    a = torch.tensor([[inf, 1.0], [nan, 1.0], [-inf, inf], [0.0, -0.0]] * 4, dtype=torch.bfloat16)
    b = torch.ones(2, 16, dtype=torch.bfloat16)
    out = torch.zeros(16, 16)
    dot_kernel[(1,)](a, b, torch.zeros(16, 16), out, 16, 16, 2)
    torch.testing.assert_close(out, a.float() @ b.float(), equal_nan=True)


def test_conversions_beside_such_a_product_keep_subnormal_numbers():
    @triton.jit
    def kernel(a, out, x, y, N: tl.constexpr):
        n = tl.arange(0, N)
        at = n[:, None] * N + n[None, :]
        t = tl.load(a + at)
        tl.store(out + at, tl.dot(t, t))
        tl.store(y + n, tl.load(x + n).to(tl.bfloat16))

    a = torch.eye(16, dtype=torch.bfloat16)
    x = torch.full((16,), 1e-39)
    out, y = torch.zeros(16, 16), torch.zeros(16, dtype=torch.bfloat16)
    kernel[(1,)](a, out, x, y, N=16)
    assert torch.equal(out, a.float()) and torch.equal(y, x.to(torch.bfloat16)) and y[0] != 0


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="processors of x86")
@pytest.mark.parametrize(
    ("arch", "bits", "int8", "bf16"),
    [
        ("x86-64", 128, False, False),
        ("haswell", 256, False, False),
        ("skylake-avx512", 512, False, False),
        ("cascadelake", 512, True, False),
        ("sapphirerapids", 512, True, True),
    ],
)
def test_named_processors(arch, bits, int8, bf16):
    machine = CPUBackend(GPUTarget("cpu", arch, 1)).machine
    assert (machine.vector_bits, machine.dot_int8, machine.dot_bf16) == (bits, int8, bf16)
    assert "+avx512bf16" not in machine.features


def test_unknown_processor():
    with pytest.raises(ValueError, match="'pentium9' is not known"):
        CPUBackend(GPUTarget("cpu", "pentium9", 1)).hash()
