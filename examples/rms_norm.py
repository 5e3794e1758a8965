"""RMS norm in bfloat16: half the bytes in memory, float32 while computing.

NumPy has no bfloat16, so this file keeps the bits in uint16 and shows them to the kernel through `triton.reinterpret`.
Any array library that knows bfloat16 passes its arrays as they are.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, weight_ptr, out_ptr, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + c, mask=c < cols, other=0.0).to(tl.float32)
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / cols + eps)
    # The store converts to what out_ptr points at and rounds to nearest.
    tl.store(out_ptr + row * cols + c, x * rstd * weight, mask=c < cols)


def to_bfloat16(values):
    """uint16 patterns of float32 values, rounded to nearest even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bfloat16(bits):
    """float32 values of uint16 patterns."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def rms_norm(x, weight, eps=1e-6):
    """RMS norm of the rows of x; all arrays are bfloat16 patterns in uint16."""
    rows, cols = x.shape
    out = np.empty_like(x)
    x_arg, weight_arg, out_arg = (triton.reinterpret(a, tl.bfloat16) for a in (x, weight, out))
    rms_norm_kernel[(rows, )](x_arg, weight_arg, out_arg, cols, eps, BLOCK=triton.next_power_of_2(cols))
    return out


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x, weight = to_bfloat16(rng.normal(0, 3, (200, 1000))), to_bfloat16(rng.normal(0, 1, 1000))
    wide, scale = from_bfloat16(x).astype(np.float64), from_bfloat16(weight)
    expected = wide / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + 1e-6) * scale
    actual = from_bfloat16(rms_norm(x, weight))
    np.testing.assert_allclose(actual, expected, rtol=2.0**-8 + 1e-5)
    print(f"rms_norm: {x.shape[0]} x {x.shape[1]} bfloat16, every element the nearest to NumPy's float64 result")
