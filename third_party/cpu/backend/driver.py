"""Runs kernels on the processor of this machine. There is one device, 0, and one stream, 0."""

from __future__ import annotations

import importlib.util
import os
import time
from typing import Any

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from .compiler import host_machine

_C_TYPES = {
    "u1": "uint8_t",
    **{f"i{n}": f"int{n}_t" for n in (8, 16, 32, 64)},
    **{f"u{n}": f"uint{n}_t" for n in (8, 16, 32, 64)},
    "i1": "int8_t",
    "fp16": "uint16_t",
    "bf16": "uint16_t",
    "fp32": "float",
    "fp64": "double",
}
# Scratch of one program; more than any cache, so a kernel that needs it would be slow in any case.
_MAX_SCRATCH = 1 << 30
_FLUSH_BYTES = 64 << 20


def _check_threads() -> None:
    """ValueError for a number of threads that the runtime, which reads the variable itself, would take for none."""
    text = os.environ.get("TRITON_CPU_NUM_THREADS", "").strip()
    if text and not (text.isdecimal() and int(text) > 0):
        raise ValueError(f"environment variable TRITON_CPU_NUM_THREADS={text!r}: expected a number of threads, from 1")


class CPUUtils:
    """Loading of binaries, and properties of the device."""

    def load_binary(self, name: str, binary: bytes, shared: int, device: int) -> tuple[int, int, int, int, int | None]:
        """``(module, function, registers, spills, threads)``; the last three mean nothing on a CPU."""
        from triton._C.libtriton import cpu

        module, function = cpu.load(name, binary)
        return module, function, 0, 0, None

    def unload_module(self, module: int) -> None:
        from triton._C.libtriton import cpu

        cpu.unload(module)

    def get_device_properties(self, device: int) -> dict[str, int]:
        return {
            "max_shared_mem": _MAX_SCRATCH,
            "max_num_regs": 0,
            "multiprocessor_count": len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count(),
            "warpSize": 1,
            "sm_clock_rate": 0,
            "mem_clock_rate": 0,
            "mem_bus_width": 0,
        }

    @property
    def driver_abi(self) -> Any:
        from triton._C.libtriton import cpu

        _check_threads()
        return cpu.driver_abi


class HostInterface:
    """The part of a torch device module that timing uses, for a device on which every launch is complete."""

    class Event:
        """A point in time on the host."""

        def __init__(self, enable_timing: bool = True):
            self._time = 0.0

        def record(self, stream: Any = None) -> None:
            self._time = time.perf_counter()

        def elapsed_time(self, end: Any) -> float:
            """Milliseconds from this event to `end`."""
            return (end._time - self._time) * 1e3

        def synchronize(self) -> None:
            """Nothing to wait for."""

    @staticmethod
    def synchronize(device: Any = None) -> None:
        """Nothing to wait for."""

    @staticmethod
    def current_device() -> int:
        return 0

    @staticmethod
    def set_device(device: int) -> None:
        _only_device(device)


def _only_device(device: int) -> None:
    if device != 0:
        raise ValueError(f"the cpu backend has one device, 0; got {device}")


class CPUDriver(DriverBase):
    # DLPack's kDLCPU and the kinds of host memory that accelerators can read, too
    dlpack_device_types = (1, 3, 11, 13)

    def __init__(self) -> None:
        self.utils = CPUUtils()

    @classmethod
    def is_active(cls) -> bool:
        try:
            return importlib.util.find_spec("triton._C.libtriton") is not None
        except ImportError:  # not even the folder, or one for another Python
            return False

    @classmethod
    def inactive_reason(cls) -> str:
        try:
            importlib.util.find_spec("triton._C.libtriton")
        except ModuleNotFoundError:
            pass  # not even the folder
        except ImportError as error:
            return str(error)
        return (
            "triton/_C/libtriton is missing, so this installation is incomplete. Install the wheel again, or build "
            "the checkout with `pip install --no-build-isolation -e .`"
        )

    @property
    def driver_abi(self) -> Any:
        return self.utils.driver_abi

    @property
    def launcher_cls(self) -> Any:
        from triton.runtime.native_bridge import abi_launcher

        make = abi_launcher(self)

        def launcher(src: Any, metadata: Any) -> Any:
            run = make(src, metadata)
            if not metadata.python_launch:
                return run
            from .sanitizer import checked_run

            return checked_run(run, src, metadata)

        return launcher

    def map_python_to_cpp_type(self, ty: str) -> str:
        return "void *" if ty.startswith("*") else _C_TYPES[ty]

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cpu", host_machine().cpu, 1)

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        _only_device(device)

    def get_current_stream(self, device: int = 0) -> int:
        return 0

    def get_device_capability(self, device: int = 0) -> tuple[int, int]:
        return (0, 0)

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        return HostInterface

    def get_benchmarker(self) -> Any:
        from triton.testing import do_bench

        return do_bench

    def memory_gbps(self, device: int) -> float:
        from .rates import memory_gbps

        return memory_gbps()

    def max_tflops(self, dtype: str, clock_rate: float | None, device: int, matrix: bool) -> float:
        from .rates import max_tflops

        return max_tflops(dtype, clock_rate, matrix)

    def get_empty_cache_for_benchmark(self) -> bytearray:
        return bytearray(_FLUSH_BYTES)

    def clear_cache(self, cache: bytearray) -> None:
        """Writes all of `cache`, so that data of the timed function leaves the caches of the processor."""
        import ctypes

        ctypes.memset((ctypes.c_char * len(cache)).from_buffer(cache), 0, len(cache))
