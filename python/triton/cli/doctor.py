"""Examines this installation and, in a checkout, what a build needs; every problem comes with what repairs it."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from triton._flagtree_addons import NO_ONES, UndecidedError
from triton._flagtree_addons import VARIABLE as SPECIALIZATION

from ._hooks import find_hook_points
from ._import_check import import_findings
from ._installed import EDITABLE, backend_findings, library, manifests
from ._marker import MARKER_NAME, marker_values
from ._output import (
    NOTE,
    OK,
    PROBLEM,
    CliError,
    Finding,
    add_json_option,
    has_problem,
    print_findings,
    print_json,
    size_text,
    summary,
    title,
)
from ._overlay import PythonOverlay
from ._toolchain import REQUIREMENTS, toolchain_findings
from ._tree import Tree, find_tree
from .cache import scan

HELP = "what is wrong with this installation or this machine, and the command that repairs it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--build", action="store_true", help="only what a build needs; only in a checkout")
    only.add_argument("--no-build", action="store_true", help="only the installation")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    tree = find_tree()
    if arguments.build and tree.root is None:
        raise CliError(
            f"--build: {tree.package} is an installed package. Run it in a checkout: python -m triton.cli doctor"
        )
    sections: dict[str, list[Finding]] = {}
    if not arguments.build:
        with _decided() as undecided:
            sections["installation"] = [*undecided, *installation_findings(tree)]
            rebuild = f"reinstall it; in a checkout: {EDITABLE}"
            sections["backends"] = list(_guarded("backends", rebuild, lambda: _backends(tree)))
            sections["caches"] = list(_guarded("caches", rebuild, cache_findings))
    if tree.root is not None and not arguments.no_build:
        sections["build"] = list(toolchain_findings(tree))
    findings = [finding for section in sections.values() for finding in section]
    if arguments.json:
        print_json("doctor", not has_problem(findings), package=tree.package, checkout=tree.root, sections=sections)
        return 1 if has_problem(findings) else 0
    for name, section in sections.items():
        title(name)
        print_findings(section)
    return summary(findings, "no problems")


@contextmanager
def _decided() -> Iterator[list[Finding]]:
    """Gives the problem of an open choice between specializations; all else is examined with none of them active."""
    from triton.flagtree_spec import activate

    before = os.environ.get(SPECIALIZATION)
    try:
        activate()
        problems = []
    except UndecidedError as error:
        choice = (*error.names, NO_ONES)[0]
        problems = [Finding(PROBLEM, "specialization", str(error), f"export {SPECIALIZATION}={choice}")]
        os.environ[SPECIALIZATION] = NO_ONES
    except Exception:  # noqa: BLE001 - found again, and reported, where the selected backend is looked at
        problems = []
    try:
        yield problems
    finally:
        if before is not None:
            os.environ[SPECIALIZATION] = before
        elif problems:
            del os.environ[SPECIALIZATION]


def installation_findings(tree: Tree) -> Iterator[Finding]:
    """Whose package ``triton`` is, its library, its FileCheck, its selected backend."""
    import triton

    rebuild = EDITABLE if tree.root is not None else "pip install --force-reinstall --no-deps flagtree"
    yield Finding(OK, "triton", f"{triton.__version__} in {tree.package}")
    yield from _guarded("distribution", rebuild, _owners)
    yield from _guarded("path", rebuild, lambda: _shadowed(tree.package))
    yield from _guarded("libtriton", rebuild, lambda: _library(rebuild))
    yield from _guarded("FileCheck", rebuild, lambda: _filecheck(rebuild))
    yield from _guarded("selected", rebuild, lambda: _selected(tree, rebuild))
    for link in sorted(tree.package.glob("backends/*")):
        if link.is_symlink() and not link.exists():
            yield Finding(PROBLEM, "links", f"{link} leads to {os.readlink(link)}, which does not exist", rebuild)


def _guarded(subject: str, fix: str, check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """What `check` finds; its failure is a finding, too: a broken installation must not stop its examination."""
    try:
        yield from check()
    except Exception as error:  # noqa: BLE001 - see above
        yield Finding(PROBLEM, subject, f"{type(error).__name__}: {error}", fix)


def _library(rebuild: str) -> Iterator[Finding]:
    module, why = library()
    if module is None:
        yield Finding(PROBLEM, "libtriton", why, rebuild)
    else:
        size = size_text(os.stat(module.__file__).st_size)
        yield Finding(OK, "libtriton", f"{Path(module.__file__).name}, {size}")


def _owners() -> Iterator[Finding]:
    """Distributions that installed files into ``triton/``; two that bring the package overwrite each other."""
    whole, added = {}, {}
    for distribution in importlib.metadata.distributions():
        name, part = distribution.metadata["Name"], _part_of_triton(distribution)
        if name and part:
            (whole if part == "all" else added).setdefault(name, distribution.version)
    for name, version in sorted(added.items()):
        yield Finding(OK, "distribution", f"{name} {version} adds backends to it")
    if len(whole) > 1:
        named = " and ".join(f"{name} {version}" for name, version in sorted(whole.items()))
        others = " ".join(sorted(name for name in whole if name != "flagtree"))
        fix = f"pip uninstall -y {others} && pip install --force-reinstall --no-deps flagtree"
        yield Finding(PROBLEM, "distribution", f"{named} both own the package triton and overwrite each other", fix)
    elif whole:
        yield Finding(OK, "distribution", " ".join(*whole.items()))
    else:
        yield Finding(NOTE, "distribution", "none owns this package: it is found through the path only")


def _part_of_triton(distribution: importlib.metadata.Distribution) -> str:
    """``all`` for a distribution that brings the package, ``some`` for one that adds to it, else empty.

    RECORD decides. An editable install lists no files of the package there, but names it.
    """
    files = (distribution.read_text("RECORD") or "").splitlines()
    if any(line.startswith("triton/__init__.py,") for line in files):
        return "all"
    if any(line.startswith("triton/") for line in files):
        return "some"
    return "all" if "triton" in (distribution.read_text("top_level.txt") or "").split() else ""


def _shadowed(package: Path) -> Iterator[Finding]:
    """Further packages called ``triton`` on the path; which one is imported depends on the order."""
    own = package.resolve()
    for entry in dict.fromkeys(sys.path):
        other = Path(entry or ".", "triton")
        if (other / "__init__.py").is_file() and other.resolve() != own:
            text = (
                f"there is another package triton in {other.resolve()}; this one is imported as long as it comes first"
            )
            yield Finding(PROBLEM, "path", text, "uninstall the other one, or remove its folder from PYTHONPATH")


def _filecheck(rebuild: str) -> Iterator[Finding]:
    from triton._filecheck import filecheck_path

    try:
        yield Finding(OK, "FileCheck", filecheck_path())
    except FileNotFoundError as error:
        yield Finding(NOTE, "FileCheck", str(error), rebuild)


def _selected(tree: Tree, rebuild: str) -> Iterator[Finding]:
    from triton import flagtree_spec

    name, overlay = flagtree_spec.selected_backend(), flagtree_spec.overlay_dir()
    if name is None:
        level = NOTE if tree.root is not None else PROBLEM
        text = f"no backend: {tree.package / MARKER_NAME} was not generated, so specializations have no effect"
        yield Finding(level, "selected", text, rebuild)
        return
    where = f", specialization in {overlay}" if overlay else ", without specialization"
    yield Finding(OK, "selected", name + where)
    if overlay and name in tree.backends:
        active = PythonOverlay(tree, tree.backends[name])
        for found in import_findings(active, find_hook_points(tree.package)):
            yield Finding(found.level, "specialization", f"{found.subject}: {found.text}", found.fix or rebuild)
    yield from _incomplete(tree, rebuild)


def _incomplete(tree: Tree, rebuild: str) -> Iterator[Finding]:
    """Backends that this installation was built with, but that are gone."""
    from triton.backends import backends

    file = tree.package / MARKER_NAME
    try:
        names = marker_values(file.read_bytes(), str(file))["BACKENDS"]
    except CliError as error:
        yield Finding(PROBLEM, "selected", str(error), rebuild)
        return
    for name in names:
        if name not in backends:
            text = f"it was built with backend {name!r}, but triton/backends/{name} is missing"
            yield Finding(PROBLEM, "selected", text, rebuild)


def _backends(tree: Tree) -> Iterator[Finding]:
    _, unreadable = manifests(tree)
    if unreadable:
        yield Finding(PROBLEM, "manifests", f"cannot be read: {unreadable}", f"correct them, or {REQUIREMENTS}")
    yield from backend_findings(tree)


def cache_findings() -> Iterator[Finding]:
    """The folder of compiled kernels, and those of dumps and overrides where they are in use."""
    from triton import knobs

    folders = {"kernels": (knobs.cache.dir, "TRITON_CACHE_DIR")}
    if knobs.compilation.dump_ir:
        folders["dumps"] = (knobs.cache.dump_dir, "TRITON_DUMP_DIR")
    if knobs.compilation.override:
        folders["overrides"] = (knobs.cache.override_dir, "TRITON_OVERRIDE_DIR")
    for name, (folder, variable) in folders.items():
        yield _folder(name, Path(folder), variable)


def _folder(name: str, folder: Path, variable: str) -> Finding:
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    fix = f"chown -R $USER {existing}, or set {variable} to a folder of your own"
    if not existing.is_dir():
        return Finding(PROBLEM, name, f"{folder}: {existing} is a file", f"remove it, or set {variable} to a folder")
    if not os.access(existing, os.W_OK | os.X_OK):
        return Finding(PROBLEM, name, f"{folder} is not writable: kernels are compiled again in every process", fix)
    if existing != folder:
        return Finding(OK, name, f"{folder}, not made yet")
    try:
        entries = list(scan(str(folder)))
    except CliError as error:
        return Finding(PROBLEM, name, str(error), fix)
    size = sum(entry.size for entry in entries)
    large = size > 10 << 30
    text = f"{folder}, writable, {len(entries)} kernels, {size_text(size)}"
    return Finding(NOTE if large else OK, name, text, "flagtree cache prune --older-than 30d" if large else "")
