"""``[tool.flagtree]`` of a repository that holds one backend: what ``flagtree-build`` makes of it.

    [tool.flagtree]
    backend = "acme"              # folder of backend.toml; unset: the only folder here that has one
    source = "../flagtree"        # checkout of FlagTree, for a whole wheel; FLAGTREE_SOURCE wins; unset: an add-on

The table has to be there, even if it is empty: without it, flagtree-build leaves a project alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import BuildError, did_you_mean
from .manifest import MANIFEST_NAME, tomllib

SOURCE_VARIABLE = "FLAGTREE_SOURCE"
_KEYS = ("backend", "source")
_DISTRIBUTION = "flagtree-build"
_DYNAMIC = "entry-points"


@dataclass(frozen=True)
class Settings:
    """``folder`` holds the backend, ``source`` is a checkout of FlagTree or None, ``project`` the table [project]."""

    root: Path
    folder: Path
    source: Path | None
    project: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What the distribution is called."""
        return self.project.get("name", "")

    def is_dynamic(self, field: str) -> bool:
        return field in self.project.get("dynamic", ())


def read_settings(root: Path, environ: Mapping[str, str]) -> Settings | None:
    """The settings of the repository ``root``; None where its pyproject.toml does not have the table.

    Raises BuildError where the table is wrong, and where it is absent although the build requires flagtree-build.
    """
    file = root / "pyproject.toml"
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None  # none, or setuptools itself says what is wrong with it
    tool = content.get("tool", {})
    tool = tool if isinstance(tool, dict) else {}
    table = tool.get("flagtree")
    if table is None and _requires_us(content) and not (root / "setup.py").is_file():
        near = next((name for name in tool if did_you_mean(name, ("flagtree",))), None)
        found = f", but [tool.{near}]. Correct its name." if near else ". Add it; it may be empty."
        raise BuildError(f"{file}: the build requires {_DISTRIBUTION}, and there is no table [tool.flagtree]{found}")
    return None if table is None else make_settings(root, table, content.get("project", {}), environ, str(file))


def _requires_us(content: Mapping[str, Any]) -> bool:
    system = content.get("build-system", {})
    requires = system.get("requires", ()) if isinstance(system, dict) else ()
    return any(re.match(rf"{_DISTRIBUTION}(?![\w.-])", str(text)) for text in requires)


def make_settings(root: Path, table: Any, project: Any, environ: Mapping[str, str], where: str) -> Settings:
    """Settings from the content of the table. Raises BuildError, which names ``where`` and the key."""
    if not isinstance(table, dict) or not isinstance(project, dict):
        raise BuildError(f"{where}: [tool.flagtree] and [project] must be tables.")
    for key, value in table.items():
        if key not in _KEYS:
            raise BuildError(
                f"{where}: [tool.flagtree] has no key {key!r}. Keys are {', '.join(_KEYS)}.{did_you_mean(key, _KEYS)}"
            )
        if not isinstance(value, str):
            raise BuildError(f"{where}: [tool.flagtree] {key} = {value!r} must be a string.")
    if _DYNAMIC not in project.get("dynamic", ()):
        raise BuildError(
            f"{where}: [project] dynamic must name {_DYNAMIC!r}: flagtree-build adds the entry point of the backend."
        )
    source = environ.get(SOURCE_VARIABLE) or table.get("source")
    return Settings(
        root=root,
        folder=_backend_folder(root, table.get("backend"), where),
        source=(root / os.path.expanduser(source)).resolve() if source else None,
        project=project,
    )


def _backend_folder(root: Path, name: str | None, where: str) -> Path:
    if name is not None:
        folder = (root / name).resolve()
        file = folder / MANIFEST_NAME
        if not file.is_file():
            raise BuildError(f"{where}: [tool.flagtree] backend = {name!r}, but {file} does not exist.")
        return folder
    found = sorted(file.parent for file in root.glob(f"*/{MANIFEST_NAME}"))
    if len(found) != 1:
        names = ", ".join(folder.name for folder in found) or "none"
        raise BuildError(
            f"{where}: [tool.flagtree] must name the folder of the backend: folders of {root} with a {MANIFEST_NAME} "
            f"are: {names}."
        )
    return found[0].resolve()
