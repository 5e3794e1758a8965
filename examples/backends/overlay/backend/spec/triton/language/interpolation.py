"""A module that the trunk does not have: ``triton.language.interpolation``."""

from triton.runtime.jit import jit


@jit
def lerp(a, b, weight):
    """``a`` where `weight` is 0, ``b`` where it is 1, in between a straight line. All of one shape, or scalars."""
    return a + (b - a) * weight
