"""The backends of this installation and this checkout, and what each of them lacks."""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._child import ask
from ._elf import full_size
from ._output import NOTE, OK, PROBLEM, CliError, Finding, did_you_mean
from ._tree import Tree, running_package

_LIBRARY = "triton._C.libtriton"
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
    """libtriton, or None and why it cannot be imported.

    A child process tries it first: loading a damaged library can end a process. Afterwards nothing here can load it.
    """
    crash = _library_crash(str(running_package()))
    if crash:
        sys.modules[_LIBRARY] = None  # type: ignore[assignment]  # imports of it raise ImportError now
        return None, crash
    try:
        return importlib.import_module(_LIBRARY), ""
    except ImportError as error:
        return None, str(error)


@functools.cache
def _library_crash(package: str) -> str:
    """How importing libtriton ends a process, if it does; with what is wrong with the file, if that can be seen."""
    if _LIBRARY in sys.modules:
        return ""
    for file in sorted(Path(package, "_C").glob("libtriton.*")):
        with file.open("rb") as opened:
            wanted, size = full_size(opened.read(4096)), file.stat().st_size
        if size < wanted:
            return f"{file} is truncated: it has {size} bytes, its headers speak of {wanted}"
    crash = ask(f"import {_LIBRARY}").crash
    return (
        f"a process that imports it {crash}: the file is damaged, or was built for another processor" if crash else ""
    )


def backend_states(tree: Tree) -> list[BackendState]:
    """All backends that the checkout or the installation knows. Runs their `is_active`, which queries no device."""
    backends = installed_backends()
    known, _ = manifests(tree)
    libtriton, _ = library()
    default = default_backend()
    return [
        _state(name, tree, known.get(name), libtriton, default) for name in sorted({*known, *backends, *tree.backends})
    ]


def installed_backends() -> Mapping[str, Any]:
    """``triton.backends.backends``. CliError where they cannot be imported: a damaged marker, an open choice."""
    try:
        from triton.backends import backends
    except ImportError as error:
        raise CliError(str(error)) from None
    return backends


def selected_backend_or_none() -> str | None:
    """The selected backend; None also where several specializations leave the choice open, which ``doctor`` reports."""
    from triton.flagtree_spec import selected_backend

    try:
        return selected_backend()
    except ImportError:
        return None


def default_backend() -> str | None:
    """The backend that a launch would use now."""
    try:
        driver = importlib.import_module("triton.runtime.driver").driver.default
    except Exception:  # noqa: BLE001 - drivers are others' code; what is wrong is reported backend by backend
        return None
    from triton.backends import backends

    module = type(driver).__module__
    return next((name for name, b in backends.items() if module == f"{b.package}.driver"), None)


def aliases_or_none() -> dict[str, str]:
    """Further names of installed backends; none where the generated module that has them is damaged."""
    from triton.flagtree_spec import backend_aliases

    try:
        return backend_aliases()
    except ImportError:
        return {}  # what is wrong is said of the selected backend


def _state(name: str, tree: Tree, manifest: Any, libtriton: Any, default: str | None) -> BackendState:
    from triton.backends import backends

    table = getattr(manifest, "backend", None)
    folder = tree.backends.get(name)
    installed = name in backends
    active, broken, reason, fix = _activity(name) if installed else _absence(name, tree)
    return BackendState(
        name=name,
        summary=table.summary if table else _first_line(name) if installed and not broken else "",
        aliases=table.aliases if table else tuple(a for a, of in aliases_or_none().items() if of == name),
        target=table.target if table else "",
        source=tree.short(folder.folder or folder.package) if folder else backends[name].package,
        installed=installed,
        native=None if libtriton is None else hasattr(libtriton, name),
        active=active,
        broken=broken,
        selected=selected_backend_or_none() == name,
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
    yield from _incomplete_folders(tree)
    states = backend_states(tree)
    known, _ = manifests(tree)
    chosen = os.environ.get("TRITON_DEFAULT_BACKEND")
    aliases = aliases_or_none()
    wanted = aliases.get(chosen or "", chosen)
    for state in states:
        if state.active:
            yield Finding(OK, state.name, "active" + (", the default" if state.default else ""))
        elif state.broken:
            yield Finding(PROBLEM, state.name, state.reason, state.fix)
        else:
            yield Finding(PROBLEM if state.name == wanted else NOTE, state.name, state.reason, state.fix)
        if not state.installed and state.name in known:
            yield from _absent_places(known[state.name])
        if state.installed and not state.broken:
            yield from _lacking(state.name, needed=state.active or state.name == wanted)
    names = [state.name for state in states]
    if chosen and wanted not in names:
        text = f"{chosen} is no backend.{did_you_mean(chosen, [*names, *aliases])}"
        yield Finding(PROBLEM, "TRITON_DEFAULT_BACKEND", text, "correct it, or: unset TRITON_DEFAULT_BACKEND")
    if not any(state.active for state in states):
        fix = f"build one: {EDITABLE}" if tree.root is not None else "install FlagTree again"
        yield Finding(PROBLEM, "backends", "none can launch kernels here", fix)


def _incomplete_folders(tree: Tree) -> Iterator[Finding]:
    """Folders of backends without the modules that every backend has: the runtime does not see them at all."""
    for folder in sorted(tree.package.glob("backends/*/")):
        missing = [part for part in ("compiler.py", "driver.py") if not (folder / part).is_file()]
        if missing and any(folder.glob("*.py")):
            text = f"{folder} is no backend: it has no {' and no '.join(missing)}"
            yield Finding(PROBLEM, folder.name, text, f"add what is missing, or remove {folder}")


def _absent_places(manifest: Any) -> Iterator[Finding]:
    """Folders and files that a backend, once it is built, would look for in vain: its code cannot be asked yet."""
    for variable in manifest.environment:
        place = os.environ.get(variable.name) or variable.default
        if variable.type == "path" and place and not os.path.exists(os.path.expanduser(place)):
            text = f"{place} does not exist ({variable.name}: {variable.meaning})"
            yield Finding(NOTE, manifest.name, text, f"install it, or set {variable.name}")


def _lacking(name: str, needed: bool) -> Iterator[Finding]:
    """What compiling for a backend needs and this machine does not have."""
    from triton.backends import backends

    try:
        lacks = list(backends[name].compiler.missing())
    except Exception as error:  # noqa: BLE001 - another's code
        yield Finding(PROBLEM, name, f"asking what it lacks fails: {type(error).__name__}: {error}", "repair it")
        return
    for what, fix in lacks:
        yield Finding(PROBLEM if needed else NOTE, name, what, fix)
