"""An installed wheel compiles for Moore Threads GPUs, as far as that goes without their toolkit: to LLVM IR."""

from __future__ import annotations

import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

if "mthreads" not in triton.backends.backends:
    pytest.skip("this triton was built without mthreads", allow_module_level=True)


@triton.jit
def add(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n) + 1.0, i < n)


def stop_at_llvm_ir(backend, stages, options, language, capability):
    stages["mubin"] = lambda text, metadata: text.encode()


@pytest.mark.parametrize(("arch", "warp_size"), [(21, 128), (31, 32)])
def test_a_kernel_compiles_to_llvm_ir(monkeypatch, tmp_path, arch, warp_size):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(triton.knobs.runtime, "add_stages_inspection_hook", stop_at_llvm_ir)
    source = ASTSource(add, {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {(3,): 256})
    compiled = triton.compile(source, target=GPUTarget("musa", arch, warp_size))
    assert "tt.func public @add" in compiled.asm["ttir"]
    text = compiled.asm["llir"]
    assert "define " in text and "@add(" in text
    assert "fadd" in text and "store" in text


def test_the_specialization_is_active():
    assert tl.squeeze.__module__.startswith("triton")
    assert "mthreads" in triton.backends.backends
