"""The CPU's stages. What is different about this backend lies below ``spec``, and takes part in every one of them."""

from __future__ import annotations

from triton.backends.compiler import GPUTarget
from triton.backends.cpu.compiler import CPUBackend

TARGET = "overlay"


class OverlayBackend(CPUBackend):
    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == TARGET

    def hash(self) -> str:
        return f"overlay-1-{super().hash()}"
