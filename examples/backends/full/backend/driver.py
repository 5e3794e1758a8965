"""One device, which the CPU plays."""

from __future__ import annotations

from triton.backends.compiler import GPUTarget
from triton.backends.cpu.driver import CPUDriver

from .compiler import TARGET


class FullDriver(CPUDriver):
    def get_current_target(self) -> GPUTarget:
        return GPUTarget(TARGET, super().get_current_target().arch, 1)
