"""Elementwise functions of floating-point numbers."""

from __future__ import annotations

from . import _types as T
from ._builtin import builtin, tensor_member
from ._values import _unwrap_if_constexpr

__all__ = [
    "abs",
    "ceil",
    "cos",
    "div_rn",
    "erf",
    "exp",
    "exp2",
    "fdiv",
    "floor",
    "fma",
    "log",
    "log2",
    "rsqrt",
    "sin",
    "sqrt",
    "sqrt_rn",
    "umulhi",
]


def _unary(name: str, op: str, doc: str, dtypes=("fp32", "fp64")):
    def function(x, _semantic=None):
        return _semantic.math_unary(name, op, x, dtypes)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc + f" Element types: {', '.join(dtypes)}; ValueError for others."
    return tensor_member(builtin(function))


exp = _unary("exp", "math.exp", "e to the power of `x`.")
exp2 = _unary("exp2", "math.exp2", "2 to the power of `x`.")
log = _unary("log", "math.log", "Natural logarithm.")
log2 = _unary("log2", "math.log2", "Logarithm to base 2.")
cos = _unary("cos", "math.cos", "Cosine.")
sin = _unary("sin", "math.sin", "Sine.")
sqrt = _unary("sqrt", "math.sqrt", "Square root, as exact as the target's fast instruction.")
sqrt_rn = _unary("sqrt_rn", "tt.precise_sqrt", "Square root, rounded to nearest even.", ("fp32",))
rsqrt = _unary("rsqrt", "math.rsqrt", "One over the square root.")
erf = _unary("erf", "math.erf", "Error function.")
floor = _unary("floor", "math.floor", "Largest integer that is not greater.")
ceil = _unary("ceil", "math.ceil", "Smallest integer that is not less.")


@tensor_member
@builtin
def abs(x, _semantic=None):
    """Absolute value, of any numeric dtype."""
    return _semantic.abs(x)


@builtin
def umulhi(x, y, _semantic=None):
    """The upper half of the product of two 32-bit or 64-bit integers, read as unsigned."""
    return _semantic.umulhi(x, y)


@builtin
def fdiv(x, y, ieee_rounding=False, approx=False, _semantic=None):
    """Floating-point quotient. `ieee_rounding` asks for the exactly rounded one, `approx` allows a faster one."""
    return _semantic.fdiv(x, y, bool(_unwrap_if_constexpr(ieee_rounding)))


@builtin
def div_rn(x, y, _semantic=None):
    """Quotient of float32 numbers, rounded to nearest even."""
    x, y = _semantic.binary_operands(x, y)
    if x.dtype != T.float32:
        raise ValueError(f"tl.div_rn: expected dtype fp32, got {x.dtype}")
    return _semantic._binary("tt.precise_divf", x, y)


@builtin
def fma(x, y, z, _semantic=None):
    """`x * y + z` with one rounding."""
    return _semantic.fma(x, y, z)
