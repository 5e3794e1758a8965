"""`CompiledKernel.run` in Python, for drivers with the C interface of `include/triton/Runtime/DriverAbi.h`."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

_VERSION = 1
_CAPSULE = b"triton.driver_abi"
_BLOCKING = 1


class _LaunchInfo(ctypes.Structure):
    _fields_ = [("shared", ctypes.c_uint32), ("num_warps", ctypes.c_uint32), ("flags", ctypes.c_uint32)]


_LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_char_p,
    ctypes.c_uint64,
    ctypes.POINTER(ctypes.c_uint32),
    ctypes.c_uint64,
    ctypes.POINTER(ctypes.c_uint64),
    ctypes.c_uint32,
    ctypes.POINTER(_LaunchInfo),
)


class _DriverAbi(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32),
        ("device", ctypes.CFUNCTYPE(ctypes.c_int)),
        ("stream", ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_int)),
        ("launch", _LAUNCH),
    ]


def driver_abi(capsule: Any) -> _DriverAbi:
    """The structure in `capsule`. RuntimeError for another version of it."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    abi = _DriverAbi.from_address(get(capsule, _CAPSULE))
    if abi.version != _VERSION:
        raise RuntimeError(f"driver ABI version {abi.version}, but this triton launches through version {_VERSION}")
    return abi


def address_of(arg: Any) -> int:
    """The address that a pointer argument stands for; 0 for None."""
    if arg is None:
        return 0
    if hasattr(arg, "data_ptr"):
        return arg.data_ptr()
    if hasattr(arg, "__array_interface__"):
        return arg.__array_interface__["data"][0]
    return int(arg)


def _bfloat16_bits(value: float) -> int:
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if value != value:
        return 0x7FC0
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _float_bits(code: str, value: float) -> int:
    return int.from_bytes(struct.pack(f"<{code}", value), "little")


def slot_encoder(type_name: str) -> Callable[[Any], int]:
    """How an argument of canonical type `type_name` becomes the 8 bytes that a kernel reads."""
    if type_name.startswith("*"):
        return address_of
    if type_name == "bf16":
        return lambda value: _bfloat16_bits(float(value))
    if type_name in ("fp16", "fp32", "fp64"):
        code = {"fp16": "e", "fp32": "f", "fp64": "d"}[type_name]
        return lambda value: _float_bits(code, float(value))
    if type_name[:1] in "iu" and type_name[1:].isdigit():
        return lambda value: int(value) & 0xFFFFFFFFFFFFFFFF
    raise TypeError(f"arguments of type {type_name} cannot be passed to a kernel of this driver")


def _flatten(type_name: Any, arg: Any, out: list[tuple[str, Any]]) -> None:
    if isinstance(type_name, (tuple, list)):
        for inner, item in zip(type_name, arg):
            _flatten(inner, item, out)
    elif type_name != "constexpr":
        out.append((type_name, arg))


class AbiLauncher:
    """Called as ``run(g0, g1, g2, stream, function, packed_metadata, launch_metadata, enter, exit, *args)``."""

    def __init__(self, abi: _DriverAbi, src: Any, metadata: Any):
        self._abi = abi
        self._types = list(src.signature.values())
        self._name = metadata.name
        flags = _BLOCKING if getattr(metadata, "blocking", True) else 0
        self._info = _LaunchInfo(metadata.shared, metadata.num_warps, flags)

    @classmethod
    def of(cls, driver: Any) -> Callable[[Any, Any], AbiLauncher]:
        abi = driver_abi(driver.driver_abi)
        return lambda src, metadata: cls(abi, src, metadata)

    def _slots(self, args: tuple) -> list[int]:
        if len(args) != len(self._types):
            raise TypeError(f"{self._name}: expected {len(self._types)} arguments, got {len(args)}")
        leaves: list[tuple[str, Any]] = []
        for type_name, arg in zip(self._types, args):
            _flatten(type_name, arg, leaves)
        return [slot_encoder(type_name)(arg) for type_name, arg in leaves]

    def __call__(
        self,
        g0: int,
        g1: int,
        g2: int,
        stream: int,
        function: int,
        packed_metadata: Any,
        launch_metadata: Any,
        enter: Any,
        leave: Any,
        *args: Any,
    ) -> None:
        if g0 * g1 * g2 == 0:
            return
        slots = self._slots(args)
        if enter:
            enter(launch_metadata)
        error = self._abi.launch(
            function,
            (ctypes.c_uint32 * 3)(g0, g1, g2),
            stream or 0,
            (ctypes.c_uint64 * max(1, len(slots)))(*slots),
            len(slots),
            ctypes.byref(self._info),
        )
        if error is not None:
            raise RuntimeError(f"launch of {self._name} failed: {error.decode()}")
        if leave:
            leave(launch_metadata)
