"""Inline assembly within interpreted kernels gives what compiled kernels get from it."""

import platform

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.interpreter.assembly import kernel_text

pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="assembly of x86")


@triton.jit
def block_of_rows(x_ptr, out_ptr):
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    x = tl.load(x_ptr + at)
    swapped = tl.inline_asm_elementwise("movl $1, $0\n\troll $$8, $0", "=r,r", [x], tl.int8, True, 4)
    tl.store(out_ptr + at, swapped)


@triton.jit
def two_results_of_scalars(x_ptr, out_ptr):
    a, b = tl.load(x_ptr), tl.load(x_ptr + 1)
    total, difference = tl.inline_asm_elementwise(
        "leal ($2,$3), $0\n\tmovl $2, $1\n\tsubl $3, $1", "=&r,=&r,r,r", [a, b], (tl.int32, tl.int32), True, 1
    )
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, difference)


@triton.jit
def truth_values(x_ptr, out_ptr):
    at = tl.arange(0, 8)
    positive = tl.load(x_ptr + at) > 0
    negated = tl.inline_asm_elementwise("movl $1, $0\n\txorl $$0x01010101, $0", "=r,r", [positive], tl.int1, True, 4)
    tl.store(out_ptr + at, tl.where(negated, 10, 20))


@triton.jit
def with_a_comment(x_ptr, out_ptr):
    x = tl.inline_asm_elementwise('addl $$7, $0  # "seven\\n"', "=r,0", [tl.load(x_ptr)], tl.int32, False, 1)
    tl.store(out_ptr, x)


@triton.jit
def memory_of_a_pointer(x_ptr, out_ptr):
    at = tl.arange(0, 4)
    x = tl.inline_asm_elementwise("movl ($1), $0", "=r,r", [x_ptr + at], tl.int32, False, 1)
    tl.store(out_ptr + at, x)


@triton.jit
def without_arguments(x_ptr, out_ptr):
    at = tl.arange(0, 4)
    seven = tl.inline_asm_elementwise("movl $$7, $0", "=r", [], tl.int32, False, 1)
    low, high = tl.inline_asm_elementwise(
        "movl $$1, $0\n\tmovb $$2, $1", "=r,=r", args=(), dtype=(tl.int32, tl.int8), is_pure=True, pack=1
    )
    tl.store(out_ptr + at, tl.load(x_ptr + at) * seven + low * 10 + high)


@pytest.mark.parametrize(
    "kernel, dtype",
    [
        (block_of_rows, "int8"),
        (two_results_of_scalars, "int32"),
        (truth_values, "float32"),
        (with_a_comment, "int32"),
        (memory_of_a_pointer, "int32"),
        (without_arguments, "int32"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_same_as_compiled(kernel, dtype):
    x = np.random.default_rng(0).integers(-100, 100, 32).astype(dtype)
    outputs = []
    for function in (kernel, InterpretedFunction(kernel.fn)):
        out = np.zeros(32, x.dtype)
        function[(1,)](x, out)
        outputs.append(out)
    np.testing.assert_array_equal(*outputs)
    assert outputs[0].any()


def test_text_is_quoted():
    text = kernel_text('a\n"b"\\é', "=r", [], ["i32"], 1, 1)
    assert r'inline_asm "a\0A\22b\22\5C\C3\A9" {constraints = "=r"' in text


def test_other_device(monkeypatch):
    from triton.runtime.driver import driver

    class Driver:
        def get_current_target(self):
            return triton.backends.compiler.GPUTarget("toy", 1, 32)

    monkeypatch.setattr(type(driver), "active", Driver())
    x = np.zeros(32, np.int32)
    with pytest.raises(triton.errors.TritonError, match="on the CPU only, and the active driver is 'toy'"):
        InterpretedFunction(with_a_comment.fn)[(1,)](x, x)
