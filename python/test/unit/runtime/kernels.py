"""Kernels that the tests of the runtime launch."""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=live) * factor, mask=live)


@triton.jit
def fill(out_ptr, value, n, BLOCK: tl.constexpr = 16):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, value, mask=at < n)


@triton.jit
def programs(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out_ptr + at, 100 * z + 10 * y + x)


def launch_scale():
    """The kernel of a launch that looks into the file cache and gives right results."""
    scale.device_caches.clear()
    x, out = np.arange(50, dtype=np.float32), np.zeros(50, np.float32)
    kernel = scale[(4,)](x, out, 50, 3.0, BLOCK=16)
    assert (out == 3 * x).all()
    return kernel
