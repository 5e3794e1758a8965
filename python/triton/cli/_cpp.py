"""The C++ side of specialization: ``FLAGTREE_SPEC_`` macros, replaced files and ``FlagTree_<b>_<Target>`` libraries.

This reads source text. It exists in a checkout only; what is wrong there mostly stops CMake, too.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import astuple, dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from ._cpp_macros import (
    TOP_HEADER,
    MacroProblem,
    find_definitions,
    find_reads,
    macro_problems,
    replaced_files,
)
from ._cpp_macros import Place as MacroPlace
from ._hooks import Place
from ._output import PROBLEM, Finding, did_you_mean
from ._tree import BackendFolder, Tree

_MIRRORED = ("include", "lib")
_NO_MIRRORS = ("CMakeLists.txt", "*.cmake", "*.md", "*.txt", ".*", "*~", "*.pyc")
_LIBRARY = re.compile(r"\badd_(?:triton_)?library\s*\(\s*(\w+)")


@dataclass
class CppHookPoints:
    """`macros`: name to the places that read it. `targets`: libraries to which a backend's can be added."""

    macros: dict[str, list[Place]] = field(default_factory=dict)
    targets: set[str] = field(default_factory=set)


def find_cpp_hook_points(root: Path) -> CppHookPoints:
    macros = {name: [Place(*place) for place in places] for name, places in find_reads(root).items()}
    lists = (file for folder in ("include", "lib", "bin") for file in (root / folder).rglob("CMakeLists.txt"))
    return CppHookPoints(macros, {name for file in lists for name in _LIBRARY.findall(_text(file))})


class CppOverlay:
    """The C++ files of one backend's specialization."""

    def __init__(self, tree: Tree, backend: BackendFolder):
        self.tree = tree
        self.backend = backend
        self.files = list(self._files())

    def _files(self) -> Iterator[str]:
        """Paths below ``spec`` of the files that mirror the trunk; the backend's own files are not among them."""
        for folder in _MIRRORED:
            for file in sorted((self.backend.spec / folder).rglob("*")):
                own = file.name == TOP_HEADER or file.name.startswith(f"{self.backend.name}_")
                other = any(fnmatch(file.name, pattern) for pattern in _NO_MIRRORS)
                if not own and not other and not file.is_dir():
                    yield file.relative_to(self.backend.spec).as_posix()

    def replaced(self) -> list[str]:
        return [file for file in self.files if _is_file(self.tree.mirrored(file))]

    def macros(self) -> dict[str, Place]:
        """The macros that the backend defines, in headers of its specialization or in its CMake code."""
        found = {name: Place(*place) for name, place in find_definitions(self.backend.spec).items()}
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
        for problem in self._macro_problems():
            place = f"{self.tree.short(problem.place.file)}:{problem.place.line}"
            yield Finding(PROBLEM, place, problem.text, problem.remedy)
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

    def _macro_problems(self) -> Iterator[MacroProblem]:
        assert self.tree.root is not None
        reads = find_reads(self.tree.root, replaced_files(self.tree.root, self.backend.spec))
        definitions = {name: MacroPlace(*astuple(place)) for name, place in self.macros().items()}
        return macro_problems(self.backend.spec, definitions, reads)

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


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _is_file(path: Path | None) -> bool:
    return path is not None and path.is_file()
