"""Launches kernels of the device: on the processor, with the device's tensors as they are."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from typing import Any

from triton.backends import driver as base
from triton.backends.compiler import GPUTarget

from . import host

_DLPACK_EXTENSION_DEVICE = 12
_COMPILE_WORKER = os.path.join("torch", "_inductor", "compile_worker", "__main__.py")

cpu = host.part("driver")
_CPU_TYPES = cpu.CPUDriver.dlpack_device_types if cpu else ()


def _is_compile_worker() -> bool:
    """Whether torch started this process to compile kernels. It imports torch, but not what its parent did."""
    return str(getattr(sys.modules.get("__main__"), "__file__", None)).endswith(_COMPILE_WORKER)


def _registered() -> ModuleType | None:
    """`torch_fl`, in a process where the device is registered."""
    if _is_compile_worker():
        importlib.import_module("torch_fl")
    registered = host.NAME in getattr(sys.modules.get("torch"), "__dict__", {})
    return sys.modules.get("torch_fl") if registered else None


def _platform() -> Any:
    return sys.modules["torch_fl.profiles"].profile()


class FlagosDriver(base.DriverBase):
    """The CPU's driver, but not a subclass: Inductor takes an instance of that for the CPU's own."""

    dlpack_device_types = tuple({*_CPU_TYPES, _DLPACK_EXTENSION_DEVICE})
    # Launches of users stay with the CPU driver, which takes these tensors, too. TorchInductor asks for this one.
    chosen_by_default = False

    def __init__(self) -> None:
        self._host = cpu.CPUDriver() if cpu else host.refuse()

    @classmethod
    def is_active(cls) -> bool:
        """Once the device is registered in this process and lives in host memory."""
        return (
            cpu is not None
            and _registered() is not None
            and _platform().triton_key == host.NAME
            and cpu.CPUDriver.is_active()
        )

    @classmethod
    def inactive_reason(cls) -> str:
        if cpu is None:
            return host.WHY_NOT
        if _registered() is None:
            return "import torch_fl first"
        if _platform().triton_key != host.NAME:
            return f"the device does not live in host memory but on platform {_platform().name!r}"
        return cpu.CPUDriver.inactive_reason()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    @property
    def driver_abi(self) -> Any:
        return self._host.driver_abi

    def map_python_to_cpp_type(self, ty: str) -> str:
        return self._host.map_python_to_cpp_type(ty)

    def get_current_target(self) -> GPUTarget:
        target = self._host.get_current_target()
        return GPUTarget(host.NAME, target.arch, _platform().warp_size or target.warp_size)

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device(host.NAME, 0)

    def get_benchmarker(self) -> Any:
        return self._host.get_benchmarker()
