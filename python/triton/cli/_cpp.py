"""The C++ side of specialization: ``FLAGTREE_SPEC_`` macros, replaced files and ``FlagTree_<b>_<Target>`` libraries.

This reads source text. It exists in a checkout only; what is wrong there mostly stops CMake, too.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ._hooks import Place
from ._output import PROBLEM, Finding, did_you_mean
from ._tree import BackendFolder, Tree

_TRUNK = ("include", "lib", "bin", "python/src")
_SOURCES = (".h", ".cpp", ".cc", ".td", ".inc", ".def")
_MIRRORED = {"include": (".h", ".td"), "lib": (".h", ".cpp")}
_MACRO = re.compile(r"\bFLAGTREE_SPEC_\w+")
_DEFINE = re.compile(r"^\s*#\s*define\s+(FLAGTREE_SPEC_\w+)")
_GUARD = re.compile(r"^\s*#\s*ifndef\s+(\w+_H_?)\s*\n\s*#\s*define\s+\1\s*$", re.MULTILINE)
_LIBRARY = re.compile(r"\badd_(?:triton_)?library\s*\(\s*(\w+)")


@dataclass
class CppHookPoints:
    """`macros`: name to the places that read it. `targets`: libraries to which a backend's can be added."""

    macros: dict[str, list[Place]] = field(default_factory=dict)
    targets: set[str] = field(default_factory=set)


def find_cpp_hook_points(root: Path) -> CppHookPoints:
    points = CppHookPoints()
    for folder in _TRUNK:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in _SOURCES and file.is_file():
                for macro, line in _reads(file):
                    points.macros.setdefault(macro, []).append(Place(file, line))
            elif file.name == "CMakeLists.txt":
                points.targets.update(_LIBRARY.findall(_text(file)))
    return points


class CppOverlay:
    """The C++ files of one backend's specialization."""

    def __init__(self, tree: Tree, backend: BackendFolder):
        self.tree = tree
        self.backend = backend
        self.files = list(self._files())

    def _files(self) -> Iterator[str]:
        """Paths below ``spec`` of the files that mirror the trunk; the backend's own files are not among them."""
        for folder, suffixes in _MIRRORED.items():
            for file in sorted((self.backend.spec / folder).rglob("*")):
                own = file.name == "flagtree_spec.h" or file.name.startswith(f"{self.backend.name}_")
                if file.suffix in suffixes and not own:
                    yield file.relative_to(self.backend.spec).as_posix()

    def replaced(self) -> list[str]:
        return [file for file in self.files if _is_file(self.tree.mirrored(file))]

    def macros(self) -> dict[str, Place]:
        """The macros that the backend defines, in headers of its specialization or in its CMake code."""
        found: dict[str, Place] = {}
        for file in sorted((self.backend.spec / "include").rglob("*.h")):
            text = _text(file)
            guards = set(_GUARD.findall(text))
            for number, line in enumerate(text.splitlines(), 1):
                match = _DEFINE.match(line)
                if match and match[1] not in guards:
                    found.setdefault(match[1], Place(file, number))
        for file in self._cmake_files():
            for number, line in enumerate(_text(file).splitlines(), 1):
                for name in re.findall(r"FLAGTREE_SPEC_\w+", line.partition("#")[0]):
                    found.setdefault(name, Place(file, number))
        return found

    def libraries(self) -> dict[str, Path]:
        """Trunk targets that the backend adds a library to, with the file that says so."""
        prefix = f"FlagTree_{self.backend.name}_"
        found: dict[str, Path] = {}
        for file in self._cmake_files():
            for name in _LIBRARY.findall(_text(file)):
                if name.startswith(prefix):
                    found.setdefault(name.removeprefix(prefix), file)
        return found

    def problems(self, points: CppHookPoints) -> Iterator[Finding]:
        for name, place in self.macros().items():
            if name not in points.macros:
                yield Finding(
                    *(PROBLEM, f"{self.tree.short(place.file)}:{place.line}"),
                    f"{name} is defined, but no trunk file reads it.{did_you_mean(name, points.macros, 0.6)}",
                    "rename it, or delete it; 'flagtree spec list' shows the macros that the trunk reads",
                )
        for target, file in self.libraries().items():
            if target not in points.targets:
                yield Finding(
                    *(PROBLEM, self.tree.short(file)),
                    f"FlagTree_{self.backend.name}_{target} belongs to no library of the trunk."
                    f"{did_you_mean(target, points.targets)}",
                    "rename it after the trunk library that it is to be linked into",
                )
        for path in self.files:
            if not _is_file(self.tree.mirrored(path)):
                yield Finding(
                    *(PROBLEM, self.tree.short(self.backend.spec / path)),
                    f"it replaces nothing: the trunk has no such file. Nearest trunk file: {self._nearest(path)}",
                    f"move it, or call it {self.backend.name}_{path.rpartition('/')[2]} if it replaces none",
                )

    def _nearest(self, path: str) -> str:
        assert self.tree.root is not None
        trunk = [
            file.relative_to(self.tree.root).as_posix()
            for folder in _MIRRORED
            for file in (self.tree.root / folder).rglob("*")
            if file.suffix in (".h", ".td", ".cpp")
        ]
        return next(iter(difflib.get_close_matches(path, trunk, 1, 0)), "none")

    def _cmake_files(self) -> list[Path]:
        folder = self.backend.folder
        return [] if folder is None else sorted(folder.rglob("CMakeLists.txt"))


def _reads(file: Path) -> Iterator[tuple[str, int]]:
    """Macros that a trunk file reads. A definition is none: the trunk may give a default below ``#ifndef``."""
    text = _text(file)
    if "FLAGTREE_SPEC_" not in text:
        return
    guards = set(_GUARD.findall(text))
    for number, line in enumerate(text.splitlines(), 1):
        code = line.partition("//")[0]
        defined = _DEFINE.match(code)
        for name in _MACRO.findall(code):
            if name not in guards and not (defined and defined[1] == name):
                yield name, number


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _is_file(path: Path | None) -> bool:
    return path is not None and path.is_file()
