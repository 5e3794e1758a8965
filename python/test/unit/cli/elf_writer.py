"""Writes small shared libraries (64-bit, little-endian ELF) without a compiler."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

X86_64 = 62


class _Strings:
    def __init__(self) -> None:
        self.data = b"\0"

    def add(self, text: str) -> int:
        self.data += text.encode() + b"\0"
        return len(self.data) - len(text) - 1


def shared_library(
    exported: Sequence[str] = (),
    needed: Sequence[str] = (),
    versions: Mapping[str, Sequence[str]] | None = None,
    runpath: str = "",
    imported: Sequence[str] = (),
    machine: int = X86_64,
) -> bytes:
    """One loaded segment at address 0, so addresses are offsets in the file; symbols are counted by DT_HASH."""
    strings = _Strings()
    symbols = struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    for name in exported:
        symbols += struct.pack("<IBBHQQ", strings.add(name), 0x12, 0, 1, 0x100, 1)
    for name in imported:
        symbols += struct.pack("<IBBHQQ", strings.add(name), 0x12, 0, 0, 0, 0)
    count = 1 + len(exported) + len(imported)
    hashes = struct.pack(f"<II{1 + count}I", 1, count, *([0] * (1 + count)))
    dynamic = [(1, strings.add(name)) for name in needed]
    if runpath:
        dynamic.append((29, strings.add(runpath)))
    needs = _version_needs(versions or {}, strings)
    start = 64 + 2 * 56
    position = start + 16 * (len(dynamic) + 7)
    places = []
    for part in (symbols, hashes, needs, strings.data):
        places.append(position)
        position += len(part)
    dynamic += [(6, places[0]), (11, 24), (4, places[1]), (5, places[3]), (10, len(strings.data))]
    if needs:
        dynamic.append((0x6FFFFFFE, places[2]))
    table = b"".join(struct.pack("<QQ", *entry) for entry in dynamic).ljust(places[0] - start, b"\0")
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0
    )
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, position, position, 4096)
    dyn = struct.pack("<IIQQQQQQ", 2, 6, start, start, start, len(table), len(table), 8)
    return header + load + dyn + table + symbols + hashes + needs + strings.data


def _version_needs(versions: Mapping[str, Sequence[str]], strings: _Strings) -> bytes:
    data = b""
    for number, (library, names) in enumerate(versions.items(), 1):
        entries = b"".join(
            struct.pack("<IHHII", 0, 0, i, strings.add(name), 16 if i < len(names) else 0)
            for i, name in enumerate(names, 1)
        )
        following = 16 + len(entries) if number < len(versions) else 0
        data += struct.pack("<HHIII", 1, len(names), strings.add(library), 16, following) + entries
    return data
