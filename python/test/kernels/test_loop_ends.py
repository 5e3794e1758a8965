"""Loops whose end is near the end of the index's type: as many iterations as Python's `range`, and then an end."""

import numpy as np
import pytest
import triton
import triton.language as tl

SLOTS = 16
RANGES = [
    (2**31 - 10, 2**31 - 1, 8),
    (2**31 - 20, 2**31 - 1, 3),
    (2**31 - 1, 2**31 - 1, 7),
    (-(2**31), 2**31 - 1, 2**30),
    (-(2**31), -(2**31) + 9, 4),
    (2**31 - 1, 2**31 - 12, -4),
    (-(2**31) + 9, -(2**31), -4),
    (2**63 - 20, 2**63 - 1, 8),
    (-(2**63), 2**63 - 1, 2**61),
    (2**63 + 5, 2**64 - 1, 2**61),
    (2**63, 2**64 - 1, 2**62),
    (5, 3, 2),
]


@triton.jit
def visited(out_ptr, start, end, step, STEP: tl.constexpr):
    count = 0
    for i in range(start, end, STEP if STEP else step):
        tl.store(out_ptr + count, i)
        count += 1
    tl.store(out_ptr + 15, count)


@triton.jit
def carried_block(out_ptr, start, end, STEP: tl.constexpr):
    at = tl.arange(0, 16)
    seen = tl.zeros((16,), tl.int64)
    count = 0
    for i in range(start, end, STEP):
        seen += tl.where(at == count, tl.zeros((16,), tl.int64) + i, 0)
        count += 1
    tl.store(out_ptr + at, tl.where(at == 15, count, seen))


def expected(values, dtype):
    return np.array([*values, *[0] * (SLOTS - 1 - len(values)), len(values)], dtype)


@pytest.mark.parametrize(
    "start, end, step, is_constant", [(*r, c) for r in RANGES for c in (False, True) if c or r[2] > 0]
)
def test_index_after_the_last_does_not_fit(start, end, step, is_constant):
    out = np.zeros(SLOTS, np.uint64 if end >= 2**63 else np.int64)
    visited[(1,)](out, start, end, 0 if is_constant else step, STEP=step if is_constant else 0)
    np.testing.assert_array_equal(out, expected(range(start, end, step), out.dtype))


@pytest.mark.parametrize("start, end, step", [(0, 10, 0), (0, 10, -1), (10, 0, -1), (2**40, 0, 0)])
def test_step_that_is_not_above_0(start, end, step):
    out = np.zeros(SLOTS, np.int64)
    visited[(1,)](out, start, end, step, STEP=0)
    assert not out.any()
    with pytest.raises((RuntimeError, triton.errors.TritonError), match=r"range\(\) needs a step above 0"):
        visited[(1,)](out, start, end, step, STEP=0, debug=True)


@pytest.mark.parametrize("start, end, step", [r for r in RANGES if r[1] < 2**63])
def test_loop_that_carries_a_block(start, end, step):
    out = np.zeros(SLOTS, np.int64)
    carried_block[(1,)](out, start, end, STEP=step)
    np.testing.assert_array_equal(out, expected(range(start, end, step), np.int64))


@triton.jit
def fixed_bounds(out_ptr, START: tl.constexpr, END: tl.constexpr, STEP: tl.constexpr):
    count = 0
    for i in tl.range(START, END, STEP):
        tl.store(out_ptr + count, i)
        count += 1
    tl.store(out_ptr + 15, count)


@pytest.mark.parametrize("distance", [0, 6, 7, 8])
def test_bounds_known_when_compiled(distance):
    """Up to distance 6 from the largest number, the index after the last may not fit."""
    end, step = 2**31 - 1 - distance, 8
    out = np.zeros(SLOTS, np.int64)
    fixed_bounds[(1,)](out, end - 20, end, step)
    np.testing.assert_array_equal(out, expected(range(end - 20, end, step), np.int64))


@triton.jit
def step_of_nothing(out_ptr, start, end, step):
    count = 0
    for _ in range(start, end, step):
        count += 1
    tl.store(out_ptr, count)


@pytest.mark.parametrize("step", [0, -3])
@pytest.mark.parametrize("end", [10, 2**40])
def test_step_that_does_not_count_up(step, end):
    out = np.full(1, -1, np.int64)
    step_of_nothing[(1,)](out, 3, end, step)
    assert out[0] == 0
