"""The import machinery behind ``flagtree_spec``: how one backend's overlay takes part in ``import triton....``.

Three things need more than an entry in a package's ``__path__``:

* An overlay folder below a specialised package. Without ``__init__.py`` the import system would skip it, with one it
  would hide every trunk module beside it. Here its ``__init__.py`` replaces the trunk's only if it exists, and the
  package's search path always holds both folders.
* An overlay file may want the trunk's file whose place it has. That is a module ``_trunk_<name>`` beside it.
* An overlay file has two names: ``triton.tools.compile`` and, from inside the overlay,
  ``triton.backends.<b>.spec.triton.tools.compile``. Both must give one module object, or its classes exist twice.
"""

from __future__ import annotations

import importlib
import os
import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from types import ModuleType

_TRUNK = "_trunk_"  # begins the name of a replaced module


class Overlay:
    """The overlay of ``backend``: its files, its functions and its place in the import system."""

    def __init__(self, backend: str, package: str, triton_dir: str, marker_file: str, root: str | None = None):
        self.backend = backend
        self.package = package
        self.root = root or os.path.join(triton_dir, "backends", backend, "spec", "triton")
        self.module_name = f"{package}.backends.{backend}.spec.triton"
        if not os.path.isdir(self.root):
            raise ImportError(
                f"backend {backend!r} is selected by {marker_file}, but its specialization {self.root} does not exist. "
                f"The installation is incomplete or was built for another backend: reinstall with "
                f"FLAGTREE_BACKEND={backend}, or delete the first file to use the plain trunk."
            )
        self._finder = OverlayFinder(self)
        sys.meta_path.insert(0, self._finder)

    def files(self) -> list[str]:
        """All Python files; hidden ones, such as the links that editors use as locks, are no modules."""
        found = []
        for folder, subfolders, names in os.walk(self.root):
            subfolders[:] = [name for name in subfolders if name != "__pycache__"]
            found.extend(os.path.join(folder, name) for name in names if name.endswith(".py") and name[0] != ".")
        return sorted(found)

    def extend_path(self, package: str, path: list[str]) -> None:
        """Put the overlay's folder for ``package`` first in its ``__path__``, if the overlay has one."""
        folder = self.folder_of(package)
        if folder in path or not os.path.isdir(folder):
            return
        self._refuse_late_call(package, folder)
        path.insert(0, folder)
        self._finder.packages.add(package)

    def replaced(self, name: str) -> ModuleType:
        """The trunk's module whose place the overlay's has."""
        parent, _, leaf = name.rpartition(".")
        importlib.import_module(parent)
        try:
            return importlib.import_module(f"{parent}.{_TRUNK}{leaf}")
        except ModuleNotFoundError as error:
            if error.name != f"{parent}.{_TRUNK}{leaf}":
                raise
        raise ImportError(
            f"backend {self.backend!r}: replaced({name!r}): no file of {self.folder_of(parent)} replaces a "
            "trunk module of that name (packages are not replaced in this sense)",
            name=name,
        )

    def function(self, name: str):
        """The function ``name`` of the overlay's top module, or None."""
        top = self._top_module()
        value = getattr(top, name, None)
        if value is None or isinstance(value, ModuleType):
            if getattr(top.__spec__, "_initializing", False):
                raise ImportError(
                    f"backend {self.backend!r}: {name!r} was asked for while {top.__file__} is still being imported. "
                    f"That file imports a trunk module that needs its functions: move such imports into the functions."
                )
            return None
        if not callable(value):
            raise TypeError(
                f"backend {self.backend!r}: {name!r} in {top.__file__} is a {type(value).__name__}, not a function"
            )
        return value

    def folder_of(self, name: str) -> str:
        """The overlay's path, without suffix, for the trunk module or package ``name``."""
        return os.path.join(self.root, *name.split(".")[1:])

    def _top_module(self) -> ModuleType:
        module = sys.modules.get(self.module_name)
        if module is None:
            try:
                module = importlib.import_module(self.module_name)
            except Exception as error:
                raise ImportError(
                    f"backend {self.backend!r}: its specialization {os.path.join(self.root, '__init__.py')} "
                    f"failed to import: {type(error).__name__}: {error}{_circular_hint(error)}",
                    name=self.module_name,
                ) from error
        return module

    def _refuse_late_call(self, package: str, folder: str) -> None:
        for name, module in list(sys.modules.items()):
            if not name.startswith(package + ".") or "." in name[len(package) + 1 :]:
                continue
            replacement = os.path.join(folder, name[len(package) + 1 :])
            if os.path.isfile(replacement + ".py") or os.path.isdir(replacement):
                raise ImportError(
                    f"spec_path() of {package!r} comes too late: {name!r} is already imported from "
                    f"{getattr(module, '__file__', None)}, and backend {self.backend!r} specializes it in {folder}. "
                    f"Call spec_path(__path__) before the package's own imports.",
                    name=package,
                )


def _circular_hint(error: Exception) -> str:
    """What to do where a trunk module that asks for functions is needed by the file that has them."""
    if "partially initialized" not in str(error):
        return ""
    return ". A trunk module was asking for the backend's functions: import trunk modules inside of the functions"


class OverlayFinder:
    """Finds overlay modules below the packages that called ``spec_path``; everything else is left to others."""

    def __init__(self, overlay: Overlay):
        self.overlay = overlay
        self.packages: set[str] = set()
        self._prefix = overlay.package + "."
        self._second_name = overlay.module_name + "."

    def find_spec(self, name: str, path=None, target=None) -> ModuleSpec | None:
        if not name.startswith(self._prefix):
            return None
        if name.startswith(self._second_name):
            return self._find_by_second_name(name)
        return self._find(name)

    def _find(self, name: str) -> ModuleSpec | None:
        parent = name.rpartition(".")[0]
        if parent not in self.packages:
            return None
        leaf = name.rpartition(".")[2]
        if leaf.startswith(_TRUNK):
            return self._find_replaced(name, f"{parent}.{leaf.removeprefix(_TRUNK)}")
        base = self.overlay.folder_of(name)
        if os.path.isfile(base + ".py"):
            return self._spec_of_file(name, base + ".py")
        if not os.path.isdir(base):
            return None
        return self._find_package(name, parent, base)

    def _trunk_path(self, parent: str) -> list[str]:
        return [entry for entry in sys.modules[parent].__path__ if not entry.startswith(self.overlay.root)]

    def _find_replaced(self, name: str, original: str) -> ModuleSpec | None:
        """The trunk's file of module `original` under `name`, if the overlay replaces it."""
        if not os.path.isfile(self.overlay.folder_of(original) + ".py"):
            return None
        trunk = PathFinder.find_spec(original, self._trunk_path(original.rpartition(".")[0]))
        if trunk is None or trunk.origin is None or trunk.submodule_search_locations is not None:
            return None
        return spec_from_file_location(name, trunk.origin)

    def _find_package(self, name: str, parent: str, folder: str) -> ModuleSpec | None:
        trunk = PathFinder.find_spec(name, self._trunk_path(parent))
        init = os.path.join(folder, "__init__.py")
        if trunk is not None and trunk.submodule_search_locations is None and not os.path.isfile(init):
            return None  # the trunk has a module, the overlay a folder of that name without being a package
        trunk_folders = [] if trunk is None else list(trunk.submodule_search_locations or ())
        if os.path.isfile(init):
            found = self._spec_of_file(name, init)
        elif trunk is not None and trunk.loader is not None and trunk.origin is not None:
            found = trunk
        else:
            found = ModuleSpec(name, None, is_package=True)
        found.submodule_search_locations = [folder, *trunk_folders]
        self.packages.add(name)
        return found

    def _find_by_second_name(self, name: str) -> ModuleSpec | None:
        first_name = self._prefix + name[len(self._second_name) :]
        parent = first_name.rpartition(".")[0]
        if parent == self.overlay.package:
            return None  # the trunk's own modules are not replaced: this is the overlay's, under its only name
        try:
            importlib.import_module(parent)
        except ModuleNotFoundError as error:
            if error.name is None or not (parent + ".").startswith(error.name + "."):
                raise
            return None  # the trunk has no such package
        found = self._find(first_name)
        if found is None or not isinstance(found.loader, OverlayLoader):
            return None
        return ModuleSpec(name, SecondNameLoader(first_name), origin=found.origin)

    def _spec_of_file(self, name: str, file: str) -> ModuleSpec:
        spec = spec_from_file_location(name, file, loader=OverlayLoader(name, file, self.overlay.backend))
        assert spec is not None
        return spec


class OverlayLoader(SourceFileLoader):
    """Loads one overlay file; an exception from it says which backend's file it was."""

    def __init__(self, name: str, file: str, backend: str):
        super().__init__(name, file)
        self._backend = backend

    def exec_module(self, module: ModuleType) -> None:
        try:
            super().exec_module(module)
        except Exception as error:
            if sys.version_info >= (3, 11):
                error.add_note(f"raised by backend {self._backend!r}, which specializes {self.name!r} in {self.path}")
            raise


class SecondNameLoader(Loader):
    """Gives the module that is already known by its trunk name."""

    def __init__(self, first_name: str):
        self._first_name = first_name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self._first_name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import system has just overwritten it with that of the second name
