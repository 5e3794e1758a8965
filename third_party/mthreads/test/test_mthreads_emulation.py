"""Kernels for MUSA targets compute what NumPy computes, as far as the LLVM IR goes: see emulation/emulate.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

EMULATION = Path(__file__).resolve().parent / "emulation"
CONFIGURATIONS = ((31, 1), (31, 4), (22, 1), (22, 4))  # architecture (warps of 32 and of 128 threads), warps


@pytest.fixture(scope="module", params=CONFIGURATIONS, ids=lambda found: f"mp_{found[0]}-{found[1]}warps")
def results(request, compiler, tmp_path_factory):
    """{case: "ok" or the error} of one configuration; all cases run in one process."""
    arch, warps = request.param
    program = f"""
        import sys
        sys.path.insert(0, {str(EMULATION)!r})
        from run_cases import main
        main({arch}, {warps})
    """
    return json.loads(compiler.output(program, TRITON_CACHE_DIR=str(tmp_path_factory.mktemp("cache"))))


def test_all_cases_agree_with_numpy(results):
    failed = {case: outcome for case, outcome in results.items() if outcome != "ok"}
    assert not failed, "\n\n".join(f"{case}: {outcome}" for case, outcome in failed.items())
    assert len(results) >= 20


def test_the_emulator_notices_missing_barriers(compiler, tmp_path):
    """Otherwise the tests above would say nothing about barriers."""
    program = f"""
        import sys
        sys.path.insert(0, {str(EMULATION)!r})
        import numpy as np
        import cases_blocks, cases_more
        from emulate import Emulator
        emulator = Emulator(31, 4)
        x = np.arange(2048, dtype=np.float32).reshape(32, 64)
        def transposed(**options):
            out, scaled = np.zeros((64, 32), np.float32), np.zeros((64, 32), np.float32)
            emulator.run(cases_blocks._transpose, (1,), x, out, scaled, M=32, N=64, **options)
            return (out == x.T).all()
        print(transposed(), transposed(without_barriers=True), transposed(without_barriers=True, reverse=True))
    """
    assert compiler.output(program, TRITON_CACHE_DIR=str(tmp_path)).split() == ["True", "False", "False"]


def test_prints_and_failing_assertions(compiler, tmp_path):
    program = f"""
        import sys
        sys.path.insert(0, {str(EMULATION)!r})
        import numpy as np
        import triton
        import triton.language as tl
        from emulate import Emulator

        @triton.jit
        def kernel(x, n, N: tl.constexpr):
            i = tl.arange(0, N)
            tl.device_print("100% of x", tl.load(x + i), n, hex=False)
            tl.device_print("done")
            tl.device_assert(i < n, "50% of i")

        x = np.arange(4, dtype=np.float32)
        emulator = Emulator(31, 4, debug=True)
        emulator.run(kernel, (1,), x, 4, N=4)
        try:
            emulator.run(kernel, (1,), x, 3, N=4)
        except RuntimeError as error:
            print(error)
    """
    lines = compiler.output(program, TRITON_CACHE_DIR=str(tmp_path)).splitlines()

    def printed(n):
        values = [f"pid (0, 0, 0) idx ({i}) 100% of x: {i}.000000" for i in range(4)]
        return sorted([*values, f"pid (0, 0, 0) idx () 100% of x: {n}", "pid (0, 0, 0) done"])

    assert sorted(lines[:6]) == printed(4) and sorted(lines[6:12]) == printed(3)
    assert lines[12].endswith(": assertion `50% of i` failed in pid (0, 0, 0)") and "program.py:" in lines[12]
    assert lines[13] == "the kernel cannot run on a device: a thread ended it"
