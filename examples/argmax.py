"""Where is the largest element of every row, and which one wins a tie?

`tl.max(..., return_indices=True)` returns the leftmost of equal elements, as NumPy does. Rows longer than a block are
walked block by block; the best value so far and its place are ordinary variables carried from one round to the next.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def argmax_kernel(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = -float("inf")
    where = 0
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=-float("inf"))
        value, index = tl.max(x, axis=0, return_indices=True)
        if value > best:  # strictly greater: an equal element further right does not replace the first
            best = value
            where = start + index
    tl.store(out_ptr + row, where)


def argmax(x):
    """Index of the first largest element of every row of a contiguous float32 matrix."""
    out = np.empty(x.shape[0], np.int32)
    argmax_kernel[(x.shape[0], )](x, out, x.shape[1], BLOCK=256)
    return out


if __name__ == "__main__":
    x = np.random.default_rng(0).integers(0, 50, (500, 1000)).astype(np.float32)
    ties = ((x == x.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum()
    np.testing.assert_array_equal(argmax(x), x.argmax(axis=1))
    print(f"argmax: {x.shape[0]} rows of {x.shape[1]}, {ties} of them with ties, all as NumPy")
