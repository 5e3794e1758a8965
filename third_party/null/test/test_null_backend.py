"""Everything is compiled, nothing runs."""

from __future__ import annotations

KERNEL = """
import numpy as np
import triton
import triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)

x, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)
"""
CHOSEN = {"TRITON_DEFAULT_BACKEND": "null"}


def test_every_stage_is_compiled_and_memory_stays_as_it_was(output):
    code = KERNEL + (
        "kernel = add[(4,)](x, x, out, 1000, BLOCK=256)\n"
        "print(out.sum(), *kernel.asm, len(kernel.kernel) > 100, kernel.metadata.target.backend)\n"
    )
    assert output(code, **CHOSEN) == "0.0 ttir tcir llir obj True null"


def test_other_places_that_launch_have_no_effect_either(output):
    code = KERNEL + (
        "kernel = add.warmup(x, x, out, 1000, BLOCK=256, grid=(4,))\n"
        "kernel[(4, 1, 1)](x, x, out, 1000, 256)\n"
        "print(out.sum(), triton.testing.do_bench(lambda: add[(4,)](x, x, out, 1000, BLOCK=256), rep=1) > 0)\n"
    )
    assert output(code, **CHOSEN) == "0.0 True"


def test_hooks_are_called(output):
    code = KERNEL + (
        "seen = []\n"
        "triton.knobs.runtime.launch_enter_hook = lambda data: seen.append(data.get()['name'])\n"
        "add[(4,)](x, x, out, 1000, BLOCK=256)\nprint(seen)\n"
    )
    assert output(code, **CHOSEN) == "['add']"


def test_wrong_arguments_are_found_as_on_every_device(output):
    code = KERNEL + (
        "try:\n    add[(4,)](x, x, 'nowhere', 1000, BLOCK=256)\n"
        "except Exception as error:\n    print('nowhere' in str(error) or 'str' in str(error))\n"
    )
    assert output(code, **CHOSEN) == "True"


def test_it_is_not_the_default_even_where_it_is_the_selected_backend(output):
    code = KERNEL + (
        "from triton.flagtree_spec import selected_backend\n"
        "add[(4,)](x, x, out, 1000, BLOCK=256)\n"
        "from triton.backends import backends\n"
        "print(out.sum(), selected_backend(), backends['null'].driver.inactive_reason())\n"
    )
    assert output(code) == "2000.0 null it launches nothing, so it has to be asked for: TRITON_DEFAULT_BACKEND=null"


def test_a_program_can_choose_it(output):
    code = KERNEL + (
        "from triton.backends import backends\n"
        "triton.runtime.driver.set_active(backends['null'].driver())\n"
        "add[(4,)](x, x, out, 1000, BLOCK=256)\n"
        "first = out.sum()\n"
        "triton.runtime.driver.reset_active()\n"
        "add[(4,)](x, x, out, 1000, BLOCK=256)\n"
        "print(first, out.sum())\n"
    )
    assert output(code) == "0.0 2000.0"


def test_it_compiles_for_a_named_processor(output):
    code = KERNEL + (
        "from triton.backends.compiler import GPUTarget\nfrom triton.compiler import ASTSource\n"
        "types = {'x': '*fp32', 'y': '*fp32', 'out': '*fp32', 'n': 'i32', 'BLOCK': 'constexpr'}\n"
        "source = ASTSource(add, signature=types, constexprs={'BLOCK': 256})\n"
        "kernel = triton.compile(source, target=GPUTarget('null', 'haswell', 1))\n"
        "print(kernel.metadata.target.arch, '<8 x float>' in kernel.asm['llir'])\n"
    )
    assert output(code) == "haswell True"
