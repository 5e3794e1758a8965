"""A histogram, counted by all programs at once.

The plain way adds every element to its bin atomically. The quicker way counts the block first (`tl.histogram`) and
adds one number per bin, so the programs meet less often.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def by_element_kernel(x_ptr, bins_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index, mask=index < n, other=0)
    tl.atomic_add(bins_ptr + x, 1, mask=index < n)


@triton.jit
def by_block_kernel(x_ptr, bins_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index, mask=index < n, other=0)
    counts = tl.histogram(x, BINS, mask=index < n)
    tl.atomic_add(bins_ptr + tl.arange(0, BINS), counts)


if __name__ == "__main__":
    x = np.random.default_rng(0).integers(0, 64, 300_001).astype(np.int32)
    expected = np.bincount(x, minlength=64)
    grid = (triton.cdiv(x.size, 1024), )
    bins = np.zeros(64, np.int32)
    by_element_kernel[grid](x, bins, x.size, BLOCK=1024)
    np.testing.assert_array_equal(bins, expected)
    bins = np.zeros(64, np.int32)
    by_block_kernel[grid](x, bins, x.size, BINS=64, BLOCK=1024)
    np.testing.assert_array_equal(bins, expected)
    print(f"histogram: {x.size} values in 64 bins, {grid[0]} programs, both ways equal to NumPy")
