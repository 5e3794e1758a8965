"""The backends that this installation and this checkout know: built or not, active or not, and why not."""

from __future__ import annotations

import argparse

from ._installed import BackendState, backend_states, library, manifests
from ._output import CliError, add_json_option, did_you_mean, paint, print_json, print_table
from ._tree import find_tree

HELP = "which backends are known, built and active, and why the others are not"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; an alias is a name, too")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    tree = find_tree()
    states = _chosen(backend_states(tree), arguments.names)
    _, unreadable = manifests(tree)
    libtriton, no_library = library()
    broken = any(state.broken for state in states) or bool(unreadable) or libtriton is None
    if arguments.json:
        print_json("backends", not broken, backends=states, manifests_error=unreadable, libtriton_error=no_library)
        return 1 if broken else 0
    print_table(("backend", "built", "active", "what it is"), [_row(state) for state in states])
    for state in states:
        if state.reason:
            print(f"{state.name}: {state.reason}")
        if state.fix:
            print(f"  {paint('-> ' + state.fix, 'fix')}")
    if libtriton is None:
        print(f"libtriton cannot be imported, so no backend can compile: {no_library}")
        print(f"  {paint('-> flagtree doctor', 'fix')}")
    if unreadable:
        print(f"The checkout's manifests cannot be read: {unreadable}")
        print(f"  {paint('-> pip install -r requirements-build.txt, or correct the manifest', 'fix')}")
    return 1 if broken else 0


def _chosen(states: list[BackendState], names: list[str]) -> list[BackendState]:
    by_name = {alias: state for state in states for alias in (*state.aliases, state.name)}
    for name in names:
        if name not in by_name:
            known = ", ".join(state.name for state in states)
            raise CliError(f"there is no backend {name!r}.{did_you_mean(name, by_name)} Backends are: {known}")
    return [by_name[name] for name in dict.fromkeys(names)] if names else states


def _row(state: BackendState) -> tuple[str, str, str, str]:
    name = state.name + (f" ({', '.join(state.aliases)})" if state.aliases else "")
    built = "no" if not state.installed else "selected" if state.selected else "yes"
    if state.installed and state.native is False:
        built += ", Python only"
    return name, built, "default" if state.default else "yes" if state.active else "no", state.summary
