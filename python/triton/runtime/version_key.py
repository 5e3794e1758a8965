"""A text that changes whenever this installation may compile the same source to something else.

Made of Python files, which are small enough to be read, and of the build id of libtriton: hashing a library of 100 MB
at the first compile would take longer than the compile. The files are those of the compiler and the language, those of
the active overlay, and those of the backend that compiles; an edit of another backend's file changes no key.

Not every overlay file is in it: what mirrors `tools` cannot take part in a compile by itself. A jit function of such a
file is part of the keys of the kernels that call it, as any other function is, so an edit there recompiles just these.

What the files hold is remembered in the cache folder together with their sizes and times, so that a process need not
read them all. Python decides by the same whether it runs a file or the bytecode that it kept of it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import struct
import sys
import time
from collections.abc import Iterable

import triton
from triton import knobs
from triton.flagtree_spec import overlay_dir, overlay_files, selected_backend

_PACKAGES = ("compiler", "language", "experimental")
_BACKENDS = "backends"
_WITHOUT_PART = ("tools", "cli")  # packages whose modules a compile never runs by itself
_ROOT = os.path.dirname(os.path.abspath(triton.__file__))
_PT_NOTE, _NT_GNU_BUILD_ID = 4, 3
MEMORY = "__files__"  # in the cache folder: what the files of installations hold
_MAX_REMEMBERED = 16
# A file that was just written may be written again without another time to show for it: clocks of file systems tick in
# up to 2 s.
_SETTLED_NS = 3_000_000_000


def _is_module(name: str) -> bool:
    """Hidden files are none, such as the links to nowhere that editors use as locks."""
    return name.endswith(".py") and not name.startswith(".")


def _python_files(folder: str) -> list[str]:
    """Python files below `folder`; an overlay inside of it is left out, whether it is active or not."""
    found = []
    try:
        entries = list(os.scandir(folder))
    except OSError:  # there is none
        return []
    for entry in entries:
        if _is_module(entry.name):
            found.append(entry.path)
        elif "." not in entry.name and entry.name not in ("__pycache__", "spec") and entry.is_dir():
            found += _python_files(entry.path)
    return found


def _overlay_files() -> list[str]:
    """The files of the active overlay that may take part in a compile."""
    root = overlay_dir()
    if root is None:
        return []
    return [path for path in overlay_files() if os.path.relpath(path, root).split(os.sep)[0] not in _WITHOUT_PART]


def _trunk_files() -> list[str]:
    found = [path for package in _PACKAGES for path in _python_files(os.path.join(_ROOT, package))]
    with os.scandir(os.path.join(_ROOT, _BACKENDS)) as entries:
        found += [entry.path for entry in entries if _is_module(entry.name)]
    return found


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


def _content_digest(files: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        with open(path, "rb") as file:
            content = file.read()
        digest.update(f"{os.path.relpath(path, _ROOT)}:{len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _state(files: Iterable[str]) -> tuple[str, bool]:
    """A digest that changes with the set of files, and when one is written; and whether all have been left alone."""
    states = []
    newest = 0
    for path in sorted(files):
        status = os.stat(path)
        modified, changed = status.st_mtime_ns, status.st_ctime_ns
        states.append((path, status.st_dev, status.st_ino, status.st_size, modified, changed))
        newest = max(newest, modified, changed)
    return hashlib.sha256(repr(states).encode()).hexdigest(), newest + _SETTLED_NS < time.time_ns()


def _entry(state: str, content: str) -> bytes:
    """A line of the memory: two digests, and one by which a damaged line is known."""
    pair = f"{state} {content}".encode()
    return pair + b" " + hashlib.sha256(pair).hexdigest()[:16].encode()


def _remembered_lines() -> list[bytes]:
    try:
        with open(os.path.join(knobs.cache.dir, MEMORY), "rb", buffering=0) as file:
            return file.read().splitlines()
    except OSError:  # not there yet
        return []


def _recall(state: str) -> str | None:
    """What files in this state hold, if that is remembered."""
    start = state.encode() + b" "
    for line in _remembered_lines():
        if line.startswith(start):
            content = line[len(start) : len(start) + 64].decode("ascii", "replace")
            return content if line == _entry(state, content) else None
    return None


def _remember(state: str, content: str) -> None:
    from .cache import write_atomically

    lines = [line for line in _remembered_lines() if not line.startswith(state.encode())]
    lines = [*lines[1 - _MAX_REMEMBERED :], _entry(state, content)]
    with contextlib.suppress(OSError):  # then they are read again
        os.makedirs(knobs.cache.dir, exist_ok=True)
        write_atomically(os.path.join(knobs.cache.dir, MEMORY), b"\n".join(lines) + b"\n")


def _digest(files: list[str]) -> str:
    """`_content_digest`, from memory where none of the files has changed."""
    if not knobs.cache.dir:
        return _content_digest(files)
    state, is_settled = _state(files)
    content = _recall(state) if is_settled else None
    if content is None:
        content = _content_digest(files)
        if is_settled:
            _remember(state, content)
    return content


@functools.cache
def _common() -> str:
    """The part that all kernels share."""
    folder = os.path.join(_ROOT, "_C")
    names = sorted(name for name in os.listdir(folder) if name.startswith("libtriton"))
    identities = ":".join(_library_identity(os.path.join(folder, name)) for name in names)
    files = _digest([*_trunk_files(), *_overlay_files()])
    return f"{triton.__version__}:{selected_backend()}:{files}:{identities}"


@functools.cache
def compiler_key(module: str | None = None) -> str:
    """Hex digest, constant for the life of the process.

    `module` is the name of the imported module that defines a backend's compiler: the key is then that of kernels which
    this backend compiles. Without it the files of all backends of this installation count.
    """
    files = _python_files(os.path.join(_ROOT, _BACKENDS)) if module is None else _backend_files(module)
    return hashlib.sha256(f"{_common()}:{_digest(files)}".encode()).hexdigest()


def _backend_files(module: str) -> list[str]:
    """The files of the backend's package; of a compiler that is no package's module `compiler`, its own file."""
    file = getattr(sys.modules[module], "__file__", None)
    if file is None:
        return []
    return _python_files(os.path.dirname(file)) if module.endswith(".compiler") else [file]
