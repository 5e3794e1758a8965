"""Makes a distribution a whole wheel of FlagTree with one more backend, built from a checkout that is only read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .environment import path_of
from .errors import BuildError
from .plugin_commands import COMMANDS
from .project import load_project
from .settings import Settings
from .trunk import Trunk
from .version import trunk_version

if TYPE_CHECKING:
    from setuptools import Distribution


WORKSPACE_VARIABLE = "FLAGTREE_WORKSPACE"


def apply_vendor(distribution: Distribution, settings: Settings, trunk: Trunk) -> None:
    """Sets up ``distribution``. Raises BuildError; reads files, changes none."""
    try:
        from .commands import FlagTreeDistribution, setup_arguments
    except ModuleNotFoundError as error:
        raise BuildError(
            f"a whole wheel is built with {error.name}, which is not installed. Install what flagtree-build requires."
        ) from None
    if not settings.is_dynamic("scripts"):
        raise BuildError(
            f"{settings.root / 'pyproject.toml'}: [project] dynamic must name 'scripts', too: a whole wheel has the "
            "command flagtree."
        )
    workspace = path_of(os.environ.get(WORKSPACE_VARIABLE) or str(settings.root), WORKSPACE_VARIABLE).resolve()
    project = load_project(_checked_source(settings, trunk), _environ(settings), settings.root, workspace)
    arguments = setup_arguments(project)
    target: Any = FlagTreeDistribution.adopt(distribution, project)
    target.flagtree_folder = settings.folder
    target.packages = arguments["packages"]
    target.package_dir = project.assembly.wheel_package_dir
    target.package_data = arguments["package_data"]
    target.include_package_data = False
    target.entry_points = arguments["entry_points"]
    target.cmdclass.update({**arguments["cmdclass"], **COMMANDS})
    if settings.is_dynamic("version"):
        target.metadata.version = project.version
    if settings.is_dynamic("dependencies"):
        target.install_requires = []


def _environ(settings: Settings) -> dict[str, str]:
    """The environment of the build, in which the repository's backend is the selected one."""
    folders = [*filter(None, os.environ.get("TRITON_PLUGIN_DIRS", "").split(";")), str(settings.folder)]
    wanted = {
        "TRITON_PLUGIN_DIRS": ";".join(dict.fromkeys(folders)),
        "FLAGTREE_BACKEND": settings.folder.name,
        "FLAGTREE_WHEEL_NAME": settings.name,
    }
    chosen = os.environ.get("FLAGTREE_BACKEND")
    if chosen and chosen != settings.folder.name:
        raise BuildError(
            f"FLAGTREE_BACKEND={chosen}, but this repository's backend is {settings.folder.name!r}. Unset the variable."
        )
    return {**os.environ, **wanted}


def _checked_source(settings: Settings, trunk: Trunk) -> Path:
    source = settings.source
    assert source is not None
    if not (source / "python" / "triton" / "__init__.py").is_file():
        raise BuildError(
            f"{source} is no checkout of FlagTree: it has no python/triton. FLAGTREE_SOURCE or source in "
            "[tool.flagtree] names it."
        )
    version = trunk_version(source).public
    if version != trunk.version:
        raise BuildError(
            f"{source} is FlagTree {version}, but this is flagtree-build {trunk.version}. Install the one of that "
            f"checkout: pip install {source / 'python' / 'setup_tools'}"
        )
    return source
