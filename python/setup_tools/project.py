"""One build of this source tree: its environment, its selected backends and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .assembly import Assembly, assemble
from .environment import Environment
from .manifest import Manifest, Variable
from .registry import Registry, read_registry
from .version import distribution_name, distribution_version

if TYPE_CHECKING:
    from setuptools import Distribution


@dataclass(frozen=True)
class Project:
    root: Path
    environment: Environment
    registry: Registry
    assembly: Assembly
    version: str
    workspace: Path | None = None  # where the folder build belongs, if not into the source tree

    @property
    def build_base(self) -> Path:
        """Everything of one selection lies here: a shared folder leaks files of one backend into another's wheel."""
        return self.build_folder / "+".join(self.assembly.selection.names)

    @property
    def native(self) -> list[Manifest]:
        """The selected backends that the compiler library depends on. Those of Python only share a library."""
        return [m for m in self.assembly.selection.backends if m.cpp_parts or m.cmake or m.artifacts]

    @property
    def native_base(self) -> Path:
        """Where the C++ part of this selection is built."""
        return self.build_folder / ("+".join(manifest.name for manifest in self.native) or "none")

    @property
    def build_folder(self) -> Path:
        return (self.workspace or self.root) / "build"

    @property
    def variables(self) -> list[Variable]:
        """The environment variables that the build and any backend read."""
        from .environment import TABLE

        return [*TABLE, *(v for manifest in self.registry.manifests.values() for v in manifest.environment)]


def load_project(
    root: Path, environ: Mapping[str, str], base: Path | None = None, workspace: Path | None = None
) -> Project:
    """Read the manifests and the selection. Raises BuildError; reads files, changes nothing.

    ``base`` is the folder in which setup runs, ``workspace`` the one that gets the folder ``build``, where they are not
    the source tree.
    """
    environment = Environment(environ)
    registry = read_registry(root, environ)
    selection = registry.select(environment.text("FLAGTREE_BACKEND") or None)
    distribution_name(environment)  # a wrong one is an error before anything is done
    assembly = assemble(root, selection, base)
    return Project(root, environment, registry, assembly, distribution_version(root, selection), workspace)


def project_of(distribution: Distribution) -> Project:
    """The project that ``setup.py`` gave to its distribution."""
    project = getattr(distribution, "flagtree_project", None)
    assert isinstance(project, Project), "this command belongs to a distribution made by setup_tools.commands"
    return project
