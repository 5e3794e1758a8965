"""The backends of this installation and this checkout, and what each of them lacks."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ._output import NOTE, OK, PROBLEM, Finding
from ._tree import Tree

EDITABLE = "pip install --no-build-isolation -e ."


@dataclass(frozen=True)
class BackendState:
    """One backend. `installed`: its package is in this triton. `native`: its part of libtriton is there (None: it was
    not looked for, because libtriton cannot be imported). `active`: kernels can be launched. `reason` says why not."""

    name: str
    summary: str
    aliases: tuple[str, ...]
    target: str
    source: str
    installed: bool
    native: bool | None
    active: bool
    broken: bool
    selected: bool
    default: bool
    reason: str
    fix: str


def manifests(tree: Tree) -> tuple[Mapping[str, Any], str]:
    """The manifests of the checkout by name, and why they cannot be read, else an empty text."""
    if tree.root is None:
        return {}, ""
    try:
        registry = import_setup_tools("registry", tree)
    except ImportError as error:
        return {}, f"{error.name} is missing"
    errors = import_setup_tools("errors", tree)
    try:
        return registry.read_registry(tree.root, os.environ).manifests, ""
    except errors.BuildError as error:
        return {}, str(error)


def import_setup_tools(module: str, tree: Tree) -> Any:
    """A module of the checkout's build code. It is no part of an installation, and of a path only in editable ones."""
    import sys

    assert tree.root is not None
    folder = str(tree.root / "python")
    added = folder not in sys.path
    if added:
        sys.path.append(folder)
    try:
        return importlib.import_module(f"setup_tools.{module}")
    finally:
        if added:
            sys.path.remove(folder)


def library() -> tuple[Any, str]:
    """libtriton, or None and why it cannot be imported."""
    try:
        return importlib.import_module("triton._C.libtriton"), ""
    except ImportError as error:
        return None, str(error)


def backend_states(tree: Tree) -> list[BackendState]:
    """All backends that the checkout or the installation knows. Runs their `is_active`, which queries no device."""
    from triton.backends import backends

    known, _ = manifests(tree)
    libtriton, _ = library()
    default = default_backend()
    return [
        _state(name, tree, known.get(name), libtriton, default) for name in sorted({*known, *backends, *tree.backends})
    ]


def default_backend() -> str | None:
    """The backend that a launch would use now."""
    try:
        driver = importlib.import_module("triton.runtime.driver").driver.default
    except Exception:  # noqa: BLE001 - drivers are others' code; what is wrong is reported backend by backend
        return None
    from triton.backends import backends

    module = type(driver).__module__
    return next((name for name, b in backends.items() if module == f"{b.package}.driver"), None)


def _state(name: str, tree: Tree, manifest: Any, libtriton: Any, default: str | None) -> BackendState:
    from triton.backends import backends
    from triton.flagtree_spec import selected_backend

    table = getattr(manifest, "backend", None)
    folder = tree.backends.get(name)
    installed = name in backends
    active, broken, reason, fix = _activity(name) if installed else _absence(name, tree)
    return BackendState(
        name=name,
        summary=table.summary if table else _first_line(name) if installed and not broken else "",
        aliases=table.aliases if table else (),
        target=table.target if table else "",
        source=tree.short(folder.folder or folder.package) if folder else backends[name].package,
        installed=installed,
        native=None if libtriton is None else hasattr(libtriton, name),
        active=active,
        broken=broken,
        selected=selected_backend() == name,
        default=default == name,
        reason=reason,
        fix=fix,
    )


def _first_line(name: str) -> str:
    """What the driver's module says of itself: manifests are not installed."""
    from triton.backends import backends

    text = importlib.import_module(backends[name].driver.__module__).__doc__ or ""
    return text.strip().partition("\n")[0]


def _activity(name: str) -> tuple[bool, bool, str, str]:
    """Active, broken, why not, and what to do, for an installed backend."""
    from triton.backends import backends

    try:
        driver, _ = backends[name].driver, backends[name].compiler
        if driver.is_active():
            return True, False, "", ""
        return False, False, driver.inactive_reason(), ""
    except Exception as error:  # noqa: BLE001 - a broken backend must not keep the others from being shown
        text = f"its code fails: {type(error).__name__}: {error}"
        return False, True, text, f"repair {backends[name].package}, or remove that backend"


def _absence(name: str, tree: Tree) -> tuple[bool, bool, str, str]:
    command = EDITABLE if tree.root is not None else "pip install ."
    return False, False, "not built into this installation", f"FLAGTREE_BACKEND={name} {command}"


def backend_findings(tree: Tree) -> Iterator[Finding]:
    """For ``doctor``: what each backend lacks. A backend that is merely without its device is no problem."""
    states = backend_states(tree)
    wanted = os.environ.get("TRITON_DEFAULT_BACKEND")
    for state in states:
        if state.active:
            yield Finding(OK, state.name, "active" + (", the default" if state.default else ""))
        elif state.broken:
            yield Finding(PROBLEM, state.name, state.reason, state.fix)
        else:
            yield Finding(PROBLEM if state.name == wanted else NOTE, state.name, state.reason, state.fix)
    from ._output import did_you_mean

    names = [state.name for state in states]
    if wanted and wanted not in names:
        text = f"{wanted} is no backend.{did_you_mean(wanted, names)}"
        yield Finding(PROBLEM, "TRITON_DEFAULT_BACKEND", text, "correct it, or: unset TRITON_DEFAULT_BACKEND")
    if not any(state.active for state in states):
        yield Finding(PROBLEM, "backends", "none can launch kernels here", f"build one: {EDITABLE}")
