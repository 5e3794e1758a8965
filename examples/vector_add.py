"""The smallest useful kernel: add two vectors.

A kernel is run once per *program*. Every program works on one *block* of elements, here BLOCK of them, and finds out
which block is its own by `tl.program_id`. The length of the vectors need not be a multiple of BLOCK: the last program
masks off what lies behind the end.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    x = tl.load(x_ptr + index, mask=inside)
    y = tl.load(y_ptr + index, mask=inside)
    tl.store(out_ptr + index, x + y, mask=inside)


def add(x, y):
    """x + y for two contiguous arrays of the same shape and dtype."""
    out = np.empty_like(x)
    # Square brackets hold the grid: how many programs run. Constants such as BLOCK are compiled into the kernel.
    add_kernel[(triton.cdiv(x.size, 1024), )](x, y, out, x.size, BLOCK=1024)
    return out


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x, y = rng.random(98_765, dtype=np.float32), rng.random(98_765, dtype=np.float32)
    np.testing.assert_array_equal(add(x, y), x + y)
    print(f"vector_add: {x.size} float32 sums equal NumPy's bit for bit")
