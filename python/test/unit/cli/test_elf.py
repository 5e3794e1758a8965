"""The ELF reader, against files written here, against this Python's own libraries, and against damaged files."""

from __future__ import annotations

import contextlib
import random
import shutil
import subprocess
import sys

import pytest
from triton.cli._elf import ElfError, read_elf

from .elf_writer import shared_library

LIBRARY = shared_library(
    exported=("PyInit_libtriton", "other"),
    needed=("libc.so.6", "libm.so.6"),
    versions={"libc.so.6": ("GLIBC_2.2.5", "GLIBC_2.34"), "libm.so.6": ("GLIBC_2.29",)},
    runpath="$ORIGIN/../lib:/opt/x",
    imported=("malloc",),
)


def test_everything_is_read():
    elf = read_elf(LIBRARY)
    assert elf.machine == "x86_64"
    assert elf.needed == ("libc.so.6", "libm.so.6")
    assert elf.search_path == ("$ORIGIN/../lib", "/opt/x")
    assert elf.exported == ("PyInit_libtriton", "other"), "imported symbols are not exported"
    assert elf.versions == {"libc.so.6": ("GLIBC_2.2.5", "GLIBC_2.34"), "libm.so.6": ("GLIBC_2.29",)}


def test_a_library_without_anything():
    elf = read_elf(shared_library())
    assert (elf.needed, elf.search_path, elf.exported, elf.versions) == ((), (), (), {})


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no ELF file"),
        (b"MZ" + bytes(100), "no ELF file"),
        (b"\x7fELF\x01\x01" + bytes(100), "no 64-bit little-endian"),
        (LIBRARY[:100], "damaged"),
        (LIBRARY[:300], "damaged"),
        (LIBRARY[:-40], "damaged"),
    ],
)
def test_what_cannot_be_read_says_why(data, why):
    with pytest.raises(ElfError, match=why):
        read_elf(data)


def test_damaged_files_never_raise_anything_else():
    random.seed(7)
    for _ in range(2000):
        data = bytearray(LIBRARY)
        for _ in range(random.randint(1, 8)):
            data[random.randrange(4, len(data))] = random.randrange(256)
        with contextlib.suppress(ElfError):
            read_elf(bytes(data))


@pytest.mark.skipif(shutil.which("nm") is None, reason="compares with nm, which is not installed")
def test_symbols_of_a_real_library_are_those_of_nm():
    import _ctypes

    if not getattr(_ctypes, "__file__", "").endswith(".so"):
        pytest.skip("this Python has its extension modules built in")
    command = ["nm", "-D", "--defined-only", "--format=just-symbols", _ctypes.__file__]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    with open(_ctypes.__file__, "rb") as file:
        assert list(read_elf(file.read()).exported) == sorted(name.partition("@")[0] for name in listed)


@pytest.mark.skipif(sys.platform != "linux", reason="programs are ELF files on Linux only")
def test_the_running_python_can_be_read():
    with open(sys.executable, "rb") as file:
        elf = read_elf(file.read())
    assert any(name.startswith("libc.") for name in (*elf.needed, *elf.versions))
