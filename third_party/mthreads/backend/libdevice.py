"""``triton.language.extra.libdevice`` for MUSA: the functions for which `target` has names.

They are operations of the compiler, so their names are written in `target` only. Functions that are not here are
reported by the device-neutral module when a kernel calls them.
"""

from __future__ import annotations

from typing import Any

from triton.language import core
from triton.language.core import _unwrap_if_constexpr, builtin
from triton.language.extra.libdevice import in_order

# libdevice's name -> operation of the compiler. Operands and result have one floating-point type.
_OPERATIONS = {
    name: f"math.{name}"
    for name in (
        "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 floor log log10 "
        "log1p log2 round rsqrt sin sinh sqrt tan tanh trunc"
    ).split()
}
_OPERATIONS.update(
    rint="math.roundeven",
    nearbyint="math.roundeven",
    rsqrt_rn="math.rsqrt",
    pow="math.powf",
    fmod="arith.remf",
    fast_dividef="arith.divf",
    fast_powf="math.powf",
    fast_cosf="math.cos",
    fast_expf="math.exp",
    fast_log10f="math.log10",
    fast_log2f="math.log2",
    fast_logf="math.log",
    fast_sinf="math.sin",
    fast_tanf="math.tan",
    fast_tanhf="math.tanh",
)
_BINARY = frozenset(("math.atan2", "math.copysign", "math.powf", "arith.remf", "arith.divf"))


def _same_float(semantic: Any, args: list[Any]) -> list[Any]:
    """The arguments in one shape, and in fp64 if one is, else fp32. TypeError unless one is a floating-point number."""
    if not any(arg.dtype.is_floating() for arg in args):
        raise TypeError(f"expected floating-point numbers, got {', '.join(str(arg.dtype) for arg in args)}")
    dtype = core.float64 if any(arg.dtype == core.float64 for arg in args) else core.float32
    args = [semantic.cast(arg, dtype) for arg in args]
    return args if len(args) == 1 else list(semantic.broadcast_pair(*args))


def _define(name: str, operation: str) -> Any:
    count = 2 if operation in _BINARY else 1

    def function(*args: Any, _semantic: Any = None, **named: Any) -> Any:
        args = in_order(name, args, named)
        operands = _same_float(_semantic, [_semantic.to_tensor(_unwrap_if_constexpr(arg)) for arg in args])
        return (_semantic._unary if count == 1 else _semantic._binary)(operation, *operands)

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = f"libdevice's {name}."
    return builtin(function)


@builtin
def abs(arg0, _semantic=None):
    """Absolute value of an integer or floating-point number."""
    return _semantic.abs(arg0)


@builtin
def fma(arg0, arg1, arg2, _semantic=None):
    """`arg0 * arg1 + arg2` with one rounding."""
    return _semantic.fma(arg0, arg1, arg2)


def __getattr__(name: str) -> Any:
    """A function that the target lacks is the device-neutral one, which says so when it is called."""
    from triton.language.extra import libdevice

    return getattr(libdevice, name)


for _name, _operation in _OPERATIONS.items():
    globals()[_name] = _define(_name, _operation)

__all__ = sorted([*_OPERATIONS, "abs", "fma"])
