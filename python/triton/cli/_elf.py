"""What the loader reads of an ELF file: needed libraries, search path, exported symbols, versions asked for."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NEEDED, _DT_HASH, _DT_STRTAB, _DT_SYMTAB, _DT_RPATH, _DT_RUNPATH = 1, 4, 5, 6, 15, 29
_DT_GNU_HASH, _DT_VERNEED = 0x6FFFFEF5, 0x6FFFFFFE
_SHT_DYNSYM = 11
_SYMBOL = 24
_EXPORTED_BINDINGS = (1, 2, 10)  # global, weak, GNU unique
_EXPORTED_VISIBILITIES = (0, 3)  # default, protected
_MACHINES = {62: "x86_64", 183: "aarch64", 243: "riscv64", 258: "loongarch64", 21: "ppc64le"}


class ElfError(ValueError):
    """Not a file that can be read here; the message says why."""


@dataclass(frozen=True)
class Elf:
    """`versions`: library to the symbol versions needed of it ("GLIBC_2.34"). `search_path`: RUNPATH and RPATH."""

    machine: str
    needed: tuple[str, ...]
    search_path: tuple[str, ...]
    exported: tuple[str, ...]
    versions: dict[str, tuple[str, ...]]


def read_elf(data: bytes) -> Elf:
    """Reads a 64-bit little-endian ELF file; ElfError for anything else and for damaged files."""
    if data[:4] != b"\x7fELF":
        raise ElfError("it is no ELF file")
    if data[4:6] != b"\x02\x01":
        raise ElfError("it is no 64-bit little-endian ELF file")
    try:
        return _Reader(data).read()
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise ElfError(f"it is a damaged ELF file ({error})") from None


def full_size(head: bytes) -> int:
    """Bytes that a 64-bit little-endian ELF file has at least, by its first 4096 bytes; 0 for anything else."""
    if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
        return 0
    programs, sections = struct.unpack_from("<QQ", head, 32)
    size, count, section_size, section_count = struct.unpack_from("<HHHH", head, 54)
    ends = [sections + section_size * section_count]
    for i in range(count):
        start = programs + i * size
        if start + 40 <= len(head):
            offset, _, _, length = struct.unpack_from("<QQQQ", head, start + 8)
            ends.append(offset + length)
    return max(ends)


class _Reader:
    def __init__(self, data: bytes):
        self.data = data
        self.loads: list[tuple[int, int, int]] = []  # address, offset, size
        self.dynamic: list[tuple[int, int]] = []

    def read(self) -> Elf:
        machine = struct.unpack_from("<H", self.data, 18)[0]
        self._segments()
        strings = self._offset(self._value(_DT_STRTAB)) if self.dynamic else 0
        return Elf(
            machine=_MACHINES.get(machine, f"machine {machine}"),
            needed=tuple(self._string(strings, v) for tag, v in self.dynamic if tag == _DT_NEEDED),
            search_path=tuple(
                part
                for tag, value in self.dynamic
                if tag in (_DT_RPATH, _DT_RUNPATH)
                for part in self._string(strings, value).split(":")
            ),
            exported=tuple(sorted(self._exported(strings))),
            versions={name: tuple(found) for name, found in self._versions(strings)},
        )

    def _segments(self) -> None:
        table = struct.unpack_from("<Q", self.data, 32)[0]
        size, count = struct.unpack_from("<HH", self.data, 54)
        for i in range(count):
            kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", self.data, table + i * size)
            if kind == _PT_LOAD:
                self.loads.append((address, offset, length))
            elif kind == _PT_DYNAMIC:
                for entry in range(offset, offset + length, 16):
                    tag, value = struct.unpack_from("<QQ", self.data, entry)
                    if tag == 0:
                        break
                    self.dynamic.append((tag, value))

    def _value(self, tag: int) -> int:
        found = next((value for t, value in self.dynamic if t == tag), None)
        if found is None:
            raise ValueError(f"its dynamic section has no entry {tag:#x}")
        return found

    def _has(self, tag: int) -> bool:
        return any(t == tag for t, _ in self.dynamic)

    def _offset(self, address: int) -> int:
        for start, offset, size in self.loads:
            if start <= address < start + size:
                return address - start + offset
        raise ValueError(f"address {address:#x} is in no segment")

    def _string(self, table: int, offset: int) -> str:
        start = table + offset
        return self.data[start : self.data.index(b"\0", start)].decode("utf-8", "replace")

    def _exported(self, strings: int) -> Iterator[str]:
        if not self._has(_DT_SYMTAB):
            return
        table = self._offset(self._value(_DT_SYMTAB))
        for i in range(1, self._symbol_count()):
            name, info, other, section = struct.unpack_from("<IBBH", self.data, table + i * _SYMBOL)
            if section and info >> 4 in _EXPORTED_BINDINGS and other & 3 in _EXPORTED_VISIBILITIES:
                yield self._string(strings, name)

    def _symbol_count(self) -> int:
        """The loader needs no count, so it is taken from the sections, else from a hash table."""
        table = struct.unpack_from("<Q", self.data, 40)[0]
        size, count = struct.unpack_from("<HH", self.data, 58)
        for i in range(count):
            kind = struct.unpack_from("<I", self.data, table + i * size + 4)[0]
            if kind == _SHT_DYNSYM:
                length = struct.unpack_from("<Q", self.data, table + i * size + 32)[0]
                return length // _SYMBOL
        if self._has(_DT_HASH):
            return struct.unpack_from("<I", self.data, self._offset(self._value(_DT_HASH)) + 4)[0]
        return self._count_by_gnu_hash() if self._has(_DT_GNU_HASH) else 0

    def _count_by_gnu_hash(self) -> int:
        start = self._offset(self._value(_DT_GNU_HASH))
        buckets, first, blooms = struct.unpack_from("<III", self.data, start)
        bucket_table = start + 16 + 8 * blooms
        last = max(struct.unpack_from(f"<{buckets}I", self.data, bucket_table), default=0)
        if last < first:
            return first
        chains = bucket_table + 4 * buckets
        while not struct.unpack_from("<I", self.data, chains + 4 * (last - first))[0] & 1:
            last += 1
        return last + 1

    def _versions(self, strings: int) -> Iterator[tuple[str, list[str]]]:
        if not self._has(_DT_VERNEED):
            return
        position = self._offset(self._value(_DT_VERNEED))
        while True:
            _, count, file, entries, following = struct.unpack_from("<HHIII", self.data, position)
            names, entry = [], position + entries
            for _ in range(count):
                name, step = struct.unpack_from("<II", self.data, entry + 8)
                names.append(self._string(strings, name))
                entry += step
            yield self._string(strings, file), names
            if not following:
                return
            position += following
