"""Makes a distribution an add-on: its packages, requirement and commands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from .addon import assemble_addon
from .assembly import Assembly
from .environment import Environment
from .errors import BuildError
from .manifest import Manifest, read_manifest
from .plugin_commands import COMMANDS, build
from .python_part import build_py
from .settings import SOURCE_VARIABLE, Settings
from .trunk import Trunk

if TYPE_CHECKING:
    from setuptools import Distribution


def apply_addon(distribution: Distribution, settings: Settings, trunk: Trunk) -> None:
    """Sets up ``distribution``. Raises BuildError; reads files, changes none."""
    manifest = read_manifest(settings.folder / "backend.toml")
    assembly = assemble_addon(settings.root, manifest, trunk, settings.name)
    _set_python_part(distribution, assembly, manifest)
    distribution.cmdclass.update({**COMMANDS, "build": build, "build_py": build_py})
    if settings.is_dynamic("version"):
        distribution.metadata.version = trunk.version
    _require_trunk(distribution, settings, trunk)


def _set_python_part(distribution: Any, assembly: Assembly, manifest: Manifest) -> None:
    distribution.flagtree_assembly = assembly
    distribution.flagtree_folder = manifest.folder
    distribution.packages = list(assembly.packages)
    distribution.package_dir = assembly.wheel_package_dir
    distribution.package_data = assembly.package_data
    distribution.include_package_data = False
    distribution.entry_points = assembly.entry_points


def _require_trunk(distribution: Any, settings: Settings, trunk: Trunk) -> None:
    """The wheel requires a trunk with the hooks that it was checked against."""
    name = Environment(os.environ).text("FLAGTREE_WHEEL_NAME")
    needed = f"{name}{trunk.requirement}"
    if settings.is_dynamic("dependencies"):
        distribution.install_requires = [needed]
        return
    for text in settings.project.get("dependencies", ()):
        try:
            if canonicalize_name(Requirement(text).name) == canonicalize_name(name):
                return
        except InvalidRequirement:
            continue  # setuptools itself says so
    raise BuildError(
        f"{settings.root / 'pyproject.toml'}: an add-on needs FlagTree. Add {needed!r} to [project] dependencies, or "
        f"'dependencies' to dynamic. Or set {SOURCE_VARIABLE} to a checkout, for a wheel that holds FlagTree itself."
    )
