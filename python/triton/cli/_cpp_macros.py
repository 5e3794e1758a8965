"""The ``FLAGTREE_SPEC_`` macros: where the trunk reads them, where backends define them, and which of those do nothing.

``flagtree spec`` uses this as a module. The configuration of a build runs the file as a program, without the package
around it, so it imports nothing of it:

    python _cpp_macros.py ROOT NAME SPEC [NAME SPEC]...

ROOT is the checkout; each NAME is a backend and SPEC the folder of its specialization. On success it prints two lines:
the macros that are defined, as ``NAME: MACRO (trunk file:line)``, and the files that the answer depends on, both
separated by semicolons. Problems go to the standard error, one a line, and the status is 1.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

PREFIX = "FLAGTREE_SPEC_"
TOP_HEADER = "flagtree_spec.h"
_TRUNK = ("include", "lib", "bin", "python/src")
_SOURCES = (".h", ".cpp", ".cc", ".td", ".inc", ".def")
_MACRO = re.compile(r"\bFLAGTREE_SPEC_\w+")
_DEFINE = re.compile(r"^\s*#\s*define\s+(FLAGTREE_SPEC_\w+)")
_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
_GUARD = re.compile(r"^\s*#\s*ifndef\s+(\w+_H_?)\s*\n\s*#\s*define\s+\1\s*$", re.MULTILINE)


class Place(NamedTuple):
    """A line of a file, counted from 1."""

    file: Path
    line: int


class MacroProblem(NamedTuple):
    """Something about a macro that has no effect: where it is, what is wrong, what to do."""

    place: Place
    text: str
    remedy: str


def find_reads(root: Path, replaced: Mapping[str, Path] | None = None) -> dict[str, list[Place]]:
    """The macros that the trunk in `root` reads, each with one place in every file that does.

    `replaced` maps trunk paths to the files that take their places.
    """
    found: dict[str, list[Place]] = {}
    for folder in _TRUNK:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in _SOURCES and file.is_file():
                file = (replaced or {}).get(file.relative_to(root).as_posix(), file)
                first: dict[str, int] = {}
                for macro, line in _reads(file):
                    first.setdefault(macro, line)
                for macro, line in first.items():
                    found.setdefault(macro, []).append(Place(file, line))
    return found


def find_definitions(spec: Path) -> dict[str, Place]:
    """The macros that the headers of a specialization define, each with its first place."""
    found: dict[str, Place] = {}
    for file in _headers(spec):
        text = _text(file)
        guards = set(_GUARD.findall(text))
        for number, line in enumerate(text.splitlines(), 1):
            match = _DEFINE.match(line)
            if match and match[1] not in guards:
                found.setdefault(match[1], Place(file, number))
    return found


def macro_problems(spec: Path, definitions: Mapping[str, Place], reads: Mapping[str, object]) -> Iterator[MacroProblem]:
    """Macros in `definitions` that no trunk file reads, and headers with macros that the trunk never sees."""
    for name, place in definitions.items():
        if name not in reads:
            yield MacroProblem(
                place,
                f"{name} is defined, but no trunk file reads it.{_nearest(name, reads)}",
                "rename it, or delete it; 'flagtree spec list' shows the macros that the trunk reads",
            )
    seen = _included_from(spec / "include" / TOP_HEADER, spec / "include")
    unseen: dict[Path, Place] = {}
    for name, place in definitions.items():
        if name in reads and place.file.is_relative_to(spec / "include") and place.file not in seen:
            unseen.setdefault(place.file, place)
    for file, place in unseen.items():
        name = file.relative_to(spec / "include").as_posix()
        yield MacroProblem(
            place,
            f"{name} defines macros, but {TOP_HEADER} does not include it, so the trunk never sees them",
            f'write #include "{name}" in {spec / "include" / TOP_HEADER}',
        )


def replaced_files(root: Path, spec: Path) -> dict[str, Path]:
    """Trunk paths, relative to `root`, and the files of the specialization that take their places."""
    files = (file for folder in ("include", "lib") for file in sorted((spec / folder).rglob("*")) if file.is_file())
    paths = {file.relative_to(spec).as_posix(): file for file in files}
    return {path: file for path, file in paths.items() if (root / path).is_file()}


def _headers(spec: Path) -> list[Path]:
    return [file for file in sorted((spec / "include").rglob("*.h")) if file.is_file()]


def _included_from(header: Path, folder: Path) -> set[Path]:
    """`header` and what it includes, directly or not, as far as that lies in `folder`."""
    seen: set[Path] = set()
    todo = [header]
    while todo:
        file = todo.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        for name in _INCLUDE.findall(_text(file)):
            todo += [file.parent / name, folder / name]
    return seen


def _reads(file: Path) -> Iterator[tuple[str, int]]:
    """Macros that a trunk file reads. A definition is none: the trunk may give a default below ``#ifndef``."""
    text = _text(file)
    if PREFIX not in text:
        return
    guards = set(_GUARD.findall(text))
    for number, line in enumerate(text.splitlines(), 1):
        code = line.partition("//")[0]
        defined = _DEFINE.match(code)
        for name in _MACRO.findall(code):
            if name not in guards and not (defined and defined[1] == name):
                yield name, number


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, 1, 0.6)
    return f" Did you mean {near[0]!r}?" if near else ""


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def main(arguments: list[str]) -> int:
    root = Path(arguments[0])
    specs = dict(zip(arguments[1::2], map(Path, arguments[2::2])))
    replaced = {path: file for spec in specs.values() for path, file in replaced_files(root, spec).items()}
    reads = find_reads(root, replaced)
    watched = {place.file for places in reads.values() for place in places}
    macros = []
    status = 0
    for name, spec in specs.items():
        definitions = find_definitions(spec)
        watched.update(_headers(spec))
        for problem in macro_problems(spec, definitions, reads):
            place = f"{problem.place.file}:{problem.place.line}"
            print(f"Backend '{name}', {place}: {problem.text}. {problem.remedy}.".replace("?.", "?"), file=sys.stderr)
            status = 1
        for macro in definitions.keys() & reads.keys():
            place = reads[macro][0]
            where = place.file.relative_to(root) if place.file.is_relative_to(root) else place.file
            macros.append(f"{name}: {macro} ({where}:{place.line})")
    print(";".join(sorted(macros)))
    print(";".join(sorted(map(str, watched))))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
