"""Specialization: what the trunk lets backends change, what they change, and what has gone wrong with it.

list   the hook points of the trunk, Python and C++, and which backends use each
check  functions, macros, libraries and files of backends that nothing asks for; calls that cannot work
drift  files that equal the trunk's, files whose trunk file changed since they were forked, missing names

--record writes spec/forks.lock: it notes the trunk's state for files without a record and drops records of files that
are gone. For a file named after it, it renews the record, or notes that the file is the backend's own.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ._cpp import CppHookPoints, CppOverlay, find_cpp_hook_points
from ._forks import LOCK_NAME, OWN, drift, missing_names, read_lock, record, write_lock
from ._hooks import HookPoints, Place, find_hook_points
from ._import_check import import_findings
from ._marker import MARKER_NAME, marker_values
from ._output import (
    PROBLEM,
    CliError,
    Finding,
    add_json_option,
    did_you_mean,
    has_problem,
    print_findings,
    print_json,
    print_table,
    summary,
)
from ._overlay import PythonOverlay
from ._tree import BackendFolder, Tree, find_tree

HELP = "hook points of the trunk, what backends do with them, and copies that aged"
_NO_CPP = "C++ is not looked at: its sources are in a checkout, not in an installation"


@dataclass(frozen=True)
class View:
    """The trunk's hook points and the specializations of the chosen backends."""

    tree: Tree
    points: HookPoints
    cpp: CppHookPoints | None
    backends: list[BackendFolder]

    def python(self) -> list[PythonOverlay]:
        return [PythonOverlay(self.tree, backend) for backend in self.backends]

    def native(self) -> list[CppOverlay]:
        return [] if self.cpp is None else [CppOverlay(self.tree, backend) for backend in self.backends]

    def where(self, place: Place) -> str:
        return f"{self.tree.short(place.file)}:{place.line}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "check", "drift"), help="what to show")
    parser.add_argument("--backend", action="append", default=[], metavar="NAME", help="only this backend; repeatable")
    parser.add_argument(
        "--root", metavar="DIR", help="a checkout; default: the one that this triton belongs to, if any"
    )
    parser.add_argument(
        "--record", nargs="*", metavar="FILE", help=f"drift: write {LOCK_NAME}; renew it for these files"
    )
    parser.add_argument("--static", action="store_true", help="check: only read, do not import specializations")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.record is not None and arguments.action != "drift":
        raise CliError(f"--record belongs to 'flagtree spec drift', not to {arguments.action}")
    if arguments.static and arguments.action != "check":
        raise CliError(f"--static belongs to 'flagtree spec check', not to {arguments.action}")
    tree = find_tree(arguments.root)
    view = View(
        *(tree, find_hook_points(tree.package)),
        None if tree.root is None else find_cpp_hook_points(tree.root),
        tree.choose(arguments.backend),
    )
    if arguments.action == "list":
        return _list(view, arguments.json)
    if arguments.record is not None:
        if tree.root is None:
            raise CliError(
                f"--record needs a checkout, {tree.package} is an installed package. Name one with --root DIR"
            )
        return _record(view, arguments.record, arguments.json)
    findings = list(_check(view, not arguments.static) if arguments.action == "check" else _drift(view))
    return _report(view, arguments, findings)


def _report(view: View, arguments: argparse.Namespace, findings: list[Finding]) -> int:
    bad = has_problem(findings)
    if arguments.json:
        names = [backend.name for backend in view.backends]
        print_json(f"spec {arguments.action}", not bad, backends=names, cpp=view.cpp is not None, findings=findings)
        return 1 if bad else 0
    print_findings(findings)
    if view.cpp is None:
        print(_NO_CPP)
    good = {
        "check": "every specialization is asked for and loaded",
        "drift": "no specialization is a copy, stale or incomplete",
    }
    return summary(findings, good[arguments.action])


# -- list -------------------------------------------------------------------------------------------------------------


def _list(view: View, as_json: bool) -> int:
    rows = list(_rows(view))
    if as_json:
        keys = ("kind", "name", "places", "used_by")
        print_json("spec list", True, cpp=view.cpp is not None, hook_points=[dict(zip(keys, row)) for row in rows])
        return 0
    print_table(
        ("kind", "hook point", "where", "used by"),
        [(kind, name, ", ".join(places), _users_text(users)) for kind, name, places, users in rows],
    )
    if view.cpp is None:
        print(_NO_CPP)
    return 0


def _users_text(users: dict[str, list[str]]) -> str:
    return "; ".join(f"{name}: {', '.join(what)}" if what else name for name, what in users.items()) or "-"


def _rows(view: View) -> Iterator[tuple[str, str, list[str], dict[str, list[str]]]]:
    """Kind, name, places in the trunk, and what each backend puts there."""
    python, native = view.python(), view.native()
    functions = {overlay.backend.name: overlay.functions() for overlay in python}
    for name, places in sorted(view.points.functions.items()):
        users: dict[str, list[str]] = {backend: [] for backend, names in functions.items() if name in names}
        yield "function", name, [view.where(place) for place in places], users
    for package, place in sorted(view.points.packages.items()):
        users = {}
        for overlay in python:
            files = [f.removeprefix(package + "/") for f in overlay.files if view.points.package_of(f) == package]
            if files:
                users[overlay.backend.name] = files
        yield "package", f"triton.{package.replace('/', '.')}", [view.where(place)], users
    if view.cpp is not None:
        macros = {overlay.backend.name: overlay.macros() for overlay in native}
        for name, places in sorted(view.cpp.macros.items()):
            users = {backend: [] for backend, names in macros.items() if name in names}
            yield "macro", name, [view.where(place) for place in places], users
        libraries = {overlay.backend.name: overlay.libraries() for overlay in native}
        for target in sorted({t for names in libraries.values() for t in names} & view.cpp.targets):
            users = {backend: [] for backend, names in libraries.items() if target in names}
            yield "library", target, [], users
        for path in sorted({path for overlay in native for path in overlay.replaced()}):
            yield "file", path, [path], {o.backend.name: [] for o in native if path in o.replaced()}


# -- check ------------------------------------------------------------------------------------------------------------


def _check(view: View, with_imports: bool) -> Iterator[Finding]:
    yield from _trunk_problems(view)
    yield from _marker_problems(view)
    for overlay in view.python():
        own = {path for path, state in read_lock(overlay.backend.spec).items() if state == OWN}
        yield from overlay.unknown_functions(view.points)
        yield from overlay.orphans(view.points, {path.removeprefix("triton/") for path in own})
        yield from overlay.left_out()
        if with_imports:
            yield from import_findings(overlay, view.points)
    if view.cpp is not None:
        for native in view.native():
            yield from native.problems(view.cpp)


def _trunk_problems(view: View) -> Iterator[Finding]:
    for place in view.points.unnamed:
        text = "a hook point whose name is no constant: it cannot be listed, and nobody can tell what it asks for"
        yield Finding(PROBLEM, view.where(place), text, "write the name as a string")
    for place, line in view.points.late:
        text = f"spec_path() comes too late: line {line} has already imported a module of the package"
        yield Finding(PROBLEM, view.where(place), text, "call spec_path(__path__) above that import")


def _marker_problems(view: View) -> Iterator[Finding]:
    """The generated module selects a backend whose specialization is not there."""
    file = view.tree.package / MARKER_NAME
    if not file.is_file():
        return
    marker = marker_values(file.read_bytes(), str(file))
    backend = marker["BACKEND"]
    folder = view.tree.package / "backends" / backend / "spec" / "triton"
    if marker["OVERLAY"] and not folder.is_dir():
        yield Finding(
            *(PROBLEM, view.tree.short(file)),
            f"it selects backend {backend!r} with a specialization, but {folder} does not exist",
            f"reinstall with FLAGTREE_BACKEND={backend}",
        )


# -- drift ------------------------------------------------------------------------------------------------------------


def _drift(view: View) -> Iterator[Finding]:
    for backend in view.backends:
        files, replaced = _all_files(view, backend)
        yield from drift(view.tree, backend.spec, files, replaced)
        yield from missing_names(PythonOverlay(view.tree, backend), view.points)


def _all_files(view: View, backend: BackendFolder) -> tuple[list[str], set[str]]:
    """All files of a specialization and those that replace a trunk file, by their paths below ``spec``."""
    overlay = PythonOverlay(view.tree, backend)
    files = [f"triton/{file}" for file in overlay.files]
    replaced = {f"triton/{file}" for file in overlay.replaced(view.points)}
    if view.cpp is not None:
        native = CppOverlay(view.tree, backend)
        files += native.files
        replaced |= set(native.replaced())
    return files, replaced


def _record(view: View, named: list[str], as_json: bool) -> int:
    remaining = {Path(name).resolve(): name for name in named}
    changed: dict[str, list[str]] = {}
    todo = []
    for backend in view.backends:
        files, replaced = _all_files(view, backend)
        chosen = {file for file in files if remaining.pop((backend.spec / file).resolve(), None) is not None}
        before, after = record(view.tree, backend.spec, files, replaced, chosen)
        todo.append((backend.spec, before, after))
        changed[backend.name] = sorted(p for p in {*before, *after} if before.get(p) != after.get(p))
    if remaining:
        known = [view.tree.short(b.spec / f) for b in view.backends for f in _all_files(view, b)[0]]
        wrong = next(iter(remaining.values()))
        raise CliError(f"{wrong} is no file of a specialization.{did_you_mean(wrong, known)}")
    for spec, before, after in todo:
        if before != after:
            write_lock(spec, after)
    if as_json:
        print_json("spec drift --record", True, changed=changed)
        return 0
    for name, paths in changed.items():
        print(f"{name}: {', '.join(paths) + ' recorded' if paths else 'nothing to record'}")
    return 0
