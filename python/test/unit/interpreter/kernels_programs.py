"""Cases about programs: control flow, functions, arguments, memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import triton
import triton.language as tl

from .cases import N, case, floats, integers


# --- control flow, functions, tuples ---
class Pair(NamedTuple):
    left: object
    right: object


@triton.jit
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@triton.jit
def early(x, limit):
    if x > limit:
        return x * 2
    if x == limit:
        return -x
    return x


@triton.jit
def swapped(pair, scale: tl.constexpr = 2):
    return Pair(pair.right * scale, pair.left)


@triton.jit
def control_kernel(out_ptr, pair, n, ratio, flag, HALF: tl.constexpr, MODE: tl.constexpr):
    pid = tl.program_id(0) + tl.num_programs(0) * tl.program_id(1)
    total = 0
    for i in range(n):
        total += i * i if i % 3 != 0 else 1
    for i in tl.range(10, 0, -3):
        total = total * 3 + i
    for i in tl.static_range(3):
        total += (i + 1) * HALF
    p = swapped(pair)
    if flag and (pid > 1 or n < 0):
        total += p.left
    elif not flag:
        total -= p.right
    if MODE == "early":
        total += early(pid, 2)
    weight = 1.0 if pid < 2 else ratio
    bounds = (pid, pid + 1)
    total += bounds[1] + len(bounds)
    tl.store(out_ptr + pid, total + (weight * 4).to(tl.int32) + collatz(pid + 7))


@case
def control_flow():
    out = np.zeros(8, np.int32)
    control_kernel[(4, 2)](out, Pair(3, 40), 9, 2.5, True, HALF=5, MODE="early")
    return {"out": out}


@triton.jit
def root(x):
    y = x
    steps = 0
    while (y * y - x > 1e-4 * x) and (steps < 60):
        y = 0.5 * (y + x / y)
        steps += 1
    if steps > 3:
        steps = -steps
    return y, steps


@triton.jit
def map_kernel(x_ptr, out_ptr, steps_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    y, steps = tl.map_elementwise(root, tl.load(x_ptr + at))
    tl.store(out_ptr + at, y)
    tl.store(steps_ptr + at, steps)


@case
def mapped_branches():
    out, steps = np.zeros(N, np.float32), np.zeros(N, np.int32)
    map_kernel[(1,)](np.abs(floats(14)) + 1, out, steps, BLOCK=N, enable_fp_fusion=False)
    return {"out": out, "steps": steps}


@triton.jit
def larger(a, b):
    promoted = a + tl.zeros((1,), tl.int1)  # as TorchInductor asks for the type of a sum
    return tl.where(a > b, a, b) if promoted.dtype.is_floating() else a | b


@triton.jit
def block_in_combine_kernel(x_ptr, out_ptr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, ROWS)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :])
    tl.store(out_ptr + tl.arange(0, ROWS), tl.reduce(x, 1, larger))


@case
def block_in_combine():
    rows, found = 4, {}
    for name, x in {"floats": floats(15), "integers": integers(np.int32, 15)}.items():
        found[name] = np.zeros(rows, x.dtype)
        block_in_combine_kernel[(1,)](x, found[name], ROWS=rows, BLOCK=N // rows)
    return found


@tl.core._aggregate
class Counter:
    value: tl.tensor
    step: tl.constexpr

    @triton.jit
    def advanced(self, by):
        return Counter(self.value + by * self.step, self.step)


@triton.jit
def aggregate_kernel(out_ptr, n):
    counter = Counter(tl.program_id(0), tl.constexpr(3))
    for i in range(n):
        counter = counter.advanced(i)
    tl.store(out_ptr + tl.program_id(0), counter.value)


@case
def aggregates():
    out = np.zeros(4, np.int32)
    aggregate_kernel[(4,)](out, 5)
    return {"out": out}


# --- memory ---
@triton.jit
def atomic_kernel(x_ptr, cells_ptr, old_ptr, float_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    cell = x & 7
    tl.atomic_add(cells_ptr + cell, 1, mask=x > 0)
    tl.atomic_max(cells_ptr + 8 + cell, x)
    tl.atomic_min(cells_ptr + 16 + cell, x)
    tl.atomic_xor(cells_ptr + 24 + cell, x)
    tl.atomic_or(cells_ptr + 32 + cell, x)
    tl.atomic_and(cells_ptr + 40 + cell, x)
    tl.store(old_ptr + at, tl.atomic_xchg(old_ptr + at, x))
    tl.atomic_max(float_ptr + cell, x.to(tl.float32) / 3)
    tl.atomic_add(float_ptr + 8 + cell, 0.5)
    tl.atomic_cas(cells_ptr + 48, 0, tl.program_id(0) + 1)


@case
def atomics():
    x = integers("int32", 15, 4 * N)
    cells, old, results = np.zeros(49, np.int32), np.arange(4 * N, dtype=np.int32), np.full(16, -1e9, np.float32)
    atomic_kernel[(4,)](x, cells, old, results, BLOCK=N)
    cells[48] = cells[48] > 0  # any program may be first
    return {"cells": cells, "old": old, "floats": results}


@triton.jit
def block_pointer_kernel(x_ptr, out_ptr, rows, columns, R: tl.constexpr, C: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (rows, columns), (columns, 1), (0, tl.program_id(0) * C), (R, C), (1, 0))
    target = tl.make_block_ptr(out_ptr, (rows, columns), (columns, 1), (0, tl.program_id(0) * C), (R, C), (1, 0))
    for _ in range(0, rows, R):
        x = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        tl.store(target, x + tl.sum(x), boundary_check=(0, 1))
        source = tl.advance(source, (R, 0))
        target = tl.advance(target, (R, 0))


@case
def block_pointers():
    x = integers("int32", 16, 37 * 19).reshape(37, 19) % 1000
    out = np.zeros_like(x)
    block_pointer_kernel[(3,)](x, out, 37, 19, R=8, C=8)
    return {"out": out}


@triton.jit
def descriptor_kernel(x_ptr, out_ptr, rows, columns, R: tl.constexpr, C: tl.constexpr):
    made = tl.make_tensor_descriptor(x_ptr, (rows, columns), (columns, 1), (R, C))
    out = tl.make_tensor_descriptor(out_ptr, (rows, columns), (columns, 1), (R, C))
    for row in range(0, rows, R):
        for column in range(0, columns, C):
            out.store([row, column], made.load([row, column]) * 2 + 1)


@case
def descriptors():
    x = (integers("int32", 17, 20 * 12) % 1000).reshape(20, 12)
    out = np.zeros_like(x)
    descriptor_kernel[(1,)](x, out, 20, 12, R=8, C=4)
    return {"out": out}


@triton.jit
def scalar_kernel(x_ptr, out_ptr, i, u, f, b, packed, D: tl.constexpr):
    x = tl.load(x_ptr + i)
    tl.store(out_ptr, x.to(tl.float64))
    tl.store(out_ptr + 1, f.to(tl.float64) * i.to(tl.float32))
    tl.store(out_ptr + 2, (u >> 60).to(tl.int32))
    tl.store(out_ptr + 3, b)
    tl.store(out_ptr + 4, packed[0] + packed[1][0] * D)
    tl.store(out_ptr + 5, tl.load(packed[1][1] + 2))


@case
def scalars_and_tuples():
    out, x = np.zeros(6), floats(18)
    scalar_kernel[(1,)](x, out, 3, 2**63 + 2**62, 1.5, True, (7, (9, x)), D=2)
    return {"out": out}


@triton.jit
def unaligned_kernel(bytes_ptr, out_ptr, BLOCK: tl.constexpr):
    words = (bytes_ptr + 1).to(tl.pointer_type(tl.int32))
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(words + tl.arange(0, BLOCK)))
    odd = (bytes_ptr + 3 + 5 * tl.arange(0, 8)).to(tl.pointer_type(tl.int16))
    tl.store(out_ptr + BLOCK + tl.arange(0, 8), tl.load(odd))


@case
def unaligned_addresses():
    out = np.zeros(64 + 8, np.int32)
    unaligned_kernel[(1,)](integers("uint8", 19, 64 * 4 + 16), out, BLOCK=64)
    return {"out": out}


@triton.jit
def rows_of_descriptor_kernel(x_ptr, out_ptr, M: tl.constexpr, C: tl.constexpr):
    rows = (tl.arange(0, 8) * 5) % M
    source = tl.make_tensor_descriptor(x_ptr, [M, C], [C, 1], [1, 8])
    target = tl.make_tensor_descriptor(out_ptr, [M, C], [C, 1], [1, 8])
    target.scatter(source.gather(rows, 8) * 2, rows, 0)
    tile = tl.make_tensor_descriptor(out_ptr, [M, C], [C, 1], [8, 8])
    tile.atomic_add([4, 12], tl.full((8, 8), 3, tl.int32))
    tile.atomic_max([4, 0], tl.full((8, 8), 40, tl.int32))


@case
def rows_of_descriptors():
    x = np.arange(400, dtype=np.int32).reshape(20, 20)
    out = np.zeros_like(x)
    rows_of_descriptor_kernel[(1,)](x, out, M=20, C=20)
    return {"out": out}


@triton.jit
def print_kernel(x_ptr, n):
    tl.device_print("pid", tl.program_id(0), n)
    tl.device_print("half", tl.load(x_ptr + tl.arange(0, 2)))
    tl.device_print("bits", tl.load(x_ptr + tl.arange(0, 2)).to(tl.int32, bitcast=True), hex=True)
    print("done")


def print_case():
    """Prints; not among the cases, as it returns nothing."""
    print_kernel[(2,)](np.array([0.5, -1.25], np.float32), -3)
