"""Generated address and mask expressions: contiguous, reversed, strided, periodic, clamped; prefix and other masks.

What the compiler knows about an expression (contiguity, divisibility, constancy, a mask that is a prefix) decides how
memory is accessed. Every kernel here is one load and one store whose addresses and masks are random expressions.
"""

import os
import random

import numpy as np
import pytest

from . import numpy_language
from .jit_text import jit_text
from .numpy_language import Pointer
from .support import c_divide, c_remainder

MIDDLE = 4096  # addresses are relative to the middle of a buffer of twice this size
PROGRAMS = 3
HUNT = os.environ.get("TEST_KERNEL_SEEDS")
SEEDS = range(*map(int, HUNT.split(":"))) if HUNT else range(80)


class Patterns:
    """Random expressions of `at`, the block's element numbers, and the arguments p (a multiple of 16) and q."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def scalar(self):
        return self.random.choice(["p", "q", "p + q", "pid", "p * pid", "q - p", str(self.random.randrange(-40, 40)),
                                   str(16 * self.random.randrange(-3, 4))])

    def affine(self):
        """An injective expression."""
        factor = self.random.choice(["", "", "", " * 2", " * 3", " * -1", " * 16", " * 5"])
        sign = self.random.choice(["+", "-"])
        base = self.random.choice(["at", "at", "(pid * BLOCK + at)", "(at + pid)", "at.to(tl.int64)"])
        return f"({base}{factor} {sign} ({self.scalar()}))"

    def index(self, depth=2):
        if depth == 0 or self.random.random() < 0.35:
            return self.affine()
        inner = self.index(depth - 1)
        number = self.random.choice([1, 2, 4, 8, 16, 64, 3, 7])
        return self.random.choice([
            f"({inner} % {number})", f"({inner} // {number})", f"({inner} // {number} * {number})",
            f"({inner} & {number - 1})", f"({inner} | {number})", f"({inner} ^ {number})", f"({inner} >> 1)",
            f"({inner} + {self.index(depth - 1)})", f"({inner} * {self.random.choice([0, 1, 2])})",
            f"tl.where({self.mask(depth - 1)}, {inner}, {self.scalar()})",
            f"tl.minimum({inner}, {self.scalar()})", f"tl.maximum({inner}, {self.scalar()})",
        ])

    def mask(self, depth=1):
        bound = f"({self.scalar()} + {self.random.choice([0, 1, 5, 16, 64, 100])})"
        left = self.random.choice(["at", "at", "(pid * BLOCK + at)", "(at + 3)", "(at * 2)", "(at % 8)", "(at // 8)",
                                   self.affine()])
        text = f"({left} {self.random.choice(['<', '<', '<', '<=', '>', '>=', '==', '!='])} {bound})"
        if self.random.random() < 0.2:
            text = f"({bound} {self.random.choice(['<', '>', '<=', '>='])} {left})"
        if depth and self.random.random() < 0.35:
            text = f"({text} {self.random.choice(['&', '|', '^'])} {self.mask(depth - 1)})"
        return f"(~{text})" if self.random.random() < 0.1 else text

    def source(self):
        block = self.random.choice([1, 2, 8, 16, 32, 64, 128, 256])
        shape = self.random.random()
        lines = ["def kernel(a, b, p, q):", "    pid = tl.program_id(0)", f"    BLOCK: tl.constexpr = {block}"]
        if shape < 0.6 or block < 8:
            lines += ["    at = tl.arange(0, BLOCK)"]
        elif shape < 0.8:
            lines += [f"    at = tl.arange(0, {block // 8})[:, None] * 8 + tl.arange(0, 8)[None, :]"]
        else:
            lines += [f"    at = tl.arange(0, {block // 4})[:, None] + tl.arange(0, 4)[None, :] * {block // 4}"]
        use_mask, other = self.random.random() < 0.8, self.random.choice(["0", "7", "q", "at"])
        lines += [f"    source = {self.index()}", f"    target = {self.affine()}"]
        lines += [f"    value = tl.load(a + source, mask={self.mask()}, other={other})" if use_mask else
                  "    value = tl.load(a + source)"]
        lines += [f"    tl.store(b + target, value + 1, mask={self.mask()})" if self.random.random() < 0.8 else
                  "    tl.store(b + target, value + 1)"]
        return "\n".join(lines) + "\n"


class Checked(Pointer):
    """A pointer that refuses addresses outside of its buffer, masked or not, so that a kernel can be discarded."""

    def __add__(self, more):
        if np.any(np.abs(np.asarray(more, np.int64)) >= MIDDLE):
            raise IndexError("outside of the buffer")
        return Pointer(self.buffer, more + MIDDLE)


class Block(np.ndarray):
    """An int32 array with the remainder, quotient and cast of the language."""

    def __mod__(self, other):
        return c_remainder(np.asarray(self), self.dtype.type(other)).view(Block)

    def __floordiv__(self, other):
        return c_divide(np.asarray(self), self.dtype.type(other)).view(Block)

    def to(self, dtype):
        return self.astype(dtype)


def language(program):
    names = numpy_language.language(program, PROGRAMS)
    names.arange = lambda start, end: np.arange(start, end, dtype=np.int32).view(Block)
    names.where = lambda condition, x, y: np.where(condition, x, y).view(Block)
    names.minimum = lambda x, y: np.minimum(x, y).view(Block)
    names.maximum = lambda x, y: np.maximum(x, y).view(Block)
    names.int64 = np.int64
    return names


def run_on_numpy(source, a, p, q):
    """What each program alone stores, as rows; 0 where it stores nothing, because the stored values are positive."""
    results = np.zeros((PROGRAMS, a.size), a.dtype)
    with np.errstate(all="ignore"):
        for program, b in enumerate(results):
            scope = {"tl": language(program)}
            exec(source, scope)
            scope["kernel"](Checked(a), Checked(b), np.int32(p), np.int32(q))
    return results


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_generated_access(seed, dtype, tmp_path):
    generator = Patterns(seed)
    p, q = 32, 13
    a = np.arange(2 * MIDDLE).astype(dtype)
    while True:
        source = generator.source()
        try:
            expected = run_on_numpy(source, a, p, q)
            break
        except IndexError:
            continue
    memory = np.zeros_like(a)
    jit_text(source, tmp_path / "generated.py")[(PROGRAMS, )](a[MIDDLE:], memory[MIDDLE:], p, q)
    # Where several programs store to one address, the value of any of them may be there in the end.
    stored = expected != 0
    matches = np.where(stored.any(axis=0), ((memory == expected) & stored).any(axis=0), memory == 0)
    assert matches.all(), f"{np.flatnonzero(~matches)[:10] - MIDDLE} differ in\n{source}"
