"""Inline assembly of the host: registers, groups of elements, syntax, and what is wrong with it."""

from __future__ import annotations

import platform

import pytest
import torch
import triton
import triton.language as tl

x86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="assembly of x86")
arm = pytest.mark.skipif(platform.machine() not in ("aarch64", "arm64"), reason="assembly of Arm")


@triton.jit
def unary_kernel(x, out, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr, N: tl.constexpr):
    offs = tl.arange(0, N)
    a = tl.load(x + offs)
    r = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [a], dtype=out.dtype.element_ty, is_pure=True, pack=PACK)
    tl.store(out + offs, r)


@triton.jit
def binary_kernel(x, y, out, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr, N: tl.constexpr):
    offs = tl.arange(0, N)
    a, b = tl.load(x + offs), tl.load(y + offs)
    r = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [a, b], dtype=out.dtype.element_ty, is_pure=True, pack=PACK)
    tl.store(out + offs, r)


def unary(x: torch.Tensor, asm: str, constraints: str, pack: int = 1, out: torch.Tensor | None = None) -> torch.Tensor:
    out = torch.zeros_like(x) if out is None else out
    unary_kernel[(1,)](x, out, asm, constraints, pack, x.numel())
    return out


def binary(x: torch.Tensor, y: torch.Tensor, asm: str, constraints: str, pack: int = 1) -> torch.Tensor:
    out = torch.zeros_like(x)
    binary_kernel[(1,)](x, y, out, asm, constraints, pack, x.numel())
    return out


def integers(dtype: torch.dtype, n: int = 64) -> torch.Tensor:
    info = torch.iinfo(dtype)
    return torch.randint(info.min, info.max, (n,), dtype=dtype)


@x86
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_general_registers(dtype):
    x, y = integers(dtype), integers(dtype)
    suffix = "l" if dtype == torch.int32 else "q"
    asm = f"mov{suffix} $1, $0\n\tadd{suffix} $2, $0"
    assert torch.equal(binary(x, y, asm, "=&r,r,r"), x + y)


@x86
def test_intel_syntax():
    x, y = integers(torch.int32), integers(torch.int32)
    assert torch.equal(binary(x, y, ".intel_syntax noprefix\nlea $0, [$1 + 2*$2]", "=r,r,r"), x + 2 * y)


@x86
def test_tied_operand_and_clobber():
    x = integers(torch.int32)
    assert torch.equal(unary(x, "movl $$5, %ecx\n\troll %cl, $0", "=r,0,~{ecx}"), (x << 5) | ((x >> 27) & 31))


@x86
@pytest.mark.parametrize("dtype", [torch.int8, torch.int16])
def test_narrow_elements_share_a_register(dtype):
    x = integers(dtype)
    per_register = 32 // torch.iinfo(dtype).bits
    assert torch.equal(unary(x, "movl $1, $0\n\tnotl $0", "=r,r", per_register), ~x)
    swapped = unary(x, "movl $1, $0\n\troll $$16, $0", "=r,r", per_register)
    rows = x.view(-1, per_register)
    assert torch.equal(swapped.view_as(rows), rows.roll(per_register // 2, 1))  # the first element is the lowest


@x86
def test_several_registers_per_operand():
    x = integers(torch.int8)
    asm = "movl $2, $0\n\tmovl $3, $1\n\tbswapl $0\n\tbswapl $1"  # 8 elements in two registers
    rows = unary(x, asm, "=&r,=&r,r,r", 8).view(-1, 4)
    assert torch.equal(rows, x.view(-1, 4).flip(1))


@x86
@pytest.mark.parametrize("pack", [1, 4])
def test_vector_registers(pack):
    x, y = torch.rand(64), torch.rand(64)
    asm = "addss $2, $0" if pack == 1 else "addps $2, $0"
    assert torch.equal(binary(x, y, asm, "=x,0,x", pack), x + y)


@x86
def test_other_type_of_result():
    x = torch.rand(64) * 1000 - 500
    out = torch.zeros(64, dtype=torch.int32)
    assert torch.equal(unary(x, "cvttss2si $1, $0", "=r,x", out=out), x.to(torch.int32))


@triton.jit
def two_results_kernel(x, y, quotient, remainder, N: tl.constexpr):
    offs = tl.arange(0, N)
    q, r = tl.inline_asm_elementwise(
        "movl $2, %eax\n\tcltd\n\tidivl $3\n\tmovl %eax, $0\n\tmovl %edx, $1",
        "=&r,=&r,r,r,~{eax},~{edx}",
        [tl.load(x + offs), tl.load(y + offs)],
        dtype=(tl.int32, tl.int32),
        is_pure=True,
        pack=1,
    )
    tl.store(quotient + offs, q)
    tl.store(remainder + offs, r)


@x86
def test_two_results():
    x, y = integers(torch.int32), torch.randint(1, 1000, (64,), dtype=torch.int32)
    quotient, remainder = torch.zeros_like(x), torch.zeros_like(x)
    two_results_kernel[(1,)](x, y, quotient, remainder, N=64)
    assert torch.equal(quotient, torch.div(x, y, rounding_mode="trunc"))
    assert torch.equal(remainder, torch.fmod(x, y))


@triton.jit
def side_effect_kernel(x, PURE: tl.constexpr, N: tl.constexpr):
    pointers = x + tl.arange(0, N)
    # The result is not used; only the effect counts.
    tl.inline_asm_elementwise("lock incl ($1)\n\txorl $0, $0", "=&r,r", [pointers], tl.int32, is_pure=PURE, pack=1)


@x86
@pytest.mark.parametrize("pure", [False, True])
def test_effects_are_kept_unless_it_is_pure(pure):
    x = torch.zeros(16, dtype=torch.int32)
    side_effect_kernel[(1,)](x, pure, N=16)
    assert x.tolist() == [0 if pure else 1] * 16


@triton.jit
def shapes_kernel(x, out, scalar, R: tl.constexpr, C: tl.constexpr):
    offs = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    doubled = tl.inline_asm_elementwise("leal ($1,$1), $0", "=r,r", [tl.load(x + offs)], tl.int32, True, 1)
    tl.store(out + offs, doubled)
    one = tl.inline_asm_elementwise("leal 1($1), $0", "=r,r", [R], tl.int32, True, 1)
    tl.store(scalar, one)


@x86
@pytest.mark.parametrize("shape", [(8, 16), (16, 1), (1, 4)])
def test_blocks_of_two_dimensions_and_scalars(shape):
    x = torch.randint(-1000, 1000, shape, dtype=torch.int32)
    out, scalar = torch.zeros_like(x), torch.zeros(1, dtype=torch.int32)
    shapes_kernel[(1,)](x, out, scalar, *shape)
    assert torch.equal(out, 2 * x) and scalar.item() == shape[0] + 1


@arm
def test_arm():
    x, y = integers(torch.int32), integers(torch.int32)
    assert torch.equal(binary(x, y, "add ${0:w}, ${1:w}, ${2:w}", "=r,r,r"), x + y)
    x, y = torch.rand(64), torch.rand(64)
    assert torch.equal(binary(x, y, "fadd $0.4s, $1.4s, $2.4s", "=w,w,w", 4), x + y)


@pytest.mark.parametrize(
    "asm",
    [
        "mov.b32 $0, $1;",
        "{ .reg .b32 a; cvt.rn.f16x2.f32 $0, $1, $2; }",
        "mov.u32 $0, %tid.x;",
        "prmt.b32 $0, $1, $1, 0x0123;",
        "@$2 ld.global.cg.b32 {$0}, [$1];",
        "cvt.rn.f16x2.e4m3x2 $0, $1;",
        "rsqrt.approx.ftz.f32 $0, $1;",
        "ex2.approx.ftz.f32 $0, $1;",
        "rcp.approx.ftz.f32 $0, $1;",
        "griddepcontrol.wait; // dummy $0",
        "bar.sync 0;",
        "{\n fence.proxy.async; }",
    ],
)
def test_ptx_is_recognized(asm):
    with pytest.raises(triton.CompilationError, match="PTX, which only NVIDIA's GPUs have") as caught:
        unary(integers(torch.int32), asm, "=r,r")
    message = str(caught.value)
    assert "tl.inline_asm_elementwise" in message and "^" in message and "current_target().backend == 'cpu'" in message


def test_gcn_is_recognized():
    with pytest.raises(triton.CompilationError, match="only AMD's GPUs have"):
        unary(torch.rand(64), "v_exp_f32 $0, $1", "=v,v")


@pytest.mark.parametrize(
    ("asm", "constraints", "message"),
    [
        ("nosuchinstruction $0, $1", "=r,r", "invalid instruction|unrecognized instruction"),
        ("", "=r", "1 output and 0 inputs, but the values fill 1 register and 1 register"),
        ("", "=r,r,r", "2 inputs"),
        ("", "r", "0 outputs"),
        ("", "=r,7", "inline assembly"),
        ("", "={nosuchregister},r", "couldn't allocate|could not"),
    ],
)
def test_errors_are_exceptions(asm, constraints, message):
    for _ in range(2):  # and do not spoil what comes after
        with pytest.raises(RuntimeError, match=message):
            unary(integers(torch.int32), asm, constraints)


def test_pack_has_to_divide_the_block():
    with pytest.raises((RuntimeError, triton.CompilationError), match="pack"):
        unary(integers(torch.int8, 4), "", "=r,0", 8)
