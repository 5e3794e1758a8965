"""A pytest plugin: kernels run on the emulator instead of the CPU backend.

    python -m pytest -p emulated python/test/kernels

with this folder on PYTHONPATH, in an environment where this backend is linked. EMULATED_ARCH chooses the architecture
(default 31), EMULATED_ORDER=backwards lets the last thread of a block go first. It is meant for a look at many kernels;
tests of the CPU backend's own properties fail with it.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
from emulate import Emulator, keep_text
from triton import knobs
from triton.backends.mthreads.driver import MUSADriver, MUSALauncher, MUSAUtils
from triton.backends.mthreads.target import ARCHITECTURES
from triton.runtime.driver import driver


class EmulatedLibrary:
    """What the driver asks of the driver library, on an emulator. Modules and functions are numbers."""

    path = "the emulator"

    def __init__(self, arch: int):
        self.arch = arch
        self._emulator = Emulator(arch, 1)
        self._modules: list[str] = []
        self._functions: list[Any] = []

    def device_count(self) -> int:
        return 1

    def capability(self, device: int) -> tuple[int, int]:
        return divmod(self.arch, 10)

    def device_properties(self, device: int) -> dict[str, int]:
        return {"max_shared_mem": ARCHITECTURES[self.arch].shared_limit or 65536, "multiprocessor_count": 4}

    def make_current(self, device: int) -> None:
        """There is one device."""

    def load_module(self, binary: bytes) -> int:
        self._modules.append(binary.decode())
        return len(self._modules) - 1

    def unload_module(self, module: int) -> None:
        self._modules[module] = ""

    def function(self, module: int, name: str) -> int:
        self._functions.append(self._emulator.link(self._modules[module], name))
        return len(self._functions) - 1

    def function_resources(self, function: int) -> tuple[int, int, int]:
        return 0, 0, 1024

    def launch(self, function: int, grid: Any, threads: int, shared: int, stream: int, slots: Any) -> None:
        words = (ctypes.c_uint64 * max(1, len(slots)))()
        for index, slot in enumerate(slots):
            ctypes.memmove(ctypes.addressof(words) + 8 * index, ctypes.addressof(slot), ctypes.sizeof(slot))
        backwards = os.environ.get("EMULATED_ORDER") == "backwards"
        self._emulator.launch(self._functions[function], words, grid, threads, shared, backwards)


class EmulatedLauncher(MUSALauncher):
    """Takes arrays, too."""

    @staticmethod
    def _slot(name: str, kind: Any, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            value = value.ctypes.data
        elif kind is ctypes.c_uint16 and not isinstance(value, int):  # half precision
            value = int(np.float16(value).view(np.uint16))
        return MUSALauncher._slot(name, kind, value)


class EmulatedDriver(MUSADriver):
    """The driver of this backend on an emulated device."""

    def __init__(self, arch: int):
        self._library: Any = EmulatedLibrary(arch)
        self.utils = MUSAUtils(self._library)
        self._device = 0

    def launcher_cls(self, src: Any, metadata: Any) -> MUSALauncher:
        return EmulatedLauncher(self._library, src, metadata)

    _torch = None


def pytest_configure(config: Any) -> None:
    knobs.runtime.add_stages_inspection_hook = keep_text
    driver.set_active(EmulatedDriver(int(os.environ.get("EMULATED_ARCH", "31"))))
