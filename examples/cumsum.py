"""Scans: every element combined with all before it.

`tl.cumsum` is the scan of +. `tl.associative_scan` takes any associative function, also of several values at once: here
the composition of x -> a x + b, which solves the recurrence y[i] = a[i] y[i-1] + b[i] in parallel.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0) * cols
    before = tl.zeros((), tl.float32)  # sum of the blocks already done
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + c, mask=c < cols, other=0.0)
        tl.store(out_ptr + row + c, before + tl.cumsum(x, axis=0), mask=c < cols)
        before += tl.sum(x, axis=0)


@triton.jit
def then(a1, b1, a2, b2):
    """First x -> a1 x + b1, then x -> a2 x + b2, as one such function."""
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i, mask=i < n, other=1.0)
    b = tl.load(b_ptr + i, mask=i < n, other=0.0)
    _, y = tl.associative_scan((a, b), axis=0, combine_fn=then)
    tl.store(out_ptr + i, y, mask=i < n)


def cumsum(x):
    """Running sums along the rows of a contiguous float32 matrix."""
    out = np.empty_like(x)
    cumsum_kernel[(x.shape[0], )](x, out, x.shape[1], BLOCK=256)
    return out


def recurrence(a, b):
    """y with y[i] = a[i] * y[i - 1] + b[i], y before the start being 0."""
    out = np.empty_like(b)
    recurrence_kernel[(1, )](a, b, out, b.size, BLOCK=triton.next_power_of_2(b.size))
    return out


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = rng.integers(-10, 10, (50, 1003)).astype(np.float32)
    np.testing.assert_array_equal(cumsum(x), x.cumsum(axis=1))
    print("cumsum: 50 rows of 1003 equal NumPy's")
    a, b = rng.uniform(0.5, 1, 1000).astype(np.float32), rng.normal(0, 1, 1000).astype(np.float32)
    y, expected = 0.0, []
    for slope, offset in zip(a.tolist(), b.tolist(), strict=True):
        y = slope * y + offset
        expected.append(y)
    np.testing.assert_allclose(recurrence(a, b), expected, rtol=1e-4, atol=1e-4)
    print("cumsum: a recurrence of 1000 steps agrees with the loop")
