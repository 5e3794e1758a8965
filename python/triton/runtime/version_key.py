"""A text that changes whenever this installation may compile the same source to something else.

Made of the Python files of the compiler and of the active overlay, which are small enough to be read, and of the
build id of libtriton: hashing a library of 100 MB at the first compile would take longer than the compile.
"""

from __future__ import annotations

import functools
import glob
import hashlib
import os
import struct

import triton
from triton.flagtree_spec import overlay_files, selected_backend

_PACKAGES = ("compiler", "language", "backends")
_ROOT = os.path.dirname(os.path.abspath(triton.__file__))
_PT_NOTE, _NT_GNU_BUILD_ID = 4, 3


def _python_files() -> list[str]:
    """Python files of the trunk and of backends that take part in compiling, in a fixed order."""
    found = []
    for package in _PACKAGES:
        for folder, _, names in os.walk(os.path.join(_ROOT, package), followlinks=True):
            found += [os.path.join(folder, name) for name in names if name.endswith(".py")]
    return sorted({*found, *overlay_files()})


def build_id(path: str) -> str | None:
    """The linker's build id of a 64-bit little-endian ELF file, or None if it has none or is of another kind."""
    with open(path, "rb") as file:
        header = file.read(64)
        if len(header) < 64 or header[:6] != b"\x7fELF\x02\x01":
            return None
        table, size, count = struct.unpack_from("<Q", header, 32)[0], *struct.unpack_from("<HH", header, 54)
        file.seek(table)
        segments = file.read(size * count)
        for i in range(count):
            kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", segments, i * size)
            if kind == _PT_NOTE:
                file.seek(offset)
                found = _note(file.read(length))
                if found:
                    return found
    return None


def _note(data: bytes) -> str | None:
    position = 0
    while position + 12 <= len(data):
        name_size, size, kind = struct.unpack_from("<III", data, position)
        start = position + 12 + (name_size + 3 & ~3)
        if kind == _NT_GNU_BUILD_ID and data[position + 12 : position + 15] == b"GNU":
            return data[start : start + size].hex()
        position = start + (size + 3 & ~3)
    return None


def _library_identity(path: str) -> str:
    status = os.stat(path)
    return build_id(path) or f"{status.st_size}:{status.st_mtime_ns}"


@functools.cache
def compiler_key() -> str:
    """Hex digest, constant for the life of the process."""
    digest = hashlib.sha256(f"{triton.__version__}:{selected_backend()}".encode())
    for path in _python_files():
        with open(path, "rb") as file:
            content = file.read()
        digest.update(f"{os.path.relpath(path, _ROOT)}:{len(content)}\n".encode())
        digest.update(content)
    for path in sorted(glob.glob(os.path.join(_ROOT, "_C", "libtriton*"))):
        digest.update(_library_identity(path).encode())
    return digest.hexdigest()
