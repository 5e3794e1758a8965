"""The CPythons of this machine that wheels can be built for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

SUPPORTED = tuple((3, minor) for minor in range(10, 15))
# Asked of every candidate: what it is, and whether the header is there that extension modules include.
_QUESTION = """
import json, os, platform, sys, sysconfig
print(json.dumps({
    "executable": os.path.realpath(sys.executable), "version": sys.version_info[:3],
    "implementation": platform.python_implementation(),
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "headers": os.path.isfile(os.path.join(sysconfig.get_path("include"), "Python.h")),
}))
"""


@dataclass(frozen=True)
class Python:
    """An interpreter: real path, version such as (3, 12, 1), and tag such as cp312."""

    executable: Path
    version: tuple[int, int, int]

    @property
    def line(self) -> str:
        return f"{self.version[0]}.{self.version[1]}"

    @property
    def tag(self) -> str:
        return f"cp{self.line.replace('.', '')}"

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.version))} ({self.executable})"


def find_pythons(environ: Mapping[str, str]) -> tuple[list[Python], list[str]]:
    """One interpreter for each supported version, the newest of its line, and why others cannot be used."""
    found: dict[tuple[int, int], Python] = {}
    refused: list[str] = []
    for candidate in dict.fromkeys(_candidates(environ)):
        python, reason = examine(candidate)
        if python is None:
            refused += [reason] if reason else []
        elif python.version > found.setdefault(python.version[:2], python).version:
            found[python.version[:2]] = python
    return [found[line] for line in sorted(found)], sorted(set(refused))


def select(pythons: Iterable[Python], wanted: Iterable[str]) -> list[Python]:
    """Those that ``wanted`` names, as ``3.12``, ``cp312`` or a path. Raises LookupError with what there is."""
    known = {name: python for python in pythons for name in (python.tag, python.line)}
    chosen = []
    for name in wanted:
        if os.sep in name:
            python, reason = examine(Path(name))
            if python is None:
                raise LookupError(reason or f"{name} is no Python that can be run")
        elif name in known:
            python = known[name]
        else:
            raise LookupError(f"no Python {name} was found; there are {', '.join(sorted(known)) or 'none'}")
        chosen.append(python)
    return chosen


def examine(candidate: Path) -> tuple[Python | None, str]:
    """What ``candidate`` is, or None and why wheels cannot be built with it (empty where it is no Python at all)."""
    try:
        done = subprocess.run(
            [candidate, "-I", "-c", _QUESTION], capture_output=True, text=True, timeout=30, check=True
        )
        facts = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None, ""  # a shim of a version manager without that version, for example
    version = tuple(facts["version"])
    if facts["implementation"] != "CPython" or version[:2] not in SUPPORTED:
        return None, ""
    python = Python(Path(facts["executable"]), version)
    if facts["free_threaded"]:
        return None, f"Python {python}: it has no GIL, and libtriton is not made for that"
    if not facts["headers"]:
        return None, f"Python {python}: Python.h is missing; install its headers (Debian: python3-dev)"
    return python, ""


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    """Where interpreters usually are: the path, the folders of pyenv and uv, and those of the manylinux images."""
    names = ["python3", *(f"python{major}.{minor}" for major, minor in SUPPORTED)]
    for name in names:
        found = shutil.which(name, path=environ.get("PATH"))
        if found:
            yield Path(found)
    home = Path(environ.get("HOME", "/nonexistent"))
    folders = [
        Path(environ.get("PYENV_ROOT") or home / ".pyenv") / "versions",
        Path(environ.get("UV_PYTHON_INSTALL_DIR") or home / ".local/share/uv/python"),
        Path("/opt/python"),
    ]
    for folder in folders:
        for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
            if re.search(r"(^|[^\d])(3\.?1\d)", entry.name) and (entry / "bin" / "python3").exists():
                yield entry / "bin" / "python3"
