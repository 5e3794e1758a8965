"""A device that does nothing. It takes part in every step of a launch except the last: an empty kernel runs instead.

So a launch costs what launching costs, and memory stays as it was. The device is active only where it is asked for.
"""

from __future__ import annotations

import functools
import os

import triton
from triton.backends.compiler import GPUTarget
from triton.backends.cpu.driver import CPUDriver, CPUUtils

from .compiler import TARGET


@triton.jit
def nothing():
    pass


@functools.cache
def _empty_kernel() -> tuple[int, int, int, int, int | None]:
    """What loading an empty kernel gives: it is compiled for this processor and loaded once a process."""
    source = triton.compiler.ASTSource(nothing, signature={}, constexprs={})
    binary = triton.compile(source, target=GPUTarget("cpu", "", 1)).kernel
    return CPUUtils().load_binary("nothing", binary, 0, 0)


class NullUtils(CPUUtils):
    """Takes every binary and has the empty kernel run in its place."""

    def load_binary(self, name: str, binary: bytes, shared: int, device: int) -> tuple[int, int, int, int, int | None]:
        if not binary:
            raise ValueError(f"the binary of kernel {name!r} is empty")
        return _empty_kernel()

    def unload_module(self, module: int) -> None:
        """The empty kernel stays: others use it, too."""


class NullDriver(CPUDriver):
    """Host memory, one device, and launches without effect."""

    def __init__(self) -> None:
        self.utils = NullUtils()

    @classmethod
    def is_active(cls) -> bool:
        return os.environ.get("TRITON_DEFAULT_BACKEND") == TARGET and super().is_active()

    @classmethod
    def inactive_reason(cls) -> str:
        if not super().is_active():
            return super().inactive_reason()
        return f"it launches nothing, so it has to be asked for: TRITON_DEFAULT_BACKEND={TARGET}"

    def get_current_target(self) -> GPUTarget:
        return GPUTarget(TARGET, super().get_current_target().arch, 1)
