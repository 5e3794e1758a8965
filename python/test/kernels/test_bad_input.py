"""Mistakes of a kernel's author: each error names the thing, points at the line, and the next correct call works."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError

from .support import assert_same


@triton.jit
def good(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)


@triton.jit
def ragged_arange(out_ptr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(out_ptr + at, at)


@triton.jit
def mismatched_shapes(out_ptr):
    a = tl.arange(0, 8)
    b = tl.arange(0, 16)
    tl.store(out_ptr + a, a + b)


@triton.jit
def axis_out_of_range(out_ptr):
    x = tl.zeros([8, 8], tl.float32)
    tl.store(out_ptr, tl.sum(tl.sum(x, axis=2), axis=0))


@triton.jit
def grid_axis_out_of_range(out_ptr):
    tl.store(out_ptr, tl.program_id(3))


@triton.jit
def unsupported_statement(out_ptr):
    try:
        tl.store(out_ptr, 1)
    finally:
        tl.store(out_ptr, 2)


@triton.jit
def return_in_loop(out_ptr, n):
    for i in range(n):
        if i > 3:
            return
        tl.store(out_ptr, i)


@triton.jit
def undefined_name(out_ptr):
    tl.store(out_ptr, undefined_thing + 1)


@triton.jit
def load_from_an_integer(out_ptr, n):
    tl.store(out_ptr, tl.load(n))


@triton.jit
def float_shift(out_ptr, x):
    tl.store(out_ptr, x << 2)


@triton.jit
def carried_value_changes_shape(out_ptr, n):
    x = tl.zeros([4], tl.float32)
    for _ in range(n):
        x = tl.zeros([8], tl.float32)
    tl.store(out_ptr + tl.arange(0, 4), x)


@triton.jit
def branches_disagree(out_ptr, n):
    if n > 3:
        x = tl.zeros([4], tl.float32)
    else:
        x = tl.zeros([8], tl.float32)
    tl.store(out_ptr + tl.arange(0, 4), x)


@triton.jit
def inner_dimensions_differ(out_ptr):
    a = tl.zeros([16, 32], tl.float32)
    b = tl.zeros([16, 16], tl.float32)
    tl.store(out_ptr, tl.sum(tl.dot(a, b)))


@triton.jit
def condition_is_a_tensor(out_ptr):
    x = tl.arange(0, 8)
    if x > 3:
        tl.store(out_ptr, 1)


@triton.jit
def failing_static_assert(out_ptr, SIZE: tl.constexpr):
    tl.static_assert(SIZE % 3 == 0, "SIZE has to be a multiple of three")
    tl.store(out_ptr, SIZE)


@triton.jit
def exp_of_integers(out_ptr):
    tl.store(out_ptr + tl.arange(0, 8), tl.exp(tl.arange(0, 8)))


@triton.jit
def too_large(out_ptr, SIZE: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, SIZE), tl.arange(0, SIZE))


@triton.jit
def other_without_mask(out_ptr):
    tl.store(out_ptr, tl.load(out_ptr, other=1))


@triton.jit
def deep_mistake(x):
    return x.there_is_no_such_method()


@triton.jit
def mistake_in_a_callee(out_ptr):
    tl.store(out_ptr, deep_mistake(tl.program_id(0)))


def assert_next_call_works():
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    good[(1, )](x, out, 8, BLOCK=8)
    assert_same(out, x + 1)


OUT = np.zeros(16, np.float32)

# kernel, its arguments, its constants, a line that the message quotes, words that it contains
MISTAKES = {
    "ragged arange": (ragged_arange, (), {"SIZE": 12}, "tl.arange(0, SIZE)", ["power of 2"]),
    "mismatched shapes": (mismatched_shapes, (), {}, "a + b", ["8", "16"]),
    "axis out of range": (axis_out_of_range, (), {}, "axis=2", ["axis"]),
    "grid axis out of range": (grid_axis_out_of_range, (), {}, "tl.program_id(3)", ["axis", "3"]),
    "unsupported statement": (unsupported_statement, (), {}, "try:", ["Try"]),
    "return in a loop": (return_in_loop, (10, ), {}, "return", ["return"]),
    "undefined name": (undefined_name, (), {}, "undefined_thing", ["undefined_thing"]),
    "load from an integer": (load_from_an_integer, (10, ), {}, "tl.load(n)", ["int32"]),
    "float shift": (float_shift, (1.5, ), {}, "x << 2", ["fp32"]),
    "carried value changes shape": (carried_value_changes_shape, (5, ), {}, "for _ in range(n)", ["x", "4", "8"]),
    "branches disagree": (branches_disagree, (5, ), {}, "if n > 3", ["x", "4", "8"]),
    "inner dimensions differ": (inner_dimensions_differ, (), {}, "tl.dot(a, b)", ["32", "16"]),
    "condition is a tensor": (condition_is_a_tensor, (), {}, "if x > 3", ["scalar"]),
    "failing static_assert": (failing_static_assert, (), {"SIZE": 8}, "tl.static_assert", ["multiple of three"]),
    "exp of integers": (exp_of_integers, (), {}, "tl.exp", ["int32"]),
    "too large": (too_large, (), {"SIZE": 2**21}, "tl.arange(0, SIZE)", ["1048576"]),
    "other without mask": (other_without_mask, (), {}, "other=1", ["other", "mask"]),
    "mistake in a callee": (mistake_in_a_callee, (), {}, "there_is_no_such_method", ["there_is_no_such_method"]),
}


def whole_message(error):
    """The message with those of its causes: a callee's error is chained to that of the call."""
    texts = []
    while error is not None:
        texts.append(str(error))
        error = error.__cause__
    return "\n".join(texts)


@pytest.mark.parametrize("name", MISTAKES)
def test_compile_error_points_at_the_line(name):
    kernel, arguments, constants, line, words = MISTAKES[name]
    with pytest.raises(CompilationError) as caught:
        kernel[(1, )](OUT, *arguments, **constants)
    message = whole_message(caught.value)
    assert line in message, message
    assert any(row.strip() == "^" for row in message.splitlines()), message
    for word in words:
        assert word in message, message
    assert (OUT == 0).all()
    assert_next_call_works()


def test_mistake_is_reported_again_and_again():
    for _ in range(2):
        with pytest.raises(CompilationError, match="power of 2"):
            ragged_arange[(1, )](OUT, SIZE=3)
    ragged_arange[(1, )](np.zeros(4, np.int32), SIZE=4)


BAD_CALLS = {
    "missing constant": (lambda: good[(1, )](OUT, OUT, 8), "BLOCK"),
    "missing argument": (lambda: good[(1, )](OUT, BLOCK=8), "out_ptr|n"),
    "surplus argument": (lambda: good[(1, )](OUT, OUT, 8, 8, 8), "good"),
    "argument given twice": (lambda: good[(1, )](OUT, OUT, 8, BLOCK=8, n=3), "'?n'?"),
    "unknown keyword": (lambda: good[(1, )](OUT, OUT, 8, BLOCK=8, BLOK=3), "BLOK"),
    "string for a pointer": (lambda: good[(1, )]("x", OUT, 8, BLOCK=8), "x_ptr"),
    "list for a pointer": (lambda: good[(1, )](OUT, [1.0, 2.0], 8, BLOCK=8), "out_ptr"),
    "array of objects": (lambda: good[(1, )](np.array([None]), OUT, 8, BLOCK=8), "x_ptr"),
    "array of complex": (lambda: good[(1, )](np.zeros(8, np.complex64), OUT, 8, BLOCK=8), "x_ptr"),
    "array of the wrong byte order": (lambda: good[(1, )](np.zeros(8, ">f4"), OUT, 8, BLOCK=8), "x_ptr"),
    "read-only output": (lambda: good[(1, )](OUT, np.broadcast_to(np.float32(0), 8), 8, BLOCK=8), "out_ptr"),
    "integer beyond 64 bits": (lambda: good[(1, )](OUT, OUT, 2**70, BLOCK=8), "n"),
    "grid of four": (lambda: good[(1, 1, 1, 1)](OUT, OUT, 8, BLOCK=8), "grid"),
    "negative grid": (lambda: good[(-1, )](OUT, OUT, 8, BLOCK=8), "grid"),
    "grid of text": (lambda: good["1"](OUT, OUT, 8, BLOCK=8), "grid"),
    "call without a grid": (lambda: good(OUT, OUT, 8, BLOCK=8), r"grid|\[|launch"),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_bad_call_names_the_argument(name):
    call, pattern = BAD_CALLS[name]
    with pytest.raises((TypeError, ValueError, KeyError, RuntimeError, OverflowError), match=pattern):
        call()
    assert_next_call_works()
