"""Machine code as text."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise RuntimeError(f"{name} is needed to disassemble and is not on PATH")
    return path


def extract(file_path: str, fun: str | None = None) -> str:
    """Disassembly of a GPU binary, of function `fun` only if given. Needs the vendor's `cuobjdump`."""
    command = [_tool("cuobjdump"), "-sass", *(["-fun", fun] if fun else []), file_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed with status {done.returncode}:\n{done.stderr}")
    return done.stdout


def get_sass(cubin_asm: bytes, fun: str | None = None) -> str:
    """Disassembly of the GPU binary `cubin_asm`."""
    return _with_file(cubin_asm, lambda path: extract(path, fun))


def disassemble_object(binary: bytes) -> str:
    """Disassembly of an object file for a CPU. Needs `llvm-objdump` or `objdump`."""
    name = next((n for n in ("llvm-objdump-22", "llvm-objdump", "objdump") if shutil.which(n)), "objdump")

    def run(path: str) -> str:
        done = subprocess.run([_tool(name), "-d", path], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{name} failed with status {done.returncode}:\n{done.stderr}")
        return done.stdout

    return _with_file(binary, run)


def _with_file(content: bytes, use):
    descriptor, path = tempfile.mkstemp()
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        return use(path)
    finally:
        os.unlink(path)
