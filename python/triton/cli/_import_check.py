"""Whether the files of a specialization can be imported. Their code runs, so a child process does it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ._child import ask
from ._hooks import HookPoints
from ._output import NOTE, PROBLEM, Finding
from ._overlay import PythonOverlay

_CODE = "from triton.cli._try_overlay import main; main()"


def import_findings(overlay: PythonOverlay, points: HookPoints) -> Iterator[Finding]:
    """What goes wrong when the overlay's files are imported under the names that the trunk uses."""
    package = overlay.tree.package
    if not overlay.files or not (package / "cli" / "_try_overlay.py").is_file():
        return
    files = {_module_name(overlay.backend.name, file, points): file for file in overlay.files}
    request = {
        "name": overlay.backend.name,
        "overlay": str(overlay.root),
        "packages": _packages(overlay),
        "modules": sorted(files, key=lambda name: (not name.endswith(".spec.triton"), name)),  # the top module first
    }
    answer = ask(_CODE, json.dumps(request), path=[str(package.parent), *map(os.path.abspath, sys.path)])
    if answer.crash or answer.status:
        what = f"importing it in a child process: it {answer.crash}" if answer.crash else answer.last_line
        yield Finding(PROBLEM, overlay.tree.short(overlay.root), what, "import its files one by one to find the cause")
        return
    for failure in json.loads(answer.out.splitlines()[-1]):
        yield _finding(overlay, files[failure["module"]], failure)


def _finding(overlay: PythonOverlay, file: str, failure: dict[str, str]) -> Finding:
    subject = overlay.tree.short(overlay.root / file)
    built = any((overlay.tree.package / "_C").glob("libtriton.*"))
    if not built and "libtriton" in failure["error"]:
        text = "it was not imported: it needs libtriton, which is not built here"
        return Finding(NOTE, subject, text, "build it, then check again")
    name, _, line = failure["place"].rpartition(":")
    place = f" ({overlay.tree.short(Path(name))}:{line})" if name else ""
    return Finding(PROBLEM, subject, f"it cannot be imported: {failure['error']}{place}", "correct the file")


def _module_name(backend: str, file: str, points: HookPoints) -> str:
    """The trunk's name of a file that a hooked package loads, else its name below the backend."""
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package = points.package_of(file)
    if package is not None and file != f"{package}/__init__.py":
        return f"triton.{module}"
    top = f"triton.backends.{backend}.spec.triton"
    return top if file == "__init__.py" else f"{top}.{module}"


def _packages(overlay: PythonOverlay) -> dict[str, str]:
    """Folders of the backend that an editable installation would link into the package, if this one does not."""
    backend = overlay.backend
    found = {f"backends/{backend.name}": backend.package}
    if backend.folder is not None:
        found.update({f"language/extra/{f.name}": f for f in backend.folder.glob("language/*/") if any(f.glob("*.py"))})
    missing = {path: folder for path, folder in found.items() if not (overlay.tree.package / path).exists()}
    return {f"triton.{path.replace('/', '.')}": str(folder) for path, folder in missing.items()}
