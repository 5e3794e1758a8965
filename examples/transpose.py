"""Transpose a matrix tile by tile.

A kernel sees bare pointers, so the strides of the arrays are arguments like any other. With strides in hand, a kernel
works on every view NumPy can make: transposed, sliced, reversed.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x_ptr, out_ptr, rows, cols, x_row, x_col, out_row, out_col, TILE: tl.constexpr):
    r = tl.program_id(0) * TILE + tl.arange(0, TILE)
    c = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    tile = tl.load(x_ptr + r[:, None] * x_row + c[None, :] * x_col, mask=inside)
    # The tile is turned in registers, so that both the load and the store run along memory.
    tl.store(out_ptr + c[:, None] * out_row + r[None, :] * out_col, tl.trans(tile), mask=tl.trans(inside))


def transpose(x):
    """A contiguous copy of x.T, for any strided matrix x."""
    rows, cols = x.shape
    out = np.empty((cols, rows), x.dtype)
    strides = [s // x.itemsize for a in (x, out) for s in a.strides]
    transpose_kernel[(triton.cdiv(rows, 32), triton.cdiv(cols, 32))](x, out, rows, cols, *strides, TILE=32)
    return out


if __name__ == "__main__":
    x = np.arange(300 * 200, dtype=np.int32).reshape(300, 200)
    views = {"whole": x, "every second row": x[::2], "columns backwards": x[:, ::-1], "already transposed": x.T}
    for name, view in views.items():
        np.testing.assert_array_equal(transpose(view), view.T)
        print(f"transpose: {name}, {view.shape[0]} x {view.shape[1]}, equal to NumPy")
