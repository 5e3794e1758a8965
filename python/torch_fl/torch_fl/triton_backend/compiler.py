"""Compiles kernels of the device: the code is that of the CPU backend."""

from __future__ import annotations

from triton.backends.compiler import GPUTarget
from triton.backends.cpu.compiler import CPUBackend

from .._claim import NAME


class FlagosBackend(CPUBackend):
    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == NAME
