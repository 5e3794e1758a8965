"""What kernels ask of a device by functions of its own, answered for targets that are another device."""

from __future__ import annotations

from .._builtin import builtin
from .._fp8e4b15 import convert
from .._values import _unwrap_if_constexpr, constexpr


def no_operation(name: str, doc: str):
    """Builtin `name` without arguments that does nothing."""

    def function(_semantic=None):
        return None

    return _named(function, name, doc)


def unavailable(name: str, doc: str):
    """Builtin `name` without arguments that cannot be compiled."""

    def function(_semantic=None):
        raise NotImplementedError(f"{name}() is not available on this target: it reads a register of another device")

    return _named(function, name, doc)


def conversion(name: str):
    """Builtin `name` that converts to or from the 8-bit float that targets have no operation for."""

    def function(arg, dst_ty, fp_downcast_rounding=None, _semantic=None):
        rounding = _unwrap_if_constexpr(fp_downcast_rounding)
        dtype = _unwrap_if_constexpr(dst_ty).scalar
        if "fp8e4b15" not in (arg.dtype.name, dtype.name):
            raise TypeError(f"{name}: converts to or from float8e4b15, not {arg.dtype} to {dtype}")
        return convert(_semantic, arg, dtype, rounding)

    return _named(function, name, "`arg` as `dst_ty`, one of which is float8e4b15. Use `arg.to(dst_ty)`.")


def _named(function, name: str, doc: str):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return builtin(function)


@builtin
def num_warps(_semantic=None):
    """The option `num_warps` of the compile, a constant."""
    return constexpr(_num_warps(_semantic))


@builtin
def num_threads(_semantic=None):
    """`num_warps` times the target's warp size, a constant. Targets without warps count 1 thread for each."""
    return constexpr(_num_warps(_semantic) * (getattr(_semantic.options, "warp_size", None) or 1))


def _num_warps(semantic) -> int:
    return getattr(semantic.options, "num_warps", None) or 1
