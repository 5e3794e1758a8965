"""Names of the variables of a kernel in its IR; names of the language that came and went between releases."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.compiler.source import ASTSource


@triton.jit
def half(value):
    shifted = value - 1
    return shifted // 2


@triton.jit
def named(out_ptr, count):
    offsets = tl.arange(0, 8)
    alias = offsets
    total = offsets * count
    tl.store(out_ptr + alias, half(total))


def test_values_are_named_after_variables():
    target = triton.backends.backends["cpu"].driver().get_current_target()
    kernel = triton.compile(ASTSource(named, {"out_ptr": "*i32", "count": "i32"}), target=target)
    text = kernel.asm["ttir"]
    for name in ("out_ptr", "count", "offsets", "total", "shifted"):
        assert f'loc("{name}"(' in text, name
    assert 'loc("alias"(' not in text  # the first name of a value stays


# Of the releases 3.6 to 3.9 together.
LANGUAGE = (
    "advance aggregate_replace atomic_load atomic_poll atomic_store cat expect_zero make_block_ptr map_elementwise "
    "squeeze to_tensor topk unsqueeze"
).split()
TOP = "AsyncCompileMode FutureKernel aggregate constexpr_function max_shared_mem must_use_result reinterpret".split()


@pytest.mark.parametrize("name", LANGUAGE)
def test_language_has(name):
    assert name in tl.__all__ and hasattr(tl, name)


@pytest.mark.parametrize("name", TOP)
def test_triton_has(name):
    assert name in triton.__all__ and hasattr(triton, name)


@triton.jit
def ordered(out_ptr, descending: tl.constexpr = tl.core.CONSTEXPR_0):
    tl.store(out_ptr, 2 if descending else 1)


def test_the_constant_that_stands_for_no():
    out = np.zeros(1, np.int32)
    ordered[(1,)](out)
    assert out.item() == 1
