"""Setuptools commands of a repository that holds one backend."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from setuptools.command.build import build as setuptools_build
from setuptools.command.editable_wheel import editable_wheel as setuptools_editable_wheel
from setuptools.command.sdist import sdist as setuptools_sdist
from setuptools.errors import SetupError


class build(setuptools_build):
    """Starts from an empty folder: files of deleted modules would stay in the wheel."""

    def initialize_options(self) -> None:
        super().initialize_options()
        self.build_base = os.path.join("build", "addon")

    def run(self) -> None:
        if Path(self.build_lib).is_relative_to(self.build_base):
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class editable_wheel(setuptools_editable_wheel):
    """Refuses: the package ``triton`` has to find the backend in its own folder, which a link elsewhere is not."""

    def run(self) -> None:
        raise SetupError(
            "a repository of a backend cannot be installed in place. To work on it, use a checkout of FlagTree: "
            "`TRITON_PLUGIN_DIRS=<its folder> FLAGTREE_BACKEND=<name> pip install --no-build-isolation -e .` there, or "
            "`python -m setup_tools preview`"
        )


class sdist(setuptools_sdist):
    """Holds the whole folder of the backend, its manifest and tests too, and nothing of a checkout of FlagTree."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        folder = getattr(self.distribution, "flagtree_folder", None)
        assert isinstance(folder, Path), "this command belongs to a distribution that the plugin has set up"
        of_backend = [file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
        names = {os.path.normpath(name) for name in [*files, *map(os.path.relpath, of_backend)]}
        super().make_release_tree(base_dir, sorted(name for name in names if not _is_outside(name)))


def _is_outside(name: str) -> bool:
    return os.path.isabs(name) or name.split(os.sep)[0] == os.pardir


COMMANDS = {"editable_wheel": editable_wheel, "sdist": sdist}
