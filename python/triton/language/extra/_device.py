"""What kernels ask of a device by functions of its own, answered for targets that are another device."""

from __future__ import annotations

from .._builtin import builtin
from .._values import constexpr


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
