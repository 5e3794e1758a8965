"""One device, which is the CPU."""

from __future__ import annotations

from triton.backends.compiler import GPUTarget
from triton.backends.cpu.driver import CPUDriver

from .compiler import TARGET


class OverlayDriver(CPUDriver):
    def get_current_target(self) -> GPUTarget:
        return GPUTarget(TARGET, super().get_current_target().arch, 1)
