"""Fetches the archives that backends need for their build (``[[artifacts]]`` in backend.toml) into the cache.

Without BACKEND: those of the backends that a build would now have (FLAGTREE_BACKEND), else of the named ones and their
companions. What the cache already has, whole, is not fetched again. Works in a checkout; docs/build.md has more.

--export and --import carry the archives to a machine without network, in one file.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from ._installed import import_setup_tools
from ._output import CliError, add_json_option, print_json, print_table, size_text
from ._tree import Tree, checkout_of, find_tree

HELP = "download what backends need for their build; carry it to machines without network"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("backends", nargs="*", metavar="BACKEND", help="backends, by name or alias")
    parser.add_argument("--all", action="store_true", help="of every backend of the checkout")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="fetch nothing, say what is there; status 1 if not all is")
    what.add_argument("--export", metavar="FILE", help="also write all archives into FILE")
    what.add_argument("--import", metavar="FILE", dest="import_", help="take the archives from FILE, use no network")
    parser.add_argument("--platform", help="for another machine, for example linux-aarch64")
    parser.add_argument("--root", metavar="DIR", help="checkout to work for")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.all and arguments.backends:
        raise CliError("--all is every backend; do not name any")
    tree = _checkout(arguments.root)
    try:
        errors = import_setup_tools("errors", tree)
        inputs, bundle = import_setup_tools("inputs", tree), import_setup_tools("bundle", tree)
    except ImportError as error:
        raise CliError(f"{error.name} is missing: pip install -r {tree.root}/requirements-build.txt") from None
    try:
        project = import_setup_tools("project", tree).load_project(tree.root, os.environ)
        if arguments.import_:
            return _import(arguments, project, inputs, bundle)
        needed = _needed(arguments, project, tree)
        if arguments.check:
            return _check(needed, inputs.cache_of(project, print), arguments.json)
        return _fetch(arguments, project, needed, inputs, bundle)
    except errors.BuildError as error:
        raise CliError(str(error)) from None


def _checkout(root: str | None) -> Tree:
    """The checkout of --root, of the running package, or the one that the current folder is in."""
    tree = find_tree(root)
    if tree.root is None:
        here = Path.cwd()
        found = next((f for f in (here, *here.parents) if checkout_of(f / "python" / "triton")), None)
        if found is None:
            raise CliError(
                f"{tree.package} is an installed package and {here} is in no checkout: only builds need artifacts. "
                "Name a checkout with --root"
            )
        tree = find_tree(str(found))
    return tree


def _needed(arguments: argparse.Namespace, project: Any, tree: Tree) -> list[Any]:
    """Artifacts of the backends that are asked for, each once."""
    artifacts = import_setup_tools("artifacts", tree)
    if arguments.all:
        manifests = list(project.registry.manifests.values())
    elif arguments.backends:
        chosen = [project.registry.select(name).backends for name in arguments.backends]
        manifests = list({manifest.name: manifest for backends in chosen for manifest in backends}.values())
    else:
        manifests = project.assembly.selection.backends
    return artifacts.needed_artifacts(manifests, arguments.platform)


def _fetch(arguments: argparse.Namespace, project: Any, needed: list[Any], inputs: Any, bundle: Any) -> int:
    source = inputs.source_of(project)
    terminal = Terminal()
    cache = inputs.cache_of(project, terminal.say)
    rows = []
    for entry in needed:
        folder = inputs.fetch_one(entry, cache, source, terminal.progress, need_archive=bool(arguments.export))
        rows.append({"artifact": entry.label, "size": entry.artifact.size, "folder": str(folder)})
    if arguments.export:
        bundle.export_bundle(Path(arguments.export), needed, cache)
    if arguments.json:
        print_json("fetch", True, artifacts=rows, bundle=arguments.export)
        return 0
    for row in rows:
        print(f"{row['artifact']}  {row['folder']}")
    if arguments.export:
        print(f"wrote {arguments.export}, {size_text(os.stat(arguments.export).st_size)}")
    elif not rows:
        print("the build needs no artifacts")
    return 0


def _check(needed: list[Any], cache: Any, json: bool) -> int:
    rows = []
    for entry in needed:
        state = cache.state(entry.artifact)
        rows.append({"artifact": entry.label, "state": state.kind, "usable": state.usable, "reason": state.text})
    usable = all(row["usable"] for row in rows)
    if json:
        print_json("fetch", usable, artifacts=rows)
    elif rows:
        print_table(("artifact", "state", "reason"), [(row["artifact"], row["state"], row["reason"]) for row in rows])
    else:
        print("the build needs no artifacts")
    return 0 if usable else 1


def _import(arguments: argparse.Namespace, project: Any, inputs: Any, bundle: Any) -> int:
    if arguments.backends or arguments.all or arguments.platform:
        raise CliError("--import takes everything that the file holds; do not name backends or a platform")
    cache = inputs.cache_of(project, Terminal().say)
    names = bundle.import_bundle(Path(arguments.import_), cache)
    if arguments.json:
        print_json("fetch", True, imported=names)
    else:
        print("\n".join(f"imported {name}" for name in names) or "the file holds no archives")
    return 0


class Terminal:
    """Messages on standard error and, where that is a terminal, one line below them that says how far a transfer is."""

    _SECONDS_BETWEEN = 0.1

    def __init__(self) -> None:
        self._last = 0.0

    def say(self, text: str) -> None:
        print(text, file=sys.stderr)

    def progress(self, done: int, total: int) -> None:
        now = time.monotonic()
        if sys.stderr.isatty() and (now - self._last > self._SECONDS_BETWEEN or done == total):
            self._last = now
            text = f"{size_text(done)} of {size_text(total)}, {100 * done // total} %"
            # The last one leaves an empty line for what comes next.
            print(f"\r\033[K{'' if done == total else text}", end="", file=sys.stderr, flush=True)
