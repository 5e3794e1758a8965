"""Results that go past the caches: the same values, whatever the alignment, the type and the shape."""

import dataclasses

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.cpu import compiler

LIMIT = 1 << 12


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    """Launches that write 4 KB write them past the caches."""
    machine = dataclasses.replace(compiler.host_machine(), stream_bytes=LIMIT)
    monkeypatch.setattr(compiler, "host_machine", lambda: machine)


def define():
    """A kernel of its own for each test: none of another limit is found in the caches of another test."""

    @triton.jit
    def twice(x, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)

    return twice


x86 = pytest.mark.skipif(not compiler.host_machine().stream_bytes, reason="needs an x86 processor")


@x86
def test_code_has_both_ways():
    x, out = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
    code = define()[(1, )](x, out, 1024, BLOCK=1024).asm["llir"]
    assert "!nontemporal" in code and "@llvm.x86.sse.sfence" in code


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "float64"])
@pytest.mark.parametrize("skew", [0, 1, 4, 16])
@pytest.mark.parametrize("n", [100, 4096, 4100, 9999])
def test_values(dtype, skew, n):
    kernel = define()
    x = np.random.default_rng(n).integers(-50, 50, n).astype(dtype)
    memory = np.full(n + skew + 64, 7, dtype)
    kernel[(triton.cdiv(n, 1024), )](x, memory[skew:], n, BLOCK=1024)
    np.testing.assert_array_equal(memory[skew:skew + n], x * 2)
    assert (memory[:skew] == 7).all() and (memory[skew + n:] == 7).all()


@triton.jit
def sum_and_difference(x, y, out, difference, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(x + at, mask=at < n), tl.load(y + at, mask=at < n)
    tl.store(out + at, a + b, mask=at < n)
    tl.store(difference + at, a - b, mask=at < n)


@pytest.mark.parametrize("shift", [0, 1, 16, 1024, 8192])
def test_several_results(shift):
    """The second result may overlap the first: then it is stored when all of the first is."""
    n = 5000
    x, y = np.arange(n, dtype=np.float32), np.arange(n, dtype=np.float32)[::-1].copy()
    memory = np.zeros(3 * n, np.float32)
    want = memory.copy()
    for first in range(0, n, 1024):
        last = min(first + 1024, n)
        want[first:last] = (x + y)[first:last]
        want[first + shift:last + shift] = (x - y)[first:last]
    # One program after the other, as overlapping results of several are a race.
    for first in range(0, n, 1024):
        last = min(first + 1024, n)
        sum_and_difference[(1, )](x[first:], y[first:], memory[first:], memory[first + shift:], last - first,
                                  BLOCK=1024)
    np.testing.assert_array_equal(memory, want)
