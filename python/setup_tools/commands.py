"""The setuptools commands and the distribution of this project. ``setup.py`` only calls ``setup_arguments``."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from setuptools import Distribution
from setuptools.command.bdist_wheel import bdist_wheel as setuptools_bdist_wheel
from setuptools.command.build import build as setuptools_build
from setuptools.command.build_ext import build_ext as setuptools_build_ext
from setuptools.command.editable_wheel import editable_wheel as setuptools_editable_wheel
from setuptools.command.egg_info import egg_info as setuptools_egg_info
from setuptools.command.sdist import sdist as setuptools_sdist
from setuptools.errors import BaseError

from .addon import overlay_problems
from .assembly import Assembly
from .cmake_driver import build_native
from .conflicts import other_owners, warning
from .environment import warn_unknown
from .errors import BuildError
from .inputs import provide_inputs
from .installed_files import installed_records, recorded_files
from .links import MARKER_NAME, make_links
from .locking import exclusive
from .manifest import MANIFEST_NAME, Manifest
from .project import Project, project_of
from .python_part import build_py
from .trunk import describe


class FlagTreeDistribution(Distribution):
    """Carries the project; says that the wheel is platform-specific and what it is called."""

    def __init__(self, attrs: dict[str, Any]):
        self.flagtree_project: Project = attrs.pop("flagtree_project")
        self._running = False
        super().__init__(attrs)

    @classmethod
    def adopt(cls, distribution: Distribution, project: Project) -> FlagTreeDistribution:
        """Makes a finished distribution one of this class: a plugin does not get to choose the class of its own."""
        distribution.__class__ = cls
        assert isinstance(distribution, cls)
        distribution.flagtree_project = project
        distribution._running = False
        return distribution

    @property
    def flagtree_assembly(self) -> Assembly:
        return self.flagtree_project.assembly

    def has_ext_modules(self) -> bool:
        return True

    def parse_config_files(self, *args: Any, **kwargs: Any) -> None:
        super().parse_config_files(*args, **kwargs)
        self.metadata.name = self.flagtree_project.environment.text("FLAGTREE_WHEEL_NAME")

    def run_command(self, command: str) -> None:
        try:
            if self._running:
                super().run_command(command)
            else:
                self._run_alone(command)
        except BuildError as error:
            raise BaseError(str(error)) from error  # setuptools prints these without a traceback

    def _run_alone(self, command: str) -> None:
        """Builds of one checkout share the links below python/ and their trees, so one waits for the other."""
        build_folder = self.flagtree_project.build_folder
        with exclusive(build_folder / ".lock", f"a build in {build_folder}", self.announce):
            self._running = True
            try:
                super().run_command(command)
            finally:
                self._running = False


class build(setuptools_build):
    """Builds below build/<backends>; the C++ part is a sub-command."""

    # build_ext is dropped: there is no Extension, the C++ part is CMake's.
    sub_commands: ClassVar = [("build_py", None), ("build_native", None)]

    def initialize_options(self) -> None:
        super().initialize_options()
        self.build_base = os.fspath(project_of(self.distribution).build_base)

    def run(self) -> None:
        project = project_of(self.distribution)
        _warn(self.warn, project)
        provide_inputs(project, lambda text: self.announce(text, level=logging.INFO))
        self.announce(f"backends: {', '.join(project.assembly.selection.names)}", level=logging.INFO)
        if Path(self.build_lib).is_relative_to(project.build_base):
            shutil.rmtree(self.build_lib, ignore_errors=True)  # files of deleted modules would stay in the wheel
        super().run()


class build_ext(setuptools_build_ext):
    """Does nothing: setuptools asks for it because the wheel is platform-specific, but there is no Extension."""

    def run(self) -> None:
        pass

    def get_outputs(self) -> list[str]:
        return []


class bdist_wheel(setuptools_bdist_wheel):
    """Starts from an empty folder: files that a killed build left there would get into the wheel."""

    def run(self) -> None:
        assert self.bdist_dir is not None  # finalize_options has set it
        shutil.rmtree(self.bdist_dir, ignore_errors=True)
        super().run()


class editable_wheel(setuptools_editable_wheel):
    """Links the selected backends below python/, so that setuptools can write a plain ``.pth``."""

    def run(self) -> None:
        project = project_of(self.distribution)
        _warn(self.warn, project)
        provide_inputs(project, lambda text: self.announce(text, level=logging.INFO))
        make_links(project.assembly, lambda text: self.announce(text, level=logging.INFO))
        super().run()


class egg_info(setuptools_egg_info):
    """Keeps the egg-info out of the source folders."""

    def initialize_options(self) -> None:
        super().initialize_options()
        base = project_of(self.distribution).build_base / "egg-info"
        base.mkdir(parents=True, exist_ok=True)
        self.egg_base = os.fspath(base)


class sdist(setuptools_sdist):
    """Leaves out what an editable install adds to the checkout: that is one selection's."""

    def make_distribution(self) -> None:
        # Not in prune_file_list: setuptools takes the list that egg_info has made.
        root = project_of(self.distribution).root
        installed = {Path(name) for record in installed_records(root) for name in recorded_files(record)}
        self.filelist.files = [
            name
            for name in self.filelist.files
            if not _is_generated(root, name) and (root / name).resolve() not in installed
        ]
        super().make_distribution()


def _warn(say: Callable[[str], None], project: Project) -> None:
    """Warn of variables that nothing reads, of distributions in the way, and of specializations without effect."""
    warn_unknown(os.environ, project.variables, say)
    name = project.environment.text("FLAGTREE_WHEEL_NAME")
    owners = other_owners(name)
    if owners:
        say(warning(name, owners))
    trunk = describe(project.root)
    for manifest in project.assembly.selection.backends:
        for problem in (*_data_problems(manifest), *overlay_problems(manifest, trunk)):
            say(problem)


def _data_problems(manifest: Manifest) -> Iterator[str]:
    for pattern in manifest.backend.data:
        if not any(manifest.package_dir.glob(pattern)):
            file = manifest.folder / MANIFEST_NAME
            yield f"{file}: [backend] data = {pattern!r} matches no file of {manifest.package_dir}"


def _is_generated(root: Path, name: str) -> bool:
    path = Path(name)
    return path.name == MARKER_NAME or any((root / parent).is_symlink() for parent in (path, *path.parents))


def setup_arguments(project: Project) -> dict[str, Any]:
    """Arguments of ``setuptools.setup`` for ``project``; everything constant is in pyproject.toml."""
    assembly = project.assembly
    return {
        "version": project.version,
        "packages": list(assembly.packages),
        "package_dir": assembly.editable_package_dir,
        "package_data": assembly.package_data,
        "entry_points": {**assembly.entry_points, "console_scripts": ["flagtree = triton.cli:main"]},
        "include_package_data": False,
        "distclass": FlagTreeDistribution,
        "flagtree_project": project,
        "cmdclass": {
            "bdist_wheel": bdist_wheel,
            "build": build,
            "build_py": build_py,
            "build_ext": build_ext,
            "build_native": build_native,
            "editable_wheel": editable_wheel,
            "egg_info": egg_info,
            "sdist": sdist,
        },
    }
