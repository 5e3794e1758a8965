"""Device-neutral names of mathematical library functions.

Every backend binds them to its own implementation (`BaseBackend.get_module_map`); a function that the target does not
have is an error that names it. Names, by number of arguments, are those device libraries share.
"""

from __future__ import annotations

from .._builtin import builtin

_ROUNDINGS = ("rd", "rn", "ru", "rz")


def _rounded(*stems: str) -> list[str]:
    return [f"{stem}_{r}" for stem in stems for r in _ROUNDINGS]


_UNARY = [
    *"abs acos acosh asin asinh atan atanh brev cbrt ceil clz cos cosh cospi cyl_bessel_i0 cyl_bessel_i1".split(),
    *"double2hiint double2loint double_as_longlong erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1".split(),
    *"fast_cosf fast_exp10f fast_expf fast_log10f fast_log2f fast_logf fast_sinf fast_tanf fast_tanhf ffs".split(),
    *"finitef float_as_int float_as_uint floor ilogb int2double_rn int_as_float isfinited isinf isnan j0 j1".split(),
    *"lgamma llrint llround log log10 log1p log2 logb longlong_as_double nearbyint normcdf normcdfinv popc".split(),
    *"rcbrt rcp64h rint round rsqrt rsqrt_rn saturatef signbit sin sinh sinpi sqrt tan tanh tgamma trunc".split(),
    *"uint2double_rn uint_as_float y0 y1".split(),
    *_rounded("double2float", "double2int", "double2ll", "double2uint", "double2ull"),
    *_rounded("float2int", "float2ll", "float2uint", "float2ull", "int2float", "uint2float"),
    *_rounded("ll2double", "ll2float", "ull2double", "ull2float", "rcp", "sqrt"),
]
_BINARY = [
    *"atan2 copysign fast_dividef fast_powf fdim fmod hadd hiloint2double hypot jn ldexp mul24 mulhi".split(),
    *"nextafter pow remainder rhadd rhypot scalbn yn".split(),
    *_rounded("add", "sub", "mul", "div"),
]
_TERNARY = ["byte_perm", "fma", "norm3d", "rnorm3d", "sad", *_rounded("fma")]
_QUATERNARY = ["norm4d", "rnorm4d"]

_COUNTS = {
    name: count for count, names in enumerate((_UNARY, _BINARY, _TERNARY, _QUATERNARY), start=1) for name in names
}

__all__ = sorted(_COUNTS)


def in_order(name: str, args: tuple, named: dict) -> list:
    """Arguments of the function `name`, some of which may be given as `arg0`, `arg1`, ... TypeError for others."""
    keys = [f"arg{i}" for i in range(_COUNTS[name])]
    if {*named} != {*keys[len(args) :]} or len(args) > len(keys):
        given = ", ".join([*("..." for _ in args), *(f"{key}=..." for key in named)])
        raise TypeError(f"libdevice.{name} takes ({', '.join(keys)}), got ({given})")
    return [*args, *(named[key] for key in keys[len(args) :])]


def _declare(name: str, count: int):
    arguments = tuple(f"arg{i}" for i in range(count))

    def function(*args, _semantic=None, **named):
        raise NotImplementedError(f"libdevice.{name} is not available on this target")

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = f"{name}({', '.join(arguments)}), as the target's library defines it."
    return builtin(function)


for _name, _count in _COUNTS.items():
    globals()[_name] = _declare(_name, _count)
