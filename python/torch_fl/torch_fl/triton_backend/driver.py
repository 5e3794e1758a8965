"""Launches kernels of the device: on the processor, with the device's tensors as they are."""

from __future__ import annotations

import sys
from typing import Any

from triton.backends.compiler import GPUTarget
from triton.backends.cpu.driver import CPUDriver
from triton.backends.driver import DriverBase

from .._claim import NAME
from ..profiles import profile

_DLPACK_EXTENSION_DEVICE = 12


class FlagosDriver(DriverBase):
    """The CPU's driver, but not a subclass: Inductor takes an instance of that for the CPU's own."""

    dlpack_device_types = (*CPUDriver.dlpack_device_types, _DLPACK_EXTENSION_DEVICE)

    def __init__(self) -> None:
        self._host = CPUDriver()

    @classmethod
    def is_active(cls) -> bool:
        """Once the device is registered in this process and lives in host memory."""
        return (
            NAME in getattr(sys.modules.get("torch"), "__dict__", {})
            and profile().triton_key == NAME
            and (CPUDriver.is_active())
        )

    @classmethod
    def inactive_reason(cls) -> str:
        if profile().triton_key != NAME:
            return f"the device does not live in host memory but on platform {profile().name!r}"
        return "import torch_fl first" if CPUDriver.is_active() else CPUDriver.inactive_reason()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    @property
    def driver_abi(self) -> Any:
        return self._host.driver_abi

    def map_python_to_cpp_type(self, ty: str) -> str:
        return self._host.map_python_to_cpp_type(ty)

    def get_current_target(self) -> GPUTarget:
        host = self._host.get_current_target()
        return GPUTarget(NAME, host.arch, profile().warp_size or host.warp_size)

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device(NAME, 0)

    def get_benchmarker(self) -> Any:
        return self._host.get_benchmarker()
