"""Names that have no value on some way to their use: compiled and interpreted kernels refuse them alike."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError
from triton.runtime.errors import InterpreterError
from triton.runtime.interpreter import InterpretedFunction


@triton.jit
def in_one_branch(x, out):
    if tl.load(x) > 0:
        y = 1
    tl.store(out, y)


@triton.jit
def in_one_of_three(x, out):
    value = tl.load(x)
    if value > 0:
        y = 1
    elif value == 0:
        y = 2
    tl.store(out, y)


@triton.jit
def in_a_branch_not_taken(x, out):
    if tl.load(x) > 100:
        tl.store(out, 1)
    else:
        y = 1
    if tl.load(x) > 100:
        tl.store(out, y)


@triton.jit
def in_a_loop(x, out):
    for i in range(tl.load(x)):
        y = i
    tl.store(out, y)


@triton.jit
def index_after_the_loop(x, out):
    for i in range(tl.load(x)):
        tl.store(out + i, i)
    tl.store(out, i)


@triton.jit
def in_a_while(x, out):
    left = tl.load(x)
    while left > 0:
        y = left
        left -= 1
    tl.store(out, y)


@triton.jit
def from_the_turn_before(x, out):
    for i in range(tl.load(x)):
        if i > 0:
            tl.store(out, y)
        y = i


REFUSED = [
    (in_one_branch, r"'y' has no value here: only one branch of the `if` in line \d+ sets it"),
    (in_one_of_three, r"'y' has no value here: only one branch of the `if` in line \d+ sets it"),
    (in_a_branch_not_taken, r"'y' has no value here: only one branch of the `if` in line \d+ sets it"),
    (in_a_loop, r"'y' has no value here: it is set inside of the loop in line \d+, which may not run"),
    (index_after_the_loop, r"'i' has no value here: it is set inside of the loop in line \d+, which may not run"),
    (in_a_while, r"'y' has no value here: it is set inside of the loop in line \d+, which may not run"),
    (from_the_turn_before, "'y' is not defined"),
]


@pytest.mark.parametrize("count", [0, 3], ids=["none", "some"])
@pytest.mark.parametrize(("kernel", "words"), REFUSED, ids=[kernel.__name__ for kernel, _ in REFUSED])
def test_refused(kernel, words, count):
    arrays = np.full(4, count, np.int32), np.zeros(4, np.int32)
    with pytest.raises(CompilationError, match=words):
        kernel[(1,)](*arrays)
    with pytest.raises(InterpreterError, match=words):
        InterpretedFunction(kernel.fn)[(1,)](*arrays)


@triton.jit
def always_set(x, out, FIRST: tl.constexpr):
    value = tl.load(x)
    if value > 0:
        y = 1
    elif value < 0:
        y = 2
    else:
        y = 3
    if FIRST:
        z = y
    for z in range(4):  # an index may be used again for another loop
        y += z
    for z in range(2):
        last = z * 10
        y += last
    i = 5
    while i < value:
        i, part = i + 2, i * 2
        y += part
    for k in tl.static_range(3):
        step = k
    tl.store(out, y + i + step + k)  # what is unrolled stays


@pytest.mark.parametrize("value", [-1, 0, 9])
@pytest.mark.parametrize("first", [True, False])
def test_accepted(value, first):
    x = np.full(1, value, np.int32)
    results = []
    for kernel in (always_set, InterpretedFunction(always_set.fn)):
        out = np.zeros(1, np.int32)
        kernel[(1,)](x, out, first)
        results.append(int(out[0]))
    assert results[0] == results[1]
