"""Kernels that load, compute and store through pointers into the same memory: everything is read before it is written.

Loads and stores of a program go in the order in which the kernel has them, whole block after whole block. The lowering
does several stores in one loop where it can, and decides by the addresses of a launch whether it may.
"""

import os
import random

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.interpreter import InterpretedFunction

from .jit_text import jit_text

# TEST_OVERLAPPING_STORES=count hunts for that many, other ones on every run. The default is the same on every run.
HUNT = int(os.environ.get("TEST_OVERLAPPING_STORES", "0"))
SEEDS = random.sample(range(10**9), HUNT) if HUNT else range(24)

WORDS = 1 << 14
POINTERS = ("p", "q", "u", "v", "w")

# Offsets of a block of ROWS x COLS (r, c: indices of the dimensions), each below 4 * ROWS * COLS.
DISTINCT = ("r * COLS + c", "r * step + c", "(ROWS - 1 - r) * COLS + c", "r * COLS + (COLS - 1 - c)", "c * ROWS + r",
            "(r * COLS + c) * 2 + 1", "r * (2 * COLS) + c", "r * (2 * COLS) + COLS + c", "r * COLS + c + shift",
            "(r * COLS + c) % (ROWS * COLS)")
REPEATED = ("c", "r", "r // 2 * COLS + c // 4", "tl.minimum(r * COLS + c, 37)", "(r * COLS + c) % 8",
            "(r * COLS + c) & 31")


class Program:
    """The text of a random kernel and what it does to an array."""

    def __init__(self, seed: int):
        choose = random.Random(seed)
        self.rows, self.cols = choose.choice(((1, 256), (1, 32), (4, 64), (8, 16), (2, 128), (16, 4)))
        one = choose.random() < 0.6  # all accesses alike, but for a load now and then: the common case
        same = choose.choice(DISTINCT)

        def offset(pool):
            return same if one and choose.random() < 0.8 else choose.choice(pool)

        count = choose.randint(1, 4)
        self.loads = [(choose.choice(POINTERS), offset(DISTINCT + REPEATED)) for _ in range(count)]
        self.stores = []
        last = choose.randint(0, 2)
        for i in range(last + 1):
            used = choose.sample(range(count), choose.randint(1, count) if i < last else count)
            value = " + ".join(f"x{j} * {2 * i + 3 * j + 1}" for j in used)
            self.stores.append((choose.choice(POINTERS), offset(DISTINCT), value))
        self.masked = choose.random() < 0.4
        # A load between two stores sees what the first of them has written.
        self.late = choose.random() < 0.25 and len(self.stores) > 1
        # Of a lone store, ADR 10 allows that it overtakes a load whose offsets are the same but for the base.
        if len(self.stores) == 1 or self.late:
            self.stores = [("p", *rest) for _, *rest in self.stores]
            self.loads = [("p", at) for _, at in self.loads]

    def statements(self):
        """(target, pointer, offset) of loads and (None, pointer, offset, value) of stores, in order."""
        loads = [(f"x{i}", *load) for i, load in enumerate(self.loads)]
        stores = [(None, *store) for store in self.stores]
        if self.late:
            return [*loads, stores[0], loads[0], *stores[1:]]
        return loads + stores

    def source(self) -> str:
        mask = ", mask=live" if self.masked else ""
        lines = [f"def kernel({', '.join(POINTERS)}, step, shift, limit, ROWS: tl.constexpr, COLS: tl.constexpr):",
                 "    r, c = tl.arange(0, ROWS)[:, None], tl.arange(0, COLS)[None, :]",
                 "    live = (c < limit) & (r >= 0)"]
        for target, pointer, at, *value in self.statements():
            at = f"{pointer} + ({at}) + 0 * (r + c)"
            lines.append(f"    {target} = tl.load({at}{mask and mask + ', other=5'})" if target else
                         f"    tl.store({at}, {value[0]}{mask})")
        return "\n".join(lines) + "\n"

    def expected(self, memory, starts, step, shift, limit):
        names = {"ROWS": self.rows, "COLS": self.cols, "step": step, "shift": shift, "tl": np,
                 "r": np.arange(self.rows)[:, None], "c": np.arange(self.cols)[None, :]}
        live = np.broadcast_to(names["c"] < limit if self.masked else np.array(True), (self.rows, self.cols))
        memory = memory.copy()
        for target, pointer, at, *value in self.statements():
            index = starts[pointer] + np.broadcast_to(eval(at, names), live.shape)
            if target:
                names[target] = np.where(live, memory[np.where(live, index, 0)], 5).astype(np.int32)
            else:
                memory[index[live]] = np.broadcast_to(eval(value[0], names), live.shape)[live]
        return memory


@pytest.mark.parametrize("seed", SEEDS)
def test_random_kernel(seed, tmp_path):
    program = Program(seed)
    compiled = jit_text(program.source(), tmp_path / f"overlapping_{seed}.py")
    choose = random.Random(seed)
    size = program.rows * program.cols
    for launch in range(12):
        # From exactly the same place over a few elements or rows apart to far away.
        near = choose.choice((0, 1, 3, 16, program.cols, program.cols // 2, 2 * program.cols, size, 4 * size))
        starts = {p: 2048 + near * choose.randint(-1, 2) for p in POINTERS}
        step = program.cols + choose.choice((0, 0, 5, program.cols))
        shift, limit = choose.choice((0, 1, program.cols, size)), choose.choice((program.cols, program.cols // 2 + 1))
        memory = np.random.default_rng(launch).integers(-1000, 1000, WORDS, dtype=np.int32)
        want = program.expected(memory, starts, step, shift, limit)
        for name, function in (("compiled", compiled), ("interpreted", InterpretedFunction(compiled.fn))):
            if name == "interpreted" and launch:
                continue
            got = memory.copy()
            function[(1, )](*(got[starts[p]:] for p in POINTERS), step, shift, limit, ROWS=program.rows,
                            COLS=program.cols)
            np.testing.assert_array_equal(got, want, err_msg=f"{name}, {starts}, {step}, {shift}, {limit}\n"
                                          f"{program.source()}")


@triton.jit
def rotary(x, out, cos, sin, HEADS: tl.constexpr, HALF: tl.constexpr):
    """Both halves of all heads of a token, written naturally."""
    token = tl.program_id(0)
    d = tl.arange(0, HALF)[None, :]
    at = token * HEADS * 2 * HALF + tl.arange(0, HEADS)[:, None] * (2 * HALF) + d
    c, s = tl.load(cos + token * HALF + d), tl.load(sin + token * HALF + d)
    left, right = tl.load(x + at), tl.load(x + at + HALF)
    tl.store(out + at, left * c - right * s)
    tl.store(out + at + HALF, right * c + left * s)


@pytest.mark.parametrize("start", [0, 1, 16, 64, 128, 200, 4096])
def test_rotary_embedding_into_memory_that_overlaps(start):
    heads, half = 8, 64
    size = heads * 2 * half
    rng = np.random.default_rng(start)
    memory = rng.standard_normal(4 * size + 4096).astype(np.float32)
    angle = rng.standard_normal(half).astype(np.float32)
    cos, sin = np.cos(angle), np.sin(angle)
    for x_at, out_at in ((start, 0), (0, start)):
        got = memory.copy()
        x = memory[x_at:x_at + size].reshape(heads, 2, half)
        want = memory.copy()
        turned = np.stack((x[:, 0] * cos - x[:, 1] * sin, x[:, 1] * cos + x[:, 0] * sin), 1)
        want[out_at:out_at + size] = turned.reshape(-1)
        rotary[(1, )](got[x_at:], got[out_at:], cos, sin, HEADS=heads, HALF=half)
        np.testing.assert_array_equal(got, want)


@triton.jit
def adam(p_ptr, g_ptr, m_ptr, v_ptr, n, lr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    p, g = tl.load(p_ptr + at, mask=live), tl.load(g_ptr + at, mask=live)
    m, v = tl.load(m_ptr + at, mask=live), tl.load(v_ptr + at, mask=live)
    m = m * 0.5 + g * 0.5
    v = v * 0.75 + g * g * 0.25
    tl.store(m_ptr + at, m, mask=live)
    tl.store(v_ptr + at, v, mask=live)
    tl.store(p_ptr + at, p - lr * m / (tl.sqrt(v) + 1.0), mask=live)


@pytest.mark.parametrize("n", [1, 15, 16, 1000, 4096])
def test_optimizer_updates_in_place(n):
    rng = np.random.default_rng(n)
    p, g, m, v = (rng.random(n, dtype=np.float32) for _ in range(4))
    half, quarter = np.float32(0.5), np.float32(0.25)
    new_m = m * half + g * half
    new_v = v * np.float32(0.75) + g * g * quarter
    new_p = p - half * new_m / (np.sqrt(new_v) + np.float32(1))
    adam[(triton.cdiv(n, 256), )](p, g, m, v, n, 0.5, BLOCK=256)
    np.testing.assert_array_equal(m, new_m)
    np.testing.assert_array_equal(v, new_v)
    np.testing.assert_array_equal(p, new_p)
