"""Where the trunk asks the selected backend for its differences.

A backend that differs from the trunk in Python keeps only the difference, in an *overlay*: a folder that mirrors this
package and is installed as ``triton/backends/<backend>/spec/triton``. The trunk reaches it in three ways:

``spec_path(__path__)``
    in a trunk package's ``__init__.py``, before its relative imports: from then on a module that the overlay has wins
    over the trunk's module of that name. Everything else still comes from the trunk.
``spec("name", *args)``
    calls the backend's function ``name``, if it has one.
``spec_func("name")``
    returns the backend's function ``name``, or None.

A file of the overlay that changes little of a long module takes the rest from ``replaced("triton.tools.compile")``, the
trunk's module whose place it has.

Functions are looked up in the overlay's top module, ``spec/triton/__init__.py``. ``has_spec("name")`` tells "the
backend has no such function" from "the function returned None":

    if has_spec("grid_limit"):
        limit = spec("grid_limit", device)      # None is an answer here
    else:
        limit = DEFAULT_LIMIT

Which backend is selected is written at build time into the generated module ``triton._flagtree_backend``. An add-on
that was installed beside this package may be it, too: ``_flagtree_addons`` has the rule. Without both (a source tree
that was never built) nothing is selected and all of this does nothing, quietly. Nothing else is quiet: a selected
backend whose overlay is missing, and every exception of the backend's code, are raised.

The trunk's packages run this file when they are imported, so it imports next to nothing; the import machinery is in
``_flagtree_overlay``, which is loaded only if the selected backend has an overlay.
"""

import _thread
import os
import sys

__all__ = [
    "activate",
    "backend_aliases",
    "check_addon",
    "has_spec",
    "overlay_dir",
    "overlay_files",
    "replaced",
    "selected_backend",
    "spec",
    "spec_func",
    "spec_path",
]

_TRITON_DIR = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = __name__.rpartition(".")[0]  # "triton"
_MARKER = f"{_PACKAGE}._flagtree_backend"

_overlay = None  # _flagtree_overlay.Overlay of the selected backend, None if it has none
_overlay_is_known = False
_lock = _thread.RLock()


def selected_backend() -> str | None:
    """Name of the backend whose specialization is active, else of the one that this package was built for.

    None in a source tree that was never built.
    """
    overlay = _active_overlay()
    if overlay is not None:
        return overlay.backend
    marker = _marker()
    return None if marker is None else marker.BACKEND


def backend_aliases() -> dict[str, str]:
    """Further names of the backends of this installation, each with the backend that it stands for."""
    found = dict(getattr(_marker(), "ALIASES", {}))
    for addon in _addons():
        for alias, name in addon.ALIASES.items():
            found.setdefault(alias, name)
    return found


def check_addon(name: str) -> None:
    """Raise ImportError where backend ``name`` is an add-on that was made for another release line of this package."""
    for addon in _addons():
        if name == addon.BACKEND:
            from ._flagtree_addons import check_version

            check_version(addon, _PACKAGE)


def activate() -> None:
    """Give the overlay its place in the import system, if there is one.

    Every function here does that. The package that holds the backends does it at once: backend code may import a file
    of its overlay by the name below that package before the trunk has asked for anything.
    """
    _active_overlay()


def overlay_dir() -> str | None:
    """Folder that mirrors the trunk for the selected backend; None if the backend has none."""
    overlay = _active_overlay()
    return None if overlay is None else overlay.root


def overlay_files() -> list[str]:
    """Every Python file of the active overlay, sorted, in folders with and without ``__init__.py``.

    They take part in compilation, so they belong into the key of the kernel cache.
    """
    overlay = _active_overlay()
    return [] if overlay is None else overlay.files()


def spec_path(path: list[str]) -> None:
    """Let the backend's overlay come first in a trunk package's module search.

    ``path`` is the ``__path__`` of the calling package, which must be a package below ``triton``.

    Raises ImportError when the package has already imported a module that the overlay replaces, ValueError when the
    caller is not such a package.
    """
    caller = sys._getframe(1).f_globals
    package = caller.get("__name__", "")
    if caller.get("__path__") is not path or not package.startswith(_PACKAGE + "."):
        raise ValueError(
            f"spec_path() was called from {package!r}. It takes the __path__ of the package that calls it, and that "
            f"package must lie below {_PACKAGE!r} (not {_PACKAGE!r} itself: it is the parent of the backends)."
        )
    overlay = _active_overlay()
    if overlay is not None:
        overlay.extend_path(package, path)


def replaced(name: str):
    """The trunk's module whose place the overlay's module ``name`` has; only for files of the overlay.

    Raises ImportError where the overlay has no such file or the trunk no such module.
    """
    overlay = _active_overlay()
    if overlay is None:
        raise ImportError(f"replaced({name!r}): no specialization is active, so nothing is replaced")
    return overlay.replaced(name)


def spec_func(name: str):
    """Return the selected backend's function ``name``, or None if it defines none."""
    overlay = _active_overlay()
    return None if overlay is None else overlay.function(name)


def has_spec(name: str) -> bool:
    """Tell whether the selected backend defines a function ``name``."""
    return spec_func(name) is not None


def spec(name: str, *args, **kwargs):
    """Call the selected backend's function ``name`` and return its result; None if it defines none.

    0, False and empty results are results: use ``has_spec`` rather than ``spec(...) or default``.
    """
    function = spec_func(name)
    return None if function is None else function(*args, **kwargs)


def _marker():
    """The generated module that names the selected backend, or None where it was not generated."""
    try:
        __import__(_MARKER)
    except ModuleNotFoundError as error:
        if error.name != _MARKER:
            raise
        return None
    except (NameError, SyntaxError, ValueError) as error:
        raise _damaged_marker() from error
    marker = sys.modules[_MARKER]
    if not (hasattr(marker, "BACKEND") and hasattr(marker, "OVERLAY")):
        raise _damaged_marker()
    return marker


def _damaged_marker() -> ImportError:
    return ImportError(
        f"{_TRITON_DIR}/{_MARKER.rpartition('.')[2]}.py, which names the backend this package was built for, is "
        "damaged: it must set BACKEND and OVERLAY. Install FlagTree again, or build the checkout again."
    )


def _addons() -> list:
    """The generated modules of the backends that other distributions put beside this package's."""
    folder = os.path.join(_TRITON_DIR, "backends")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    files = [os.path.join(folder, name, "_flagtree_addon.py") for name in names]
    files = [file for file in files if os.path.exists(file)]
    if not files:
        return []
    from ._flagtree_addons import load

    return [load(file) for file in files]


def _active_overlay():
    global _overlay, _overlay_is_known
    if not _overlay_is_known:
        with _lock:  # two threads must not make two overlays: each would know half of the packages
            if not _overlay_is_known:
                _overlay = _make_overlay()
                _overlay_is_known = True
    return _overlay


def _make_overlay():
    marker, addons = _marker(), _addons()
    if addons or os.environ.get("FLAGTREE_SPECIALIZATION"):
        from ._flagtree_addons import choose

        marker = choose(marker, addons, _PACKAGE)
    if marker is None or not marker.OVERLAY:
        return None
    from ._flagtree_overlay import Overlay

    # `flagtree spec check` tries specializations that are not installed: its marker says where they are.
    root = getattr(marker, "OVERLAY_DIR", None)
    return Overlay(marker.BACKEND, _PACKAGE, _TRITON_DIR, str(marker.__file__), root)
