"""libdevice on the CPU: operations of the compiler where it has them (they are vectorised), else the system's libm."""

from __future__ import annotations

from triton.language.core import builtin

from ._libdevice_bits import BIT_FUNCTIONS
from ._libdevice_convert import CONVERSIONS
from ._libdevice_special import SPECIAL_FUNCTIONS
from ._support import as_float, common_float, define, libm

# name -> operation with one operand and a result of the same floating-point type
_OPERATIONS = {
    name: f"math.{name}"
    for name in (
        "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor log log10 log1p log2 round "
        "rsqrt sin sinh sqrt tan tanh trunc"
    ).split()
}
_OPERATIONS.update(
    rint="math.roundeven",
    nearbyint="math.roundeven",
    fast_cosf="math.cos",
    fast_expf="math.exp",
    fast_log10f="math.log10",
    fast_log2f="math.log2",
    fast_logf="math.log",
    fast_sinf="math.sin",
    fast_tanf="math.tan",
    fast_tanhf="math.tanh",
    rsqrt_rn="math.rsqrt",
)
# name -> (symbol in libm without the suffix for float, kinds of the arguments, kind of the result)
_LIBM = {
    "exp10": ("exp10", "f", "f"),
    "fast_exp10f": ("exp10", "f", "f"),
    "fdim": ("fdim", "ff", "f"),
    "hypot": ("hypot", "ff", "f"),
    "ilogb": ("ilogb", "f", "i"),
    "j0": ("j0", "f", "f"),
    "j1": ("j1", "f", "f"),
    "jn": ("jn", "if", "f"),
    "ldexp": ("ldexp", "fi", "f"),
    "lgamma": ("lgamma", "f", "f"),
    "logb": ("logb", "f", "f"),
    "nextafter": ("nextafter", "ff", "f"),
    "remainder": ("remainder", "ff", "f"),
    "scalbn": ("scalbn", "fi", "f"),
    "tgamma": ("tgamma", "f", "f"),
    "y0": ("y0", "f", "f"),
    "y1": ("y1", "f", "f"),
    "yn": ("yn", "if", "f"),
}


def _operation(op: str):
    return lambda semantic, x: semantic._unary(op, as_float(semantic, x))


def _binary_operation(op: str):
    def apply(semantic, x, y):
        x, y = common_float(semantic, x, y)
        return semantic._binary(op, x, y)

    return apply


def _library(symbol: str, arguments: str, result: str):
    return lambda semantic, *args: libm(semantic, symbol, arguments, result, args)


@builtin
def abs(arg0, _semantic=None):
    """Absolute value of an integer or floating-point number."""
    return _semantic.abs(arg0)


@builtin
def fma(arg0, arg1, arg2, _semantic=None):
    """`arg0 * arg1 + arg2` with one rounding."""
    return _semantic.fma(arg0, arg1, arg2)


_FUNCTIONS = {
    **{name: _operation(op) for name, op in _OPERATIONS.items()},
    **{name: _library(*spec) for name, spec in _LIBM.items()},
    "atan2": _binary_operation("math.atan2"),
    "copysign": _binary_operation("math.copysign"),
    "fmod": _binary_operation("arith.remf"),
    "fast_dividef": _binary_operation("arith.divf"),
    "pow": _binary_operation("math.powf"),
    "fast_powf": _binary_operation("math.powf"),
    **BIT_FUNCTIONS,
    **CONVERSIONS,
    **SPECIAL_FUNCTIONS,
}

for _name, _function in _FUNCTIONS.items():
    globals()[_name] = define(_name, _function, __name__)

__all__ = sorted([*_FUNCTIONS, "abs", "fma"])
