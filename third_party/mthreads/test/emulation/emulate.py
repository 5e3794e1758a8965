"""Compiles kernels for a MUSA target and runs the LLVM IR that its tools would get on this processor.

The IR is used as it is, except that the target's names are exchanged for those of ``simt.c``, and its data layout for
the host's. So everything is covered up to the code generator of the toolkit, and nothing of that.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import triton
from triton import knobs
from triton._C.libtriton import llvm
from triton.backends.compiler import GPUTarget
from triton.backends.mthreads import target as musa
from triton.compiler import ASTSource

_HERE = Path(__file__).resolve().parent
_TYPES = {np.dtype(name): short for name, short in {
    "bool": "i1", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
    "int64": "i64", "uint64": "u64", "float16": "fp16", "float32": "fp32", "float64": "fp64",
}.items()}  # fmt: skip
_STATUS = {
    1: "threads wait at a barrier that others never reach",
    2: "shared memory was written beyond its size",
    3: "a thread ended it",
}


class BFloat16(np.ndarray):
    """An array of uint16 that kernels see as bf16."""


def keep_text(backend: Any, stages: dict, options: Any, language: Any, capability: Any) -> None:
    """Replaces the toolkit's stage, for which there are no tools here."""
    stages["mubin"] = lambda text, metadata: text.encode()


class Emulator:
    """Compiles and runs kernels. One block has `warps` warps of the target's warp size."""

    def __init__(self, arch: int, warps: int, **options: Any):
        self.warps = warps
        self.options = {"num_warps": warps, **options}
        self.target = GPUTarget("musa", arch, musa.ARCHITECTURES[arch].warp_size)
        self._folder = tempfile.TemporaryDirectory(prefix="simt-")
        self._path = Path(self._folder.name)
        self._runtime = self._path / "libsimt.so"
        subprocess.run(
            ["cc", "-O1", "-shared", "-fPIC", "-o", self._runtime, _HERE / "simt.c", "-lm"],
            check=True,
        )
        self._library = ctypes.CDLL(str(self._runtime))
        # LLVM calls the compiler's library for what the processor may lack, such as half precision.
        found = subprocess.run(["cc", "-print-libgcc-file-name"], capture_output=True, text=True, check=True)
        self._compiler_library = found.stdout.strip()
        self._linked: dict[str, Any] = {}

    @property
    def threads(self) -> int:
        return self.warps * self.target.warp_size

    def compile(self, kernel: Any, arguments: Sequence[Any], constants: dict[str, Any]) -> Any:
        """The compiled kernel; ``asm["llir"]`` is what the toolkit would get."""
        names = [name for name in kernel.arg_names if name not in constants]
        signature = {name: self._type(value) for name, value in zip(names, arguments)}
        signature.update(dict.fromkeys(constants, "constexpr"))
        signature = {name: signature[name] for name in kernel.arg_names}
        positions = {name: (index,) for index, name in enumerate(kernel.arg_names)}
        aligned = [
            positions[name]
            for name, value in zip(names, arguments)
            if isinstance(value, np.ndarray) or (isinstance(value, int) and value % 16 == 0)
        ]
        source = ASTSource(
            kernel,
            signature,
            {positions[name]: value for name, value in constants.items()},
            {position: [["tt.divisibility", 16]] for position in aligned},
        )
        knobs.runtime.add_stages_inspection_hook = keep_text
        try:
            return triton.compile(source, target=self.target, options=self.options)
        finally:
            knobs.runtime.add_stages_inspection_hook = None

    def run(
        self,
        kernel: Any,
        grid: Sequence[int],
        *arguments: Any,
        reverse: bool = False,
        without_barriers: bool = False,
        **constants: Any,
    ) -> Any:
        """Compile and run; `reverse` lets the last thread of a block go first. Returns the compiled kernel.

        `without_barriers` drops them from the code, to see whether a test would notice.
        """
        compiled = self.compile(kernel, arguments, constants)
        device_ir = compiled.asm["llir"]
        if without_barriers:
            device_ir = device_ir.replace(f"  call void @{musa.DEVICE_NAMES['simt.barrier'].value}()\n", "")
        entry = self.link(device_ir, compiled.metadata.name)
        slots = (ctypes.c_uint64 * max(1, len(arguments)))()
        for index, value in enumerate(arguments):
            bits = value.ctypes.data if isinstance(value, np.ndarray) else _bits(value)
            slots[index] = bits
        self.launch(entry, slots, (*grid, 1, 1)[:3], self.threads, compiled.metadata.shared, reverse)
        return compiled

    def launch(self, entry: Any, slots: Any, grid: Any, threads: int, shared: int, reverse: bool = False) -> None:
        """Run a kernel that `link` made. `slots` holds 8 bytes for each argument. RuntimeError if it misbehaves."""
        shape = (ctypes.c_int * 3)(*grid)
        status = self._library.simt_launch(entry, slots, shape, threads, shared, int(reverse))
        if status:
            raise RuntimeError(f"the kernel cannot run on a device: {_STATUS[status]}")

    @staticmethod
    def _type(value: Any) -> str:
        if isinstance(value, BFloat16):
            return "*bf16"
        if isinstance(value, np.ndarray):
            return "*" + _TYPES[value.dtype]
        if isinstance(value, bool):
            return "i1"
        return "i32" if isinstance(value, int) else "fp32"

    def link(self, device_ir: str, name: str) -> Any:
        """The entry of a kernel, for `launch`."""
        if device_ir not in self._linked:
            stem = self._path / f"kernel{len(self._linked)}"
            obj, library = stem.with_suffix(".o"), stem.with_suffix(".so")
            obj.write_bytes(llvm.to_object(llvm.parse(host_ir(device_ir, name))))
            subprocess.run(["ld", "-shared", "-o", library, obj, self._runtime, self._compiler_library], check=True)
            self._linked[device_ir] = ctypes.CDLL(str(library)).simt_entry
        return self._linked[device_ir]


def _bits(value: float) -> int:
    if isinstance(value, int):
        return value & 0xFFFFFFFFFFFFFFFF
    return int(np.float32(value).view(np.uint32))


def host_ir(device_ir: str, name: str) -> str:
    """The IR with the emulator's names, and a function ``simt_entry`` that gets the arguments from memory."""
    text = re.sub(r"^target (datalayout|triple) = .*\n", "", device_ir, flags=re.MULTILINE)
    for neutral, device in musa.device_names():
        text = re.sub(rf"@{re.escape(device)}\b(?![.\w])", "@" + neutral.replace(".", "_"), text)
    convention = f"define {musa.KERNEL_CONVENTION.value} void @{name}("
    assert text.count(convention) == 1, text
    text = text.replace(convention, f"define void @{name}(")
    parameters = re.search(rf"define void @{re.escape(name)}\((.*)\)[^()]*{{$", text, flags=re.MULTILINE)
    assert parameters, text
    types = [p.strip().rsplit(" ", 1)[0] for p in parameters.group(1).split(",") if p.strip()]
    lines = ["define void @simt_entry(ptr %slots) {"]
    for index, kind in enumerate(types):
        memory = "i8" if kind == "i1" else kind
        lines.append(f"  %p{index} = getelementptr i64, ptr %slots, i64 {index}")
        lines.append(f"  %m{index} = load {memory}, ptr %p{index}")
        narrow = "trunc i8 %m{0} to i1" if kind == "i1" else "freeze {1} %m{0}"
        lines.append(f"  %a{index} = " + narrow.format(index, kind))
    passed = ", ".join(f"{kind} %a{index}" for index, kind in enumerate(types))
    lines += [f"  call void @{name}({passed})", "  ret void", "}"]
    return text + "\n" + "\n".join(lines) + "\n"
