"""Kernels that a user launches on the device's tensors, without TorchInductor."""

from __future__ import annotations

import sys
from types import ModuleType

from ._claim import NAME
from .inductor.when_imported import when_imported

_CPU_DRIVER = "triton.backends.cpu.driver"
_INTERPRETER = "triton.runtime.interpreter.launch"
_DLPACK_EXTENSION_DEVICE = 12


def accept_tensors(cpu_driver: ModuleType) -> None:
    """Has Triton's driver for the CPU take tensors of the device, which live in the memory that it works on."""
    driver = cpu_driver.CPUDriver
    if _DLPACK_EXTENSION_DEVICE in driver.dlpack_device_types:
        return
    driver.dlpack_device_types = (*driver.dlpack_device_types, _DLPACK_EXTENSION_DEVICE)
    runtime = sys.modules.get("triton.runtime.driver")
    if runtime and isinstance(runtime.driver.decided, driver):  # the launcher has read the tuple before
        runtime.driver.set_active(runtime.driver.decided)


def interpret_tensors(interpreter: ModuleType) -> None:
    """Has Triton's interpreter take tensors of the device."""
    interpreter.HOST_DEVICES.add(NAME)


def accept_when_imported() -> None:
    """Waits for the modules of the driver and the interpreter: a process may never launch a kernel."""
    when_imported(_CPU_DRIVER, accept_tensors)
    when_imported(_INTERPRETER, interpret_tensors)
