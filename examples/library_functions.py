"""Functions of a mathematical library: what `tl` does not have, `tl.extra.libdevice` may.

`libdevice` names functions that exist on every kind of device, and each backend says which code they mean. On the CPU
most of them become vector instructions in the middle of the kernel, the rest calls of the C library.
"""

import math

import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def asinh_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + i, libdevice.asinh(x), mask=i < n)


@triton.jit
def black_scholes_kernel(spot_ptr, strike_ptr, years_ptr, call_ptr, n, rate, volatility, BLOCK: tl.constexpr):
    """Prices of European call options: the textbook use of the normal distribution function."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    spot = tl.load(spot_ptr + i, mask=inside, other=1.0)
    strike = tl.load(strike_ptr + i, mask=inside, other=1.0)
    years = tl.load(years_ptr + i, mask=inside, other=1.0)
    spread = volatility * tl.sqrt(years)
    d1 = (libdevice.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    discounted = strike * libdevice.exp(-rate * years)
    call = spot * libdevice.normcdf(d1) - discounted * libdevice.normcdf(d1 - spread)
    tl.store(call_ptr + i, call, mask=inside)


def asinh(x, block=1024):
    """The inverse hyperbolic sine of a float32 or float64 array."""
    out = np.empty_like(x)
    asinh_kernel[(triton.cdiv(x.size, block), )](x, out, x.size, BLOCK=block)
    return out


def black_scholes(spot, strike, years, rate, volatility, block=256):
    """Call prices for float64 arrays of one shape."""
    out = np.empty_like(spot)
    black_scholes_kernel[(triton.cdiv(spot.size, block), )](spot, strike, years, out, spot.size, rate, volatility,
                                                            BLOCK=block)
    return out


def normal_distribution(x):
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    for dtype, tolerance in ((np.float32, 1e-6), (np.float64, 1e-14)):
        x = (rng.normal(0, 1, 98_432) * 10.0**rng.integers(-6, 6, 98_432)).astype(dtype)
        np.testing.assert_allclose(asinh(x), np.arcsinh(x), rtol=tolerance)
        print(f"library_functions: asinh of {x.size} {np.dtype(dtype).name} agrees with NumPy")
    spot, strike, years = rng.uniform(10, 200, 5000), rng.uniform(10, 200, 5000), rng.uniform(0.1, 5, 5000)
    rate, volatility = 0.03, 0.25
    d1 = (np.log(spot / strike) + (rate + volatility**2 / 2) * years) / (volatility * np.sqrt(years))
    expected = spot * normal_distribution(d1) - strike * np.exp(-rate * years) * normal_distribution(
        d1 - volatility * np.sqrt(years))
    # Numbers of Python are float32 in a kernel, so the prices have the digits of that.
    np.testing.assert_allclose(black_scholes(spot, strike, years, rate, volatility), expected, rtol=1e-5, atol=1e-5)
    print(f"library_functions: {spot.size} option prices agree with the C library")
