"""Runs where the backend is installed; the README says how."""

from __future__ import annotations

import numpy as np
import triton
import triton.language as tl


@triton.jit
def saturate(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, i < n)
    tl.store(out + i, tl.minimum(tl.maximum(value, -1.0), 2.0), i < n)


def test_a_kernel_uses_the_operation_and_runs():
    x = np.linspace(-5, 5, 1000, dtype=np.float32)
    out = np.zeros_like(x)
    kernel = saturate[(8,)](x, out, 1000, BLOCK=128)
    np.testing.assert_array_equal(out, np.clip(x, -1, 2))
    assert kernel.metadata.target.backend == "full"
    assert list(kernel.asm) == ["ttir", "fullir", "tcir", "llir", "obj"]
    assert "full.saturate" not in kernel.asm["ttir"]
    assert "full.saturate" in kernel.asm["fullir"] and "arith.maxnumf" not in kernel.asm["fullir"]
    assert "full.saturate" not in kernel.asm["tcir"]


def test_a_file_of_the_stage_can_be_compiled(tmp_path):
    x = np.linspace(-5, 5, 128, dtype=np.float32)
    text = saturate.warmup(x, x, 128, BLOCK=128, grid=(1,)).asm["fullir"]
    assert text.count("full.saturate") == 1
    file = tmp_path / "saturate.fullir"
    file.write_text(text.replace("2.0", "3.0"))
    kernel = triton.compile(str(file))
    assert "3.0" in kernel.asm["llir"]


def test_the_module_of_libtriton_is_named_after_the_backend():
    from triton._C.libtriton import full, ir

    context = ir.context()
    ir.load_dialects(context)
    full.load_dialects(context)
    text = "tt.func @f(%x: f32) { %0 = full.saturate %x in [1.0, 0.0] : f32 tt.return }"
    try:
        ir.parse_mlir_module(text, context)
    except RuntimeError as error:
        assert "needs an interval" in str(error)
    else:
        raise AssertionError("the verifier did not refuse the interval")
