"""The backends of this installation, by name: ``backends["cpu"].compiler`` and ``.driver`` are classes.

They are entry points of group ``triton.backends`` (each value a package with modules `compiler` and `driver`) and the
packages in this folder. Finding them imports nothing of theirs; using one imports its modules.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from triton.flagtree_spec import activate, check_addon

from .compiler import BaseBackend, GPUTarget
from .driver import DriverBase

activate()

_GROUP = "triton.backends"
_METADATA_FOLDERS = (".dist-info", ".egg-info")


def _concrete_subclass(module: ModuleType, base: type) -> type:
    """The one class of `module` that implements `base`."""
    found = [
        member
        for member in vars(module).values()
        if inspect.isclass(member)
        and issubclass(member, base)
        and member is not base
        and not inspect.isabstract(member)
    ]
    own = [member for member in found if member.__module__ == module.__name__] or found
    if len(own) != 1:
        names = ", ".join(sorted(member.__name__ for member in own)) or "none"
        raise RuntimeError(
            f"{module.__name__}: expected exactly one concrete subclass of {base.__name__}, found {names}"
        )
    return own[0]


class Backend:
    """A backend that was found. Its modules are imported when `compiler` or `driver` is read."""

    def __init__(self, name: str, package: str):
        self.name = name
        self.package = package
        self._classes: dict[str, type] = {}

    def _load(self, part: str, base: type) -> type:
        if part not in self._classes:
            check_addon(self.name)
            self._classes[part] = _concrete_subclass(importlib.import_module(f"{self.package}.{part}"), base)
        return self._classes[part]

    @property
    def compiler(self) -> type[BaseBackend]:
        return self._load("compiler", BaseBackend)

    @property
    def driver(self) -> type[DriverBase]:
        return self._load("driver", DriverBase)

    def __repr__(self) -> str:
        return f"Backend({self.name!r}, {self.package!r})"


def _in_tree() -> dict[str, str]:
    """Packages in this folder (in a checkout, links to ``third_party/<name>/backend``)."""
    found = {}
    for entry in sorted(os.scandir(os.path.dirname(__file__)), key=lambda e: e.name):
        if entry.is_dir() and os.path.exists(os.path.join(entry.path, "driver.py")):
            found[entry.name] = f"{__name__}.{entry.name}"
    return found


def _entry_points() -> dict[str, str]:
    """Entry points of the group in all distributions on `sys.path`; the first of a name wins.

    Reads the files itself: `importlib.metadata` would take longer to import than everything else before the first
    launch of a process.
    """
    found: dict[str, str] = {}
    standard = _folders_of_the_standard_library()
    for folder in sys.path:
        if folder in standard:
            continue
        folder = folder or "."
        try:
            names = [name for name in os.listdir(folder) if name.endswith(_METADATA_FOLDERS)]
        except OSError:  # not there, or an archive
            continue
        owners = []
        for name in sorted(names):
            try:
                with open(f"{folder}/{name}/entry_points.txt", "rb", buffering=0) as file:
                    content = file.read()
            except OSError:  # most distributions have none
                continue
            if f"[{_GROUP}]".encode() in content:
                for key, value in _section(content.decode()).items():
                    found.setdefault(key, value)
                if _owns_package(os.path.join(folder, name)):
                    owners.append(name.rpartition(".")[0])
        if len(owners) > 1:
            _warn_of_owners(folder, owners)
    return found


def _folders_of_the_standard_library() -> tuple[str, ...]:
    """Folders of hundreds of files, where a Python that has a folder for distributions keeps none of them."""
    folder = os.path.dirname(os.__file__)
    if not os.path.isdir(os.path.join(folder, "site-packages")):
        return ()
    return folder, os.path.join(folder, "lib-dynload")


def _owns_package(metadata: str) -> bool:
    """Whether the distribution installed the package itself; add-ons have only parts of it."""
    try:
        with open(os.path.join(metadata, "RECORD"), encoding="utf-8") as file:
            return any(line.startswith("triton/__init__.py,") for line in file)
    except OSError:  # not installed by a tool that records it
        return False


def _warn_of_owners(folder: str, owners: list[str]) -> None:
    names = " ".join(owner.partition("-")[0] for owner in owners)
    warnings.warn(
        f"triton: {' and '.join(owners)} in {folder} both own the package triton, so its files are a mixture of them. "
        f"Keep one: pip uninstall {names}, then install that one again",
        stacklevel=2,
    )


def _section(text: str) -> dict[str, str]:
    """The lines of section `_GROUP` in the text of an entry_points.txt."""
    import configparser

    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    parser.optionxform = str
    parser.read_string(text)
    return dict(parser[_GROUP])


def _importable(package: str) -> bool:
    if package in sys.modules:
        return True
    try:
        return importlib.util.find_spec(package) is not None
    except ImportError:
        return False


def _discover() -> dict[str, Backend]:
    """Packages in this folder win over entry points of the same name: they belong to this very installation."""
    packages = _in_tree()
    if os.environ.get("TRITON_BACKENDS_IN_TREE", "") != "1":
        for name, package in _entry_points().items():
            if name in packages:
                continue
            if _importable(package):
                packages[name] = package
            else:
                # The package of an add-on lies in this very folder, which another environment's or a checkout's is not.
                place = f" (add-ons belong into {__path__[0]})" if package.startswith(f"{__name__}.") else ""
                warnings.warn(
                    f"triton: backend {name!r} is skipped: entry point {name} = {package} of group {_GROUP} names a "
                    f"package that cannot be imported{place}. Reinstall or remove the distribution that declares it",
                    stacklevel=2,
                )
    return {name: Backend(name, package) for name, package in packages.items()}


class Backends(Mapping):
    """Read-only mapping of names to `Backend`s, filled at first use."""

    def __init__(self) -> None:
        self._found: dict[str, Backend] | None = None
        self._reported: set[str] = set()
        self._lock = threading.Lock()

    def _all(self) -> dict[str, Backend]:
        if self._found is None:
            with self._lock:
                if self._found is None:
                    self._found = _discover()
        return self._found

    def for_target(self, target: GPUTarget) -> tuple[list[Backend], dict[str, str]]:
        """The backends that compile for `target`, and those whose compiler cannot be imported, each with the reason.

        The latter are skipped, with a warning at the first time: they must not keep the others from working.
        """
        fitting, broken = [], {}
        for backend in self._all().values():
            try:
                if backend.compiler.supports_target(target):
                    fitting.append(backend)
            except Exception as error:  # noqa: BLE001 - another's code; named in the warning
                broken[backend.name] = f"{type(error).__name__}: {error}"
        for name in broken.keys() - self._reported:
            self._reported.add(name)
            warnings.warn(
                f"triton: backend {name!r} is skipped, its compiler fails: {broken[name]}. Repair or remove "
                f"{self._all()[name].package}",
                RuntimeWarning,
                stacklevel=3,
            )
        return fitting, broken

    def __getitem__(self, name: str) -> Backend:
        try:
            return self._all()[name]
        except KeyError:
            known = ", ".join(self._all()) or "none"
            raise KeyError(f"no backend {name!r} in this installation; it has: {known}") from None

    def __contains__(self, name: Any) -> bool:
        return name in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"Backends({list(self._all().values())})"


backends = Backends()
