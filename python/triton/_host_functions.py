"""`cdiv` and `next_power_of_2`: for host code, and for kernels at compile time."""

from .runtime.jit import constexpr_function


@constexpr_function
def cdiv(x: int, y: int) -> int:
    """``x / y`` rounded up, for non-negative integers."""
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n: int) -> int:
    """The smallest power of two that is at least `n`; 0 for 0."""
    n -= 1
    n |= n >> 1
    n |= n >> 2
    n |= n >> 4
    n |= n >> 8
    n |= n >> 16
    n |= n >> 32
    return n + 1
