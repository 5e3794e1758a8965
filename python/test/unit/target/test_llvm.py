"""libtriton.llvm: parsing, optimizing, emitting; and that no bad input ends the process."""

from __future__ import annotations

import pytest
from triton._C.libtriton import cpu, ir, llvm

HOST = cpu.host()
TARGET = (HOST["cpu"], HOST["features"])

SQUARE = """
define float @square(float %x) {
  %y = fmul float %x, %x
  %z = fmul float %x, %x
  %sum = fadd float %y, %z
  ret float %sum
}
"""


def to_mlir(text: str):
    context = ir.context()
    ir.load_dialects(context)
    return ir.parse_mlir_module(text, context)


def test_parse_and_print():
    assert "define float @square(float %x)" in str(llvm.parse(SQUARE))


@pytest.mark.parametrize("text", ["define", "define float @f() { ret i32 0 }", "define void @f() { ret void"])
def test_parse_error_says_where(text):
    with pytest.raises(RuntimeError, match=r"not valid LLVM IR: .*<text>:1:"):
        llvm.parse(text)


def test_optimize_sets_the_target_and_simplifies():
    module = llvm.parse(SQUARE)
    llvm.optimize(module, *TARGET)
    text = str(module)
    assert text.count("fmul") == 1
    assert f'target triple = "{HOST["triple"]}"' in text
    assert "target datalayout" in text
    assert f'"target-cpu"="{HOST["cpu"]}"' in text
    assert "nounwind" in text


def test_optimize_keeps_products_and_sums_apart():
    separate = llvm.parse("""
        define float @f(float %a, float %b, float %c) {
          %p = fmul float %a, %b
          %s = fadd float %p, %c
          ret float %s
        }""")
    fused = llvm.parse(str(separate).replace("fmul", "fmul contract").replace("fadd", "fadd contract"))
    assembly = []
    for module in (separate, fused):
        llvm.optimize(module, *TARGET)
        assembly.append(llvm.to_assembly(module, *TARGET))
    assert "fma" not in assembly[0].replace(".file", "")
    if "fma" in HOST["enabled"]:
        assert "vfmadd" in assembly[1]


def test_loop_invariants_leave_the_loop():
    module = llvm.parse("""
        define void @f(ptr %p, i64 %n, i64 %a) {
        entry:
          br label %loop
        loop:
          %i = phi i64 [ 0, %entry ], [ %next, %body ]
          %more = icmp slt i64 %i, %n
          br i1 %more, label %body, label %done
        body:
          %invariant = mul i64 %a, %a
          %q = getelementptr i64, ptr %p, i64 %i
          store i64 %invariant, ptr %q
          %next = add i64 %i, 1
          br label %loop
        done:
          ret void
        }""")
    llvm.optimize(module, *TARGET)
    entry = str(module).split("loop:")[0]
    assert "mul i64" in entry


def test_translation_of_a_module():
    module = llvm.to_module(to_mlir("llvm.func @f(%x: f32) -> f32 { llvm.return %x : f32 }"))
    module.verify()
    assert "define float @f(float" in str(module)


def test_translation_names_what_has_no_llvm_form():
    with pytest.raises(RuntimeError, match=r"(?s)translation to LLVM IR failed.*func.func"):
        llvm.to_module(to_mlir("func.func @f() { return }"))


@pytest.mark.parametrize("emit", [llvm.optimize, llvm.to_object, llvm.to_assembly])
def test_unknown_processor_is_named(emit):
    with pytest.raises(RuntimeError, match="processor 'z80'"):
        emit(llvm.parse(SQUARE), "z80", "")


@pytest.mark.parametrize("emit", [llvm.optimize, llvm.to_object, llvm.to_assembly])
def test_unknown_triple_is_named(emit):
    with pytest.raises(RuntimeError, match="no code generator for target triple 'hal9000-"):
        emit(llvm.parse(SQUARE), "", "", "hal9000-unknown-linux")


def test_object_is_reproducible():
    first, second = (llvm.to_object(llvm.parse(SQUARE), *TARGET) for _ in range(2))
    assert isinstance(first, bytes)
    assert first == second


def test_error_of_the_assembler_is_an_exception():
    module = llvm.parse('define void @f() {\n call void asm sideeffect "no such instruction", ""()\n ret void\n}')
    for emit in (llvm.to_object, llvm.to_assembly):
        with pytest.raises(RuntimeError, match=r"no such instruction|invalid instruction"):
            emit(module, *TARGET)


@pytest.mark.skipif(not HOST["triple"].startswith("x86_64"), reason="an instruction that x86-64 lacks")
def test_fatal_error_of_the_code_generator_is_an_exception():
    """LLVM would end the process: x86 has no vectors of unknown length."""
    broken = """
        define <vscale x 4 x float> @f(<vscale x 4 x float> %x) {
          %y = fadd <vscale x 4 x float> %x, %x
          ret <vscale x 4 x float> %y
        }"""
    for _ in range(3):
        module = llvm.parse(broken)
        with pytest.raises(RuntimeError, match="LLVM could not compile the module"):
            llvm.to_object(module, *TARGET)
        with pytest.raises(RuntimeError, match="cannot be used any more"):
            str(module)
        assert llvm.to_object(llvm.parse(SQUARE), *TARGET)


def test_verify_reports_malformed_ir():
    text = 'llvm.func @f() attributes {passthrough = ["alwaysinline", "noinline"]} { llvm.return }'
    module = llvm.to_module(to_mlir(text))
    with pytest.raises(RuntimeError, match=r"invalid LLVM IR: .*incompatible"):
        module.verify()


def test_processor_description():
    assert HOST["vector_bits"] in (128, 256, 512)
    assert isinstance(HOST["enabled"], tuple)
    assert set(HOST) == {"triple", "cpu", "features", "enabled", "withheld", "vector_bits", "stream_bytes",
                         "vector_library"}
    # Their conversions to bf16 flush subnormal numbers.
    assert not {"avx512bf16", "avxneconvert"} & set(HOST["enabled"])
    assert set(HOST["withheld"]) <= {"avx512bf16", "avxneconvert", "avx10.2"}
