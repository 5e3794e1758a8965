"""Imports a specialization as an installation for its backend would. Runs in a child process: backend code is run.

    python -c "from triton.cli._try_overlay import main; main()" REQUEST

REQUEST is JSON: the backend's ``name``, the folder of its ``overlay``, the ``modules`` to import, and ``packages``, the
folders of packages that this installation or checkout does not hold under their name. The last line printed is a JSON
list with ``module``, ``error`` and ``place`` of each that failed.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
import types
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from typing import Any


class PackageFinder:
    """Finds packages in folders that have another name, as a link would."""

    def __init__(self, folders: dict[str, str]):
        self._folders = folders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        folder = self._folders.get(name)
        if folder is None:
            return None
        init = os.path.join(folder, "__init__.py")
        return spec_from_file_location(name, init, submodule_search_locations=[folder])


def select(name: str, overlay: str) -> None:
    """Makes `name` the backend that this process's package was built for. Before ``triton.flagtree_spec`` is loaded."""
    marker = types.ModuleType("triton._flagtree_backend")
    marker.__file__ = overlay
    vars(marker).update(BACKEND=name, OVERLAY=True, BACKENDS=(name,), OVERLAY_DIR=overlay)
    sys.modules[marker.__name__] = marker


def failures(modules: list[str], overlay: str) -> list[dict[str, str]]:
    """What each of `modules` raises when it is imported."""
    found = []
    for module in modules:
        try:
            importlib.import_module(module)
        except BaseException as error:  # noqa: BLE001 - SystemExit of a script, too
            found.append({"module": module, "error": _text(error), "place": _place(error, overlay)})
    return found


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _place(error: BaseException, overlay: str) -> str:
    """The innermost line of the specialization that took part, ``FILE:LINE``."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if os.path.realpath(f.filename).startswith(overlay)]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def main() -> None:
    request = json.loads(sys.argv[1])
    for variable in ("TRITON_DEFAULT_BACKEND", "TRITON_INTERPRET"):
        os.environ.pop(variable, None)
    os.environ["FLAGTREE_SPECIALIZATION"] = request["name"]  # add-ons may be installed, too
    sys.meta_path.insert(0, PackageFinder(request["packages"]))  # type: ignore[arg-type]
    select(request["name"], request["overlay"])
    print("\n" + json.dumps(failures(request["modules"], os.path.realpath(request["overlay"]))))
