"""The driver of Moore Threads GPUs: devices, modules and launches through the MUSA driver library."""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from .compiler import TARGET, warp_size
from .musa import MusaError, MusaLibrary, find_library

_SHARED_MEMORY_FLUSHED = 256 * 1024 * 1024  # bytes written between two timed runs, more than any cache holds
_C_TYPES = {
    "i1": "int8_t",
    "u1": "uint8_t",
    **{f"i{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}_t" for bits in (8, 16, 32, 64)},
    "fp16": "uint16_t",
    "bf16": "uint16_t",
    "fp32": "float",
    "fp64": "double",
}
# The ctypes of an argument's bits; 16-bit floats are passed as their bits.
_ARGUMENT = {
    "int8_t": ctypes.c_int8,
    "uint8_t": ctypes.c_uint8,
    "int16_t": ctypes.c_int16,
    "uint16_t": ctypes.c_uint16,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "MUdeviceptr": ctypes.c_uint64,
}


def c_type(ty: str) -> str:
    """The C type of an argument of canonical type `ty`: ``*fp32``, ``i32``, ``bf16``..."""
    if ty.startswith("*"):
        return "MUdeviceptr"
    try:
        return _C_TYPES[ty]
    except KeyError:
        raise TypeError(f"the {TARGET} backend has no C type for arguments of type {ty!r}") from None


_DESCRIPTOR = "descriptor"


def _argument_kind(ty: Any) -> Any:
    """The ctypes of an argument of type `ty`, a tuple of them for a tuple, None for what is compiled in."""
    if isinstance(ty, tuple):
        return tuple(_argument_kind(element) for element in ty)
    if ty.startswith("tensordesc<"):
        return _DESCRIPTOR
    return None if ty == "constexpr" else _ARGUMENT[c_type(ty)]


class MUSAUtils:
    """Modules and device properties, in the form the runtime asks for."""

    def __init__(self, library: MusaLibrary):
        self._library = library

    def load_binary(self, name: str, binary: bytes, shared: int, device: int) -> tuple[int, int, int, int, int]:
        """(module, function, registers, spilled bytes, threads a block may have)."""
        self._library.make_current(device)
        module = self._library.load_module(binary)
        function = self._library.function(module, name)
        registers, spills, threads = self._library.function_resources(function)
        return module, function, registers, spills, threads

    def unload_module(self, module: int) -> None:
        self._library.unload_module(module)

    def get_device_properties(self, device: int) -> dict[str, int]:
        return self._library.device_properties(device)


class MUSALauncher:
    """Launches one kernel: ``launcher(x, y, z, stream, function, packed metadata, launch metadata, hooks, *args)``."""

    def __init__(self, library: MusaLibrary, src: Any, metadata: Any):
        self._library = library
        self._live = [
            (index, name, _argument_kind(ty))
            for index, (name, ty) in enumerate(src.signature.items())
            if ty != "constexpr"
        ]
        self._threads = metadata.num_warps * metadata.warp_size
        self._shared = metadata.shared

    def __call__(
        self,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        stream: int,
        function: int,
        packed_metadata: Any,
        launch_metadata: Any,
        enter_hook: Callable | None,
        exit_hook: Callable | None,
        *args: Any,
    ) -> None:
        if grid_x * grid_y * grid_z == 0:
            return
        slots = [slot for index, name, kind in self._live for slot in self._slots(name, kind, args[index])]
        if enter_hook:
            enter_hook(launch_metadata)
        self._library.launch(function, (grid_x, grid_y, grid_z), self._threads, self._shared, stream, slots)
        if exit_hook:
            exit_hook(launch_metadata)

    def _slots(self, name: str, kind: Any, value: Any) -> Iterator[Any]:
        """The slots of one argument; a tuple has those of its elements, a descriptor those of what it consists of."""
        if isinstance(kind, tuple):
            for element, part in zip(kind, value):
                yield from self._slots(name, element, part)
        elif kind is _DESCRIPTOR:
            # The last stride is 1 and compiled in, as the padding is.
            if not hasattr(value, "block_shape"):
                raise TypeError(f"argument {name!r} = {value!r}: expected a TensorDescriptor")
            yield self._slot(name, ctypes.c_uint64, value.base)
            for number in (*value.shape, *value.strides[:-1]):
                yield ctypes.c_int64(number)
        elif kind is not None:
            yield self._slot(name, kind, value)

    @staticmethod
    def _slot(name: str, kind: Any, value: Any) -> Any:
        if hasattr(value, "data_ptr"):
            value = value.data_ptr()
        try:
            return kind(value)
        except TypeError as error:
            raise TypeError(f"argument {name!r} = {value!r} of type {type(value).__name__}: {error}") from None


class MUSADriver(DriverBase):
    """Active where the MUSA driver library finds a device."""

    def __init__(self) -> None:
        library, reason = find_library()
        if library is None:
            raise RuntimeError(f"the {TARGET} driver cannot be used: {reason}")
        self._library: MusaLibrary = library
        self.utils = MUSAUtils(library)
        self._device = 0

    @classmethod
    def is_active(cls) -> bool:
        return cls.inactive_reason() == ""

    @classmethod
    def inactive_reason(cls) -> str:
        library, reason = find_library()
        if library is None:
            return reason
        try:
            return "" if library.device_count() else f"{library.path} finds no device"
        except MusaError as error:
            return str(error)

    def map_python_to_cpp_type(self, ty: str) -> str:
        return c_type(ty)

    def get_current_target(self) -> GPUTarget:
        major, minor = self.get_device_capability(self.get_current_device())
        arch = major * 10 + minor
        return GPUTarget(TARGET, arch, warp_size(arch))

    def get_device_capability(self, device: int) -> tuple[int, int]:
        return self._library.capability(device)

    def get_current_device(self) -> int:
        return self._torch.current_device() if self._torch else self._device

    def set_current_device(self, device: int) -> None:
        if self._torch:
            self._torch.set_device(device)
        self._library.make_current(device)
        self._device = device

    def get_current_stream(self, device: int) -> int:
        return self._torch.current_stream(device).musa_stream if self._torch else 0

    def launcher_cls(self, src: Any, metadata: Any) -> MUSALauncher:
        return MUSALauncher(self._library, src, metadata)

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device(TARGET, self.get_current_device())

    def get_device_interface(self) -> Any:
        if self._torch is None:
            raise RuntimeError(
                "torch.musa is not available: install torch_musa to time and tune kernels on this device"
            )
        return self._torch

    def get_benchmarker(self) -> Callable:
        from triton.testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self) -> Any:
        import torch

        return torch.empty(_SHARED_MEMORY_FLUSHED // 4, dtype=torch.int, device=self.get_active_torch_device())

    def clear_cache(self, cache: Any) -> None:
        cache.zero_()

    @cached_property
    def _torch(self) -> Any:
        """``torch.musa`` if its package is installed: it then decides about device and stream."""
        if importlib.util.find_spec("torch_musa") is None:
            return None  # importing torch alone would take seconds
        import torch
        import torch_musa  # noqa: F401 - registers torch.musa

        return torch.musa
