"""Kernels from files of IR: TTIR of another producer is tidied first, LLVM IR says what its kernel is."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl

BLOCK_POINTERS = """
module {
  tt.func public @halve(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i64) {
    %c1 = arith.constant 1 : i64
    %c64 = arith.constant 64 : i32
    %half = arith.constant dense<0.5> : tensor<64xf32>
    %pid = tt.get_program_id x : i32
    %at = arith.muli %pid, %c64 : i32
    %p = tt.make_tensor_ptr %x, [%n], [%c1], [%at] {order = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    %q = tt.make_tensor_ptr %out, [%n], [%c1], [%at] {order = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    %v = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
    %w = arith.mulf %v, %half : tensor<64xf32>
    tt.store %q, %w {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    tt.return
  }
}
"""

DESCRIPTORS = """
module {
  tt.func private @twice(%v: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %w = arith.addf %v, %v : tensor<4x16xf32>
    tt.return %w : tensor<4x16xf32>
  }
  tt.func public @rows(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %s = arith.constant 16 : i64
    %one = arith.constant 1 : i64
    %pid = tt.get_program_id x : i32
    %row = arith.muli %pid, %c4 : i32
    %a = tt.make_tensor_descriptor %x, [%n, %c16], [%s, %one] : <f32>, <tensor<4x16xf32>>
    %b = tt.make_tensor_descriptor %out, [%n, %c16], [%s, %one] : <f32>, <tensor<4x16xf32>>
    %v = tt.descriptor_load %a[%row, %c0] : !tt.tensordesc<tensor<4x16xf32>> -> tensor<4x16xf32>
    %w = tt.call @twice(%v) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    tt.descriptor_store %b[%row, %c0], %w : !tt.tensordesc<tensor<4x16xf32>>, tensor<4x16xf32>
    tt.return
  }
}
"""


def from_file(tmp_path: Path, name: str, text: str):
    path = tmp_path / name
    path.write_text(text)
    return triton.compile(str(path))


def test_block_pointers(tmp_path):
    kernel = from_file(tmp_path, "halve.ttir", BLOCK_POINTERS)
    x, out = torch.rand(100), torch.zeros(100)
    kernel[(2, 1, 1)](x, out, 100)
    assert torch.equal(out, x / 2)
    assert "make_tensor_ptr" not in kernel.asm["ttir"]


def test_descriptors_and_calls(tmp_path):
    kernel = from_file(tmp_path, "rows.ttir", DESCRIPTORS)
    x, out = torch.rand(10, 16), torch.zeros(10, 16)
    kernel[(3, 1, 1)](x, out, 10)
    assert torch.equal(out, 2 * x)


@triton.jit
def sums_kernel(x, out, n, factor, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    value = tl.load(x + row * n + offs, mask=offs < n, other=0.0)
    tl.store(out + row * n + offs, tl.cumsum(value, 0) * factor, mask=offs < n)


@pytest.fixture
def llir() -> str:
    x = torch.ones(4, 20)
    return sums_kernel[(4,)](x, x.clone(), 20, 3.0, BLOCK=32).asm["llir"]


def test_llvm_ir(tmp_path, llir):
    kernel = from_file(tmp_path, "sums_kernel.llir", llir)
    x, out = torch.rand(4, 20), torch.zeros(4, 20)
    kernel[(4, 1, 1)](x, out, 20, 3.0)
    torch.testing.assert_close(out, 3 * x.cumsum(1))
    assert kernel.metadata.shared > 64 and list(kernel.src.signature.values()) == ["*fp32", "*fp32", "i32", "fp32"]


def test_llvm_ir_from_elsewhere(tmp_path):
    kernel = from_file(
        tmp_path,
        "fill.llir",
        """
define void @fill(ptr %args, ptr %grid, i64 %lo, i64 %hi, ptr %scratch) "tt-cpu-arguments"="!tt.ptr<i64>" {
  %out = load ptr, ptr %args
  br label %loop
loop:
  %i = phi i64 [ %lo, %0 ], [ %next, %loop ]
  %p = getelementptr i64, ptr %out, i64 %i
  store i64 %i, ptr %p
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %hi
  br i1 %done, label %end, label %loop
end:
  ret void
}
""",
    )
    out = torch.zeros(100, dtype=torch.int64)
    kernel[(100, 1, 1)](out)
    assert torch.equal(out, torch.arange(100))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("define void @k(ptr %x) {\n  ret void\n}\n", "expected one kernel in this LLVM IR, found 0"),
        (
            'define void @k(ptr %x) "tt-cpu-arguments"="!tt.ptr<f32>" {\n  ret void\n}\n',
            r"@k has parameters \(ptr\), but a kernel has \(ptr, ptr, i64, i64, ptr\)",
        ),
        (
            "define void @k(ptr %a, ptr %b, i64 %c, i64 %d, ptr %e) "
            '"tt-cpu-arguments"="" "tt-cpu-scratch"="much" {\n  ret void\n}\n',
            "'much'",
        ),
    ],
)
def test_llvm_ir_that_is_no_kernel(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        from_file(tmp_path, "k.llir", text)


def test_llvm_ir_that_does_not_parse(tmp_path, llir):
    with pytest.raises(RuntimeError, match="not valid LLVM IR"):
        from_file(tmp_path, "sums_kernel.llir", llir.replace("ret void", "ret viod"))
