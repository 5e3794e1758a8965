"""The few calls of the MUSA driver library that a launch needs, through ctypes. Loading this file loads no library."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from typing import Any

from .target import DEFAULT_HOME

_NAMES = ("libmusa.so.1", "libmusa.so")
# Numbers of muDeviceGetAttribute.
_ATTRIBUTES = {
    "max_shared_mem": 97,
    "max_num_regs": 12,
    "multiprocessor_count": 16,
    "warpSize": 10,
    "sm_clock_rate": 13,
    "mem_clock_rate": 36,
    "mem_bus_width": 37,
}
_MAJOR, _MINOR = 75, 76
# Numbers of muFuncGetAttribute.
_MAX_THREADS, _LOCAL_BYTES, _REGISTERS, _DYNAMIC_SHARED = 0, 3, 4, 8
_STATIC_SHARED_LIMIT = 48 * 1024


class MusaError(RuntimeError):
    """A call of the MUSA driver library failed; the message holds its name and the library's reason."""


def find_library() -> tuple[MusaLibrary | None, str]:
    """The initialised library, or None and the reason. Found again at each call, it is cheap once loaded."""
    tried = []
    for path in _candidates():
        try:
            handle = ctypes.CDLL(path)
        except OSError as error:
            tried.append(f"{path} ({error})" if os.path.exists(path) else path)
            continue
        library = MusaLibrary(handle, path)
        try:
            library.call("muInit", 0)
        except MusaError as error:
            return None, str(error)
        return library, ""
    return None, (
        f"the MUSA driver library was not found (tried {', '.join(tried)}). Install the MUSA driver, or name the "
        "library in TRITON_LIBMUSA_PATH or its toolkit in MUSA_HOME"
    )


def _candidates() -> Iterator[str]:
    chosen = os.environ.get("TRITON_LIBMUSA_PATH")
    if chosen:
        yield chosen
        return
    home = os.environ.get("MUSA_HOME") or DEFAULT_HOME
    for name in _NAMES:
        yield os.path.join(home, "lib", name)
    yield from _NAMES


class MusaLibrary:
    """Typed access to the driver library. Handles (module, function, stream) are plain integers."""

    def __init__(self, handle: ctypes.CDLL, path: str):
        self.path = path
        self._handle = handle
        self._contexts: dict[int, int] = {}

    def call(self, name: str, *args: Any) -> None:
        """Call `name`; raises MusaError unless it returns 0."""
        try:
            function = getattr(self._handle, name)
        except AttributeError:
            raise MusaError(f"{self.path} has no function {name}: it is not a MUSA driver library") from None
        status = function(*args)
        if status != 0:
            raise MusaError(f"{name} failed: {self._message(status)}")

    def device_count(self) -> int:
        count = ctypes.c_int()
        self.call("muDeviceGetCount", ctypes.byref(count))
        return count.value

    def capability(self, device: int) -> tuple[int, int]:
        return self._attribute(_MAJOR, device), self._attribute(_MINOR, device)

    def device_properties(self, device: int) -> dict[str, int]:
        return {name: self._attribute(number, device) for name, number in _ATTRIBUTES.items()}

    def make_current(self, device: int) -> None:
        """Use the device's primary context, the one that torch uses, in this thread."""
        if device not in self._contexts:
            context = ctypes.c_void_p()
            self.call("muDevicePrimaryCtxRetain", ctypes.byref(context), ctypes.c_int(device))
            self._contexts[device] = context.value or 0
        self.call("muCtxSetCurrent", ctypes.c_void_p(self._contexts[device]))

    def load_module(self, binary: bytes) -> int:
        module = ctypes.c_void_p()
        self.call("muModuleLoadData", ctypes.byref(module), ctypes.c_char_p(binary))
        return module.value or 0

    def unload_module(self, module: int) -> None:
        self.call("muModuleUnload", ctypes.c_void_p(module))

    def function(self, module: int, name: str) -> int:
        function = ctypes.c_void_p()
        self.call("muModuleGetFunction", ctypes.byref(function), ctypes.c_void_p(module), name.encode())
        return function.value or 0

    def function_resources(self, function: int) -> tuple[int, int, int]:
        """(registers, spilled bytes, threads a block may have) of a function."""
        return tuple(self._function_attribute(number, function) for number in (_REGISTERS, _LOCAL_BYTES, _MAX_THREADS))  # type: ignore[return-value]

    def launch(
        self, function: int, grid: tuple[int, int, int], threads: int, shared: int, stream: int, slots: Sequence[Any]
    ) -> None:
        """Start `function` on `grid`; `slots` are ctypes objects, one per argument."""
        if shared > _STATIC_SHARED_LIMIT:
            self.call("muFuncSetAttribute", ctypes.c_void_p(function), _DYNAMIC_SHARED, ctypes.c_int(shared))
        addresses = (ctypes.c_void_p * max(1, len(slots)))(*(ctypes.addressof(slot) for slot in slots))
        block = (threads, 1, 1)
        self.call(
            "muLaunchKernel",
            ctypes.c_void_p(function),
            *(ctypes.c_uint(size) for size in (*grid, *block, shared)),
            ctypes.c_void_p(stream),
            addresses,
            None,
        )

    def _attribute(self, number: int, device: int) -> int:
        value = ctypes.c_int()
        self.call("muDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(number), ctypes.c_int(device))
        return value.value

    def _function_attribute(self, number: int, function: int) -> int:
        value = ctypes.c_int()
        self.call("muFuncGetAttribute", ctypes.byref(value), ctypes.c_int(number), ctypes.c_void_p(function))
        return value.value

    def _message(self, status: int) -> str:
        text = ctypes.c_char_p()
        describe = getattr(self._handle, "muGetErrorString", None)
        if describe is not None and describe(status, ctypes.byref(text)) == 0 and text.value:
            return f"{text.value.decode(errors='replace')} ({status})"
        return f"error {status}"
