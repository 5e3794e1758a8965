"""What the kernel is compiled for. All functions are evaluated while compiling."""

from __future__ import annotations

from ..runtime.jit import constexpr_function

__all__ = [
    "cuda_capability_geq",
    "current_target",
    "is_cuda",
    "is_hip",
    "is_hip_cdna3",
    "is_hip_cdna4",
    "is_hip_gfx1250",
]


@constexpr_function
def current_target():
    """The `GPUTarget` of the active driver; None when no driver is active."""
    return _target()


def _target():
    from ..runtime.driver import driver

    try:
        return driver.active.get_current_target()
    except RuntimeError:
        return None


def _backend() -> str | None:
    target = _target()
    return None if target is None else target.backend


@constexpr_function
def is_cuda():
    return _backend() == "cuda"


@constexpr_function
def cuda_capability_geq(major, minor=0):
    """Whether the target has at least this compute capability."""
    target = _target()
    return target is not None and target.backend == "cuda" and target.arch >= major * 10 + minor


@constexpr_function
def is_hip():
    return _backend() == "hip"


def _arch_is(name: str) -> bool:
    target = _target()
    return target is not None and target.backend == "hip" and target.arch == name


@constexpr_function
def is_hip_cdna3():
    return _arch_is("gfx942")


@constexpr_function
def is_hip_cdna4():
    return _arch_is("gfx950")


@constexpr_function
def is_hip_gfx1250():
    return _arch_is("gfx1250")
