"""Every stage of the companion's compiler, for a target of its own: what fails there fails here.

The target names the processor as the cpu backend's does: ``GPUTarget("null", "", 1)`` compiles for this machine.
"""

from __future__ import annotations

from triton.backends.compiler import GPUTarget
from triton.backends.cpu.compiler import CPUBackend

TARGET = "null"


class NullBackend(CPUBackend):
    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == TARGET

    def hash(self) -> str:
        return f"null-{super().hash()}"
