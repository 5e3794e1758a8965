"""Compiles hand-written MLIR kernels through libtriton and calls them, without the front end.

A kernel is a function of the CPU kernel ABI::

    func.func @name(%args: !llvm.ptr, %grid: !llvm.ptr, %lo: i64, %hi: i64, %scratch: !llvm.ptr)
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from triton._C import libtriton

ir, llvm, cpu = libtriton.ir, libtriton.llvm, libtriton.cpu

KERNEL_SIGNATURE = "(%args: !llvm.ptr, %grid: !llvm.ptr, %lo: i64, %hi: i64, %scratch: !llvm.ptr)"
KERNEL_TYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


class LaunchInfo(ctypes.Structure):
    _fields_ = [("shared", ctypes.c_uint32), ("num_warps", ctypes.c_uint32), ("flags", ctypes.c_uint32)]


class DriverAbi(ctypes.Structure):
    """``TritonDriverAbi`` of triton/Runtime/DriverAbi.h."""

    _fields_ = [
        ("version", ctypes.c_uint32),
        ("device", ctypes.CFUNCTYPE(ctypes.c_int)),
        ("stream", ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_int)),
        (
            "launch",
            ctypes.CFUNCTYPE(
                ctypes.c_char_p,
                ctypes.c_uint64,
                ctypes.POINTER(ctypes.c_uint32),
                ctypes.c_uint64,
                ctypes.POINTER(ctypes.c_uint64),
                ctypes.c_uint32,
                ctypes.POINTER(LaunchInfo),
            ),
        ),
    ]


def driver_abi() -> DriverAbi:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return DriverAbi.from_address(pointer(cpu.driver_abi, b"triton.driver_abi"))


def compile_module(text: str, *, cpu_name: str | None = None, features: str | None = None, **math: object):
    """MLIR text to an optimized ``llvm.module``. ``math`` goes to ``add_expand_math``."""
    context = ir.context()
    ir.load_dialects(context)
    module = ir.parse_mlir_module(text, context)
    passes = ir.pass_manager(context)
    cpu.passes.add_expand_math(passes, **math)
    cpu.passes.add_to_llvm(passes)
    passes.run(module, "llir")
    result = llvm.to_module(module)
    llvm.optimize(result, *target(cpu_name, features))
    result.verify()
    return result


def target(cpu_name: str | None = None, features: str | None = None) -> tuple[str, str]:
    host = cpu.host()
    if cpu_name is None:
        return host["cpu"], host["features"] if features is None else features
    return cpu_name, features or ""


def compile_object(text: str, *, cpu_name: str | None = None, features: str | None = None, **math: object) -> bytes:
    module = compile_module(text, cpu_name=cpu_name, features=features, **math)
    return llvm.to_object(module, *target(cpu_name, features))


class Kernel:
    """A loaded kernel; unloaded when it is collected."""

    def __init__(self, name: str, code: bytes) -> None:
        self.handle, self.function = cpu.load(name, code)

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            cpu.unload(self.handle)

    def launch(self, grid: Sequence[int], args: Sequence[object], *, shared: int = 0, flags: int = 0) -> str | None:
        """Through the launcher's interface: all programs, on threads. Returns the error text."""
        slots = pack(args)
        info = LaunchInfo(shared, 4, flags)
        error = driver_abi().launch(
            self.function, (ctypes.c_uint32 * 3)(*grid), 0, slots, len(args), ctypes.byref(info)
        )
        return None if error is None else error.decode()

    def run_range(self, low: int, high: int, args: Sequence[object], grid: Sequence[int] = (1, 1, 1)) -> None:
        """The programs low <= p < high, on the calling thread."""
        KERNEL_TYPE(self.function)(pack(args), (ctypes.c_uint32 * 3)(*grid), low, high, None)


def pack(args: Sequence[object]) -> ctypes.Array:
    """Arguments as 8-byte slots. Floats are f32: pass ``np.float64`` for f64."""
    slots = np.zeros(max(len(args), 1), dtype=np.uint64)
    for index, value in enumerate(args):
        if isinstance(value, np.ndarray):
            slots[index] = value.ctypes.data
        elif isinstance(value, np.float64):
            slots[index] = value.view(np.uint64)
        elif isinstance(value, float):
            slots[index] = np.float32(value).view(np.uint32)
        else:
            slots[index] = int(value) % 2**64
    return (ctypes.c_uint64 * len(slots))(*slots.tolist())


def load_arguments(types: Sequence[str]) -> str:
    """MLIR that reads argument slot ``j`` into ``%a<j>``."""
    lines = []
    for index, type_ in enumerate(types):
        lines.append(f"%p{index} = llvm.getelementptr %args[{index}] : (!llvm.ptr) -> !llvm.ptr, i64")
        lines.append(f"%a{index} = llvm.load %p{index} : !llvm.ptr -> {type_}")
    return "\n    ".join(lines)


def program_loop(body: str, types: Sequence[str], name: str = "kernel", constants: str = "") -> str:
    """A kernel whose ``body`` runs for each program ``%pid : i64``."""
    return f"""
module {{
  func.func @{name}{KERNEL_SIGNATURE} {{
    %one = arith.constant 1 : i64
    {constants}
    {load_arguments(types)}
    scf.for %pid = %lo to %hi step %one : i64 {{
      {body}
    }}
    return
  }}
}}
"""


def add_kernel(block: int = 1024, lanes: int = 16) -> str:
    """z = x + y on f32, slots x, y, z, n (i32): a main loop and a masked tail, as lowerings emit it."""
    v, k = f"vector<{lanes}xf32>", f"vector<{lanes}xi1>"
    body = f"""
      %base = arith.muli %pid, %block : i64
      %left = arith.subi %n, %base : i64
      %pos = arith.maxsi %left, %zero : i64
      %m = arith.minsi %pos, %block : i64
      %ma = arith.andi %m, %mask : i64
      %x = llvm.getelementptr %a0[%base] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %y = llvm.getelementptr %a1[%base] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %z = llvm.getelementptr %a2[%base] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      scf.for %i = %zero to %ma step %w : i64 {{
        %xp = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %yp = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %zp = llvm.getelementptr %z[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %xv = llvm.load %xp {{alignment = 4}} : !llvm.ptr -> {v}
        %yv = llvm.load %yp {{alignment = 4}} : !llvm.ptr -> {v}
        %s = arith.addf %xv, %yv : {v}
        llvm.store %s, %zp {{alignment = 4}} : {v}, !llvm.ptr
      }}
      scf.for %i = %ma to %m step %w : i64 {{
        %xp = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %yp = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %zp = llvm.getelementptr %z[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %rest = arith.subi %m, %i : i64
        %resti = arith.index_cast %rest : i64 to index
        %k = vector.create_mask %resti : {k}
        %xv = llvm.intr.masked.load %xp, %k, %zerov {{alignment = 4 : i32}} : (!llvm.ptr, {k}, {v}) -> {v}
        %yv = llvm.intr.masked.load %yp, %k, %zerov {{alignment = 4 : i32}} : (!llvm.ptr, {k}, {v}) -> {v}
        %s = arith.addf %xv, %yv : {v}
        llvm.intr.masked.store %s, %zp, %k {{alignment = 4 : i32}} : {v}, {k} into !llvm.ptr
      }}
      """
    constants = f"""
    %zero = arith.constant 0 : i64
    %block = arith.constant {block} : i64
    %w = arith.constant {lanes} : i64
    %mask = arith.constant {-lanes} : i64
    %zerov = arith.constant dense<0.0> : {v}"""
    body = "%n = arith.extsi %a3 : i32 to i64\n" + body
    return program_loop(body, ["!llvm.ptr", "!llvm.ptr", "!llvm.ptr", "i32"], "add", constants)


def map_kernel(op: str, type_: str, operands: int = 1) -> str:
    """Applies the operation ``op`` to arrays: slots operands..., result, count of vectors (i64).

    ``type_`` is a scalar or vector type; programs are vectors, packed without gaps.
    """
    names = [f"%v{index}" for index in range(operands)]
    element = type_.removeprefix("vector<").removesuffix(">").split("x")[-1]
    lanes = int(np.prod([int(n) for n in type_.removeprefix("vector<").split("x")[:-1]], dtype=int))
    width = int(element[1:]) // 8
    lines = ["%offset = arith.muli %pid, %stride : i64"]
    for index, name in enumerate(names):
        lines.append(f"%q{index} = llvm.getelementptr %a{index}[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, {element}")
        lines.append(f"{name} = llvm.load %q{index} {{alignment = {width}}} : !llvm.ptr -> {type_}")
    lines.append(f"%q = llvm.getelementptr %a{operands}[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, {element}")
    lines.append(f"%result = {op} {', '.join(names)} : {type_}")
    lines.append(f"llvm.store %result, %q {{alignment = {width}}} : {type_}, !llvm.ptr")
    return program_loop(
        "\n      ".join(lines), ["!llvm.ptr"] * (operands + 1), constants=f"%stride = arith.constant {lanes} : i64"
    )
