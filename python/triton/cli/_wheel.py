"""What a wheel's files say: name, metadata, RECORD, marker, backends. Binaries are looked at in ``_binaries``."""

from __future__ import annotations

import base64
import configparser
import csv
import hashlib
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import HeaderParser
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from ._marker import MARKER_NAME, marker_values
from ._output import NOTE, OK, PROBLEM, CliError, Finding

_NAME = re.compile(
    r"(?P<name>[^-]+)-(?P<version>[^-]+)(-(?P<build>\d[^-]*))?-(?P<python>[^-]+)-(?P<abi>[^-]+)-(?P<platform>[^-]+)"
)
# What zipfile raises for damaged files, besides its own exception.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError),
)
_STRAYS = (".pyc", ".pyo", ".cc", ".cpp", ".o", ".a", ".toml", ".orig", ".rej")
_ADDON_MARKER = re.compile(r"triton/backends/\w+/_flagtree_addon\.py")
_LIBRARY = re.compile(r"triton/_C/libtriton[.\w-]*\.(so|pyd)")


@dataclass
class Wheel:
    """A wheel file, opened. CliError where it is no zip file or its name is no wheel's."""

    path: Path
    archive: zipfile.ZipFile

    @classmethod
    def open(cls, path: Path) -> Wheel:
        if not path.is_file():
            raise CliError(f"{path} does not exist" if not path.exists() else f"{path} is no file")
        if path.suffix != ".whl" or _NAME.fullmatch(path.stem) is None:
            raise CliError(f"{path.name} is no wheel's name: NAME-VERSION-PYTHON-ABI-PLATFORM.whl is expected")
        try:
            return cls(path, zipfile.ZipFile(path))
        except _DAMAGED as error:
            raise CliError(
                f"{path} cannot be opened: {error}. It is damaged or incomplete: build or fetch it again"
            ) from None

    @cached_property
    def names(self) -> list[str]:
        return [info.filename for info in self.archive.infolist() if not info.is_dir()]

    @cached_property
    def tags(self) -> dict[str, str]:
        match = _NAME.fullmatch(self.path.stem)
        assert match is not None
        return match.groupdict()

    @property
    def platforms(self) -> list[str]:
        return self.tags["platform"].split(".")

    @property
    def dist_info(self) -> str:
        folders = {name.partition("/")[0] for name in self.names if name.partition("/")[0].endswith(".dist-info")}
        if len(folders) != 1:
            raise CliError(f"{self.path.name} holds {len(folders)} .dist-info folders instead of one")
        return folders.pop()

    @property
    def backends(self) -> list[str]:
        """The folders of ``triton/backends``."""
        parts = (PurePosixPath(name).parts for name in self.names)
        return sorted({p[2] for p in parts if p[:2] == ("triton", "backends") and len(p) > 3})

    @property
    def addon_marker(self) -> str | None:
        """The generated module of an add-on, which holds one backend without the trunk; None in other wheels."""
        return next((name for name in self.names if _ADDON_MARKER.fullmatch(name)), None)

    @property
    def libraries(self) -> list[str]:
        return [name for name in self.names if _LIBRARY.fullmatch(name)]

    def read(self, name: str) -> bytes:
        """Content of a file. CliError where it cannot be unpacked."""
        try:
            return self.archive.read(name)
        except _DAMAGED as error:
            raise CliError(f"{self.path}: {name} cannot be unpacked: {error}") from None

    def text(self, name: str) -> str | None:
        return self.read(name).decode("utf-8", "replace") if name in self.names else None

    def is_executable(self, name: str) -> bool:
        return bool(self.archive.getinfo(name).external_attr >> 16 & stat.S_IXUSR)


def check_content(wheel: Wheel) -> Iterator[Finding]:
    """Everything that can be told without looking into binaries."""
    parts = _addon_parts if wheel.addon_marker else _parts
    for check in (_metadata, _record, _marker_and_backends, parts, _strays):
        yield from check(wheel)


def _metadata(wheel: Wheel) -> Iterator[Finding]:
    metadata = HeaderParser().parsestr(wheel.text(f"{wheel.dist_info}/METADATA") or "")
    name, version = str(metadata["Name"]), str(metadata["Version"])
    expected = re.sub(r"[-_.]+", "_", name).lower(), version.replace("-", "_")
    if (wheel.tags["name"].lower(), wheel.tags["version"]) != expected:
        text = f"the file's name says {wheel.tags['name']} {wheel.tags['version']}, METADATA {name} {version}"
        yield Finding(PROBLEM, "name", text, "do not rename wheels: build it with the name that it should have")
    else:
        yield Finding(OK, "name", f"{name} {version}")
    header = HeaderParser().parsestr(wheel.text(f"{wheel.dist_info}/WHEEL") or "")
    inside = set(header.get_all("Tag", []))
    tags = [wheel.tags[part].split(".") for part in ("python", "abi", "platform")]
    outside = {f"{python}-{abi}-{platform}" for python in tags[0] for abi in tags[1] for platform in tags[2]}
    if inside != outside:
        text = f"the file's name says {', '.join(sorted(outside))}, WHEEL {', '.join(sorted(inside)) or 'nothing'}"
        yield Finding(PROBLEM, "tags", text, "retag it with: python -m wheel tags")
    else:
        yield Finding(OK, "tags", ", ".join(sorted(outside)))
    if header["Root-Is-Purelib"] != "false" and not wheel.addon_marker:
        yield Finding(PROBLEM, "tags", "WHEEL says Root-Is-Purelib, but the wheel holds machine code", "build it again")


def _record(wheel: Wheel) -> Iterator[Finding]:
    """RECORD lists every file once, with the digest and size that it has."""
    record = f"{wheel.dist_info}/RECORD"
    text = wheel.text(record)
    if text is None:
        yield Finding(PROBLEM, "RECORD", "it is missing, so nothing can install the wheel", "build it again")
        return
    try:
        rows = [row for row in csv.reader(text.splitlines()) if row]
    except csv.Error as error:
        yield Finding(PROBLEM, "RECORD", f"it cannot be read: {error}", "build it again")
        return
    listed = [row[0] for row in rows]
    signatures = {record, f"{record}.jws", f"{record}.p7s"}
    problems = (
        [f"lists {name} twice" for name in sorted({n for n in listed if listed.count(n) > 1})]
        if len(set(listed)) < len(listed)
        else []
    )
    problems += [f"does not list {name}" for name in sorted(set(wheel.names) - set(listed) - signatures)]
    problems += [f"lists {name}, which is not in the wheel" for name in sorted(set(listed) - set(wheel.names))]
    problems += [
        f"{name} is in the wheel twice" for name in sorted({n for n in wheel.names if wheel.names.count(n) > 1})
    ]
    for row in rows:
        if row[0] in wheel.names and row[0] not in signatures:
            problem = _wrong_digest(wheel, row)
            problems += [problem] if problem else []
    for problem in problems:
        yield Finding(
            PROBLEM, "RECORD", problem, "do not edit wheels; 'python -m wheel unpack' and 'pack' write RECORD anew"
        )
    if not problems:
        yield Finding(OK, "RECORD", f"{len(rows)} files, digests and sizes agree")


def _wrong_digest(wheel: Wheel, row: list[str]) -> str:
    name, digest, size = (*row, "", "")[:3]
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        return f"lists {name}, which leads out of the installation"
    data = wheel.read(name)
    algorithm, _, value = digest.partition("=")
    if algorithm not in ("sha256", "sha384", "sha512"):
        return f"gives no sha256 of {name}"
    found = base64.urlsafe_b64encode(hashlib.new(algorithm, data).digest()).rstrip(b"=").decode()
    if found != value:
        return f"{name} differs from its digest"
    return "" if size in ("", str(len(data))) else f"{name} has {len(data)} bytes instead of {size}"


def _marker_and_backends(wheel: Wheel) -> Iterator[Finding]:
    file = wheel.addon_marker or f"triton/{MARKER_NAME}"
    text = wheel.text(file)
    if text is None:
        what = f"triton/{MARKER_NAME} is missing: no backend is selected, so specializations have no effect"
        yield Finding(PROBLEM, "marker", what, "build the wheel with pip or build, which generate it")
        return
    try:
        marker = marker_values(text, file)
    except CliError as error:
        yield Finding(PROBLEM, "marker", str(error))
        return
    what = "an add-on" if wheel.addon_marker else f"built for {marker['BACKEND']}"
    yield Finding(OK, "marker", f"{what}, with {', '.join(marker['BACKENDS'])}")
    yield from _backends(wheel, marker)


def _backends(wheel: Wheel, marker: Any) -> Iterator[Finding]:
    inside, named = wheel.backends, set(marker["BACKENDS"])
    again = f"build it in a clean checkout: FLAGTREE_BACKEND={marker['BACKEND']} pip wheel --no-deps ."
    problems = [
        f"the marker names {name!r}, but triton/backends/{name} is missing" for name in sorted(named - {*inside})
    ]
    problems += [
        f"triton/backends/{name} is inside, but the marker does not name it" for name in inside if name not in named
    ]
    if marker["BACKEND"] not in named:
        problems.append(f"the marker selects {marker['BACKEND']!r}, which is none of its backends")
    for name in inside:
        for part in ("compiler.py", "driver.py"):
            if f"triton/backends/{name}/{part}" not in wheel.names:
                problems.append(f"triton/backends/{name} has no {part}")
        overlay = [n for n in wheel.names if n.startswith(f"triton/backends/{name}/spec/triton/")]
        if name == marker["BACKEND"] and bool(overlay) is not marker["OVERLAY"]:
            has = "has" if overlay else "lacks"
            problems.append(f"{name!r} {has} a specialization, the marker says OVERLAY = {marker['OVERLAY']}")
    points = configparser.ConfigParser(delimiters=("=",))
    points.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        points.read_string(wheel.text(f"{wheel.dist_info}/entry_points.txt") or "")
    except configparser.Error as error:
        problems.append(f"entry_points.txt cannot be read: {' '.join(str(error).split())}")
    group = dict(points["triton.backends"]) if "triton.backends" in points else {}
    problems += [f"no entry point of group triton.backends names {name!r}" for name in inside if name not in group]
    problems += [f"entry point {name} = {group[name]} names no backend inside" for name in group if name not in inside]
    for problem in problems:
        yield Finding(PROBLEM, "backends", problem, again)
    if not problems:
        yield Finding(OK, "backends", ", ".join(inside))


def _parts(wheel: Wheel) -> Iterator[Finding]:
    if len(wheel.libraries) != 1:
        found = ", ".join(wheel.libraries) or "none"
        yield Finding(PROBLEM, "libtriton", f"one library is expected in triton/_C, found: {found}", "build it again")
    for name in wheel.libraries:
        tag = re.search(r"\.cpython-(\d+)", name)
        pythons = wheel.tags["python"].split(".")
        if tag and f"cp{tag[1]}" not in pythons:
            yield Finding(
                PROBLEM, "libtriton", f"{name} is for another Python than {', '.join(pythons)}", "build it again"
            )
    program = next((name for name in ("triton/FileCheck", "triton/FileCheck.exe") if name in wheel.names), None)
    if program is None:
        yield Finding(
            PROBLEM, "FileCheck", "triton/FileCheck is missing", "build LLVM with LLVM_INSTALL_UTILS or its tools"
        )
    elif not wheel.is_executable(program) and not program.endswith(".exe"):
        yield Finding(
            PROBLEM, "FileCheck", f"{program} is not executable", "its mode was lost: build or repack it again"
        )
    else:
        yield Finding(OK, "FileCheck", program)


def _addon_parts(wheel: Wheel) -> Iterator[Finding]:
    """An add-on has nothing that the package beside which it is installed has, and says which one it needs."""
    own = ("triton/backends/", "triton/language/extra/", f"{wheel.dist_info}/")
    for name in wheel.names:
        if name.startswith("triton/") and (not name.startswith(own) or name.count("/") < 3):
            yield Finding(PROBLEM, "files", f"{name} belongs to the package itself", "leave it out of the add-on")
    metadata = HeaderParser().parsestr(wheel.text(f"{wheel.dist_info}/METADATA") or "")
    needed = metadata.get_all("Requires-Dist", [])
    if needed:
        yield Finding(OK, "requires", ", ".join(needed))
    else:
        text = "nothing: it would be installed beside any FlagTree, or none"
        yield Finding(PROBLEM, "requires", text, "build it with flagtree-build")


def _strays(wheel: Wheel) -> Iterator[Finding]:
    allowed = ("triton/", f"{wheel.dist_info}/", f"{wheel.dist_info.removesuffix('.dist-info')}.data/")
    libs = f"{wheel.tags['name']}.libs/"
    for name in wheel.names:
        if not name.startswith((*allowed, libs)):
            yield Finding(PROBLEM, "files", f"{name} is installed outside of triton/", "leave it out of the wheel")
        elif name.endswith(_STRAYS):
            yield Finding(PROBLEM, "files", f"{name} does not belong into a wheel", "leave it out of the wheel")


def sizes(wheel: Wheel) -> dict[str, tuple[int, int]]:
    """Bytes in the wheel and unpacked, by part: libtriton, FileCheck, trunk, each backend, other."""
    result: dict[str, tuple[int, int]] = {}
    for info in wheel.archive.infolist():
        key = _part(info.filename, wheel)
        packed, unpacked = result.get(key, (0, 0))
        result[key] = packed + info.compress_size, unpacked + info.file_size
    return dict(sorted(result.items(), key=lambda item: -item[1][0]))


def _part(name: str, wheel: Wheel) -> str:
    parts: tuple[str, ...] = PurePosixPath(name).parts
    if name in wheel.libraries:
        return "libtriton"
    if parts[:2] == ("triton", "backends") and len(parts) > 3:
        return f"backend {parts[2]}"
    if parts[:3] == ("triton", "language", "extra") and len(parts) > 4 and not parts[3].startswith("_"):
        return f"backend {parts[3]}"
    if parts[:1] == ("triton",):
        return "FileCheck" if name.startswith("triton/FileCheck") else "Python"
    return "other"


def note_size(wheel: Wheel, limit: int | None) -> Finding:
    size = wheel.path.stat().st_size
    mebibytes = f"{size / (1 << 20):.1f} MiB"
    if limit is not None and size > limit:
        text = f"{mebibytes}, more than the {limit / (1 << 20):.1f} MiB allowed"
        return Finding(PROBLEM, "size", text, "strip the library, leave out targets")
    return Finding(NOTE if size > 100 << 20 else OK, "size", mebibytes)
