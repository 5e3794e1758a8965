"""Aggregates by their public name, methods of block pointers, functions of the compile time with run-time values."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError


@triton.aggregate
class Range:
    start: tl.tensor
    stop: tl.tensor

    @triton.jit
    def length(self):
        return self.stop - self.start


@triton.jit
def replaces(out_ptr, n):
    whole = Range(n * 0, n)
    part = tl.aggregate_replace(whole, start=n - 2)
    tl.store(out_ptr, whole.length())
    tl.store(out_ptr + 1, part.length())


@triton.jit
def moves_blocks(x_ptr, out_ptr):
    x = tl.make_block_ptr(x_ptr, (6,), (1,), (0,), (4,), (0,))
    out = tl.make_block_ptr(out_ptr, (6,), (1,), (0,), (4,), (0,))
    out.store(x.load())
    out = out.advance((4,))
    out.store(x.advance((4,)).load(boundary_check=(0,), padding_option="zero") * 2, boundary_check=(0,))


@triton.jit
def misuses_cdiv(out_ptr, n):
    tl.store(out_ptr, triton.cdiv(n, 4))


def test_aggregate_replace():
    assert triton.aggregate is tl.core._aggregate
    out = np.zeros(2, np.int32)
    replaces[(1,)](out, 5)
    assert out.tolist() == [5, 2]


def test_block_pointers_have_methods():
    x, out = np.arange(6, dtype=np.float32), np.zeros(8, np.float32)
    moves_blocks[(1,)](x, out)
    assert out.tolist() == [0, 1, 2, 3, 8, 10, 0, 0]


def test_functions_of_the_compile_time_take_constants():
    with pytest.raises(CompilationError, match=r"cdiv\(\) runs at compile time, where values of type int32"):
        misuses_cdiv[(1,)](np.zeros(1, np.int32), 5)
