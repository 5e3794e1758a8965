"""Copies of trunk files age. ``spec/forks.lock`` records what the trunk's file was when a copy was made of it.

    # comment
    sha256:<64 hex digits>  triton/tools/compile.py     the trunk's file at the time of the fork
    own                     triton/tools/signature.py   a file of the backend's own, forked from nothing

Paths are relative to ``spec``. The lock is optional: without it, files that equal the trunk's and names that the trunk
needs are still found. It is text, one line per file and sorted, so that changes of it merge and read well.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ._hooks import HookPoints, parse, trunk_files
from ._output import NOTE, OK, PROBLEM, CliError, Finding
from ._overlay import PythonOverlay, defined_names, resolve
from ._tree import Tree

LOCK_NAME = "forks.lock"
OWN = "own"
_LINE = re.compile(r"(sha256:[0-9a-f]{64}|own)\s+(\S.*?)\s*")
_HEAD = "# What each file was forked from. Written by: flagtree spec drift --record"

Lock = dict[str, str]  # path below spec: "sha256:..." of the trunk's file, or OWN


def file_hash(path: Path) -> str:
    """Digest of a text file, the same whatever line ends it was checked out with."""
    return "sha256:" + hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def read_lock(spec: Path) -> Lock:
    """The lock of the specialization `spec`; empty where there is none. CliError names a line that cannot be read."""
    file = spec / LOCK_NAME
    lock: Lock = {}
    # What is no UTF-8 is no path of a file here, so its line is named like any other that cannot be read.
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None or match[2] in lock:
            what = "is no 'sha256:DIGEST PATH' or 'own PATH'" if match is None else f"names {match[2]} again"
            raise CliError(
                f"{file}:{number} {what}. Correct it, or delete the file and run flagtree spec drift --record"
            )
        lock[match[2]] = match[1]
    return lock


def write_lock(spec: Path, lock: Lock) -> None:
    """Writes the lock in one step, or removes it where there is nothing to record."""
    file = spec / LOCK_NAME
    if not lock:
        file.unlink(missing_ok=True)
        return
    lines = [_HEAD, *(f"{state:<71}  {path}" for path, state in sorted(lock.items()))]
    temporary = file.with_name(f".{LOCK_NAME}.{os.getpid()}")
    try:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def record(tree: Tree, spec: Path, files: Iterable[str], replaced: set[str], named: set[str]) -> tuple[Lock, Lock]:
    """The lock before and after recording `files`, all that the specialization has.

    Files that replace one of the trunk's and have no record get one, records of files that are gone go. A record that
    exists is renewed only for a file in `named`: renewing it says that the trunk's changes were looked at.
    """
    before = read_lock(spec)
    after = {}
    for path in files:
        trunk = tree.mirrored(path)
        if path in before and path not in named:
            after[path] = before[path]
        elif path in replaced and trunk is not None:
            after[path] = file_hash(trunk)
        elif path in named:
            after[path] = OWN
    return before, after


def drift(tree: Tree, spec: Path, files: Iterable[str], replaced: set[str]) -> Iterator[Finding]:
    """What became of each of `files`; of these, `replaced` take a trunk file's place. Paths are relative to `spec`."""
    lock = read_lock(spec)
    for path in files:
        trunk = tree.mirrored(path)
        if trunk is not None:
            yield from _state(tree, spec, path, trunk, lock.get(path), path in replaced)
    for path in sorted(set(lock) - set(files)):
        text = f"it is recorded in {LOCK_NAME}, but does not exist"
        yield Finding(NOTE, tree.short(spec / path), text, "flagtree spec drift --record")


def _state(tree: Tree, spec: Path, path: str, trunk: Path, recorded: str | None, replaces: bool) -> Iterator[Finding]:
    name = tree.short(spec / path)
    if not trunk.is_file():
        if recorded not in (None, OWN):
            text = f"it was forked from {tree.short(trunk)}, which the trunk no longer has"
            yield Finding(PROBLEM, name, text, f"move or delete it, or keep it as your own: {_record(name)}")
        return
    if (spec / path).stat().st_size and file_hash(trunk) == file_hash(spec / path):
        text = f"it is identical to {tree.short(trunk)}"
        yield Finding(PROBLEM, name, text, "delete it: the trunk's file is used then")
    elif not replaces or recorded == OWN:
        return
    elif recorded is None:
        if tree.root is None:
            return  # records are made in a checkout
        text = f"it replaces {tree.short(trunk)}; which state of that file it was forked from is not recorded"
        yield Finding(NOTE, name, text, _record(name))
    elif recorded != file_hash(trunk) and _takes_the_rest(spec / path):
        text = f"{tree.short(trunk)}, from which it takes what it does not change, has changed since it was recorded"
        yield Finding(NOTE, name, text, f"look whether it still fits, then: {_record(name)}")
    elif recorded != file_hash(trunk):
        text = f"stale: {tree.short(trunk)} changed since it was forked"
        fix = f"carry the changes over (git log -p -- {tree.short(trunk)}), then: {_record(name)}"
        yield Finding(PROBLEM, name, text, fix)
    else:
        yield Finding(OK, name, f"{tree.short(trunk)} is unchanged since it was forked")


def _takes_the_rest(file: Path) -> bool:
    """True for a file that calls ``replaced``: it holds the difference to the trunk's file instead of a copy."""
    if file.suffix != ".py":
        return False
    calls = (node for node in ast.walk(parse(file)) if isinstance(node, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id == "replaced" for call in calls)


def _record(name: str) -> str:
    return f"flagtree spec drift --record {name}"


def missing_names(overlay: PythonOverlay, points: HookPoints) -> Iterator[Finding]:
    """Names that a replacing file lacks: those that trunk files import from it are problems.

    Other public names of the trunk's file are notes, unless the file is recorded as forked from what that is now.
    """
    replaced = overlay.replaced(points)
    if not replaced:
        return
    wanted = _wanted(overlay, set(replaced))
    lock = read_lock(overlay.backend.spec)
    for file in replaced:
        has = defined_names(parse(overlay.root / file))
        if "*" in has or "__getattr__" in has:
            continue
        lacks = {name: place for name, place in wanted.get(file, {}).items() if name not in has}
        for name, place in sorted(lacks.items()):
            text = f"it lacks {name!r}, which {place} imports from it"
            yield Finding(PROBLEM, overlay.tree.short(overlay.root / file), text, "define it as the trunk's file does")
        if lock.get(f"triton/{file}") != file_hash(overlay.tree.package / file):
            yield from _other_names(overlay, file, has | set(lacks))


def _other_names(overlay: PythonOverlay, file: str, known: set[str]) -> Iterator[Finding]:
    """Public functions and classes of the trunk's file that are not among `known`."""
    module = parse(overlay.tree.package / file)
    public = {
        n.name for n in module.body if isinstance(n, ast.FunctionDef | ast.ClassDef) and not n.name.startswith("_")
    }
    if public - known:
        text = f"it lacks public names of the trunk's file: {', '.join(sorted(public - known))}"
        yield Finding(NOTE, overlay.tree.short(overlay.root / file), text)


def _wanted(overlay: PythonOverlay, files: set[str]) -> dict[str, dict[str, str]]:
    """For each of `files`, the names that trunk modules import from it and who does."""
    stems = {file.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2] for file in files}
    found: dict[str, dict[str, str]] = {}
    for file in trunk_files(overlay.tree.package):
        text = file.read_bytes()
        if not any(stem.encode() in text for stem in stems):
            continue
        place = file.relative_to(overlay.tree.package).parts
        for node in ast.walk(parse(file, text)):
            if isinstance(node, ast.ImportFrom):
                target = "/".join(resolve(node, place)[1:])
                for candidate in {f"{target}.py", f"{target}/__init__.py"} & files:
                    for alias in node.names:
                        # A name that is a module below a package needs no definition in its __init__.py.
                        if alias.name != "*" and not (overlay.tree.package / target / f"{alias.name}.py").is_file():
                            found.setdefault(candidate, {}).setdefault(
                                alias.name, f"{overlay.tree.short(file)}:{node.lineno}"
                            )
    return found
