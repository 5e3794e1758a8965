"""How this package becomes the distribution ``flagtree-build``: with the description of the trunk it is made from."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build import build as setuptools_build
from setuptools.command.build_py import build_py as setuptools_build_py
from setuptools.command.egg_info import egg_info as setuptools_egg_info
from setuptools.command.sdist import sdist as setuptools_sdist

from .links import write_if_changed
from .locking import exclusive
from .trunk import DESCRIPTION_NAME, load_trunk, text_of

PACKAGE = "flagtree_build"
_BASE = "../../build/flagtree-build"  # in a checkout, with everything else that is built


def _build_base() -> str:
    in_checkout = Path("..", "triton", "__init__.py").is_file()
    return _BASE if in_checkout else "build"


class build(setuptools_build):
    def initialize_options(self) -> None:
        super().initialize_options()
        self.build_base = _build_base()

    def run(self) -> None:
        if Path(self.build_lib).is_relative_to(_build_base()):
            shutil.rmtree(self.build_lib, ignore_errors=True)  # files of deleted modules would stay in the wheel
        super().run()


class build_py(setuptools_build_py):
    """Adds the description of the trunk."""

    def run(self) -> None:
        super().run()
        write_if_changed(self._description(), text_of(load_trunk()))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), os.fspath(self._description())]

    def _description(self) -> Path:
        return Path(self.build_lib, PACKAGE, DESCRIPTION_NAME)


class egg_info(setuptools_egg_info):
    """Keeps the egg-info out of the source folder."""

    def initialize_options(self) -> None:
        super().initialize_options()
        Path(_build_base()).mkdir(parents=True, exist_ok=True)
        self.egg_base = _build_base()


class sdist(setuptools_sdist):
    """Holds the description of the trunk: the trunk itself is not in it."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        write_if_changed(Path(base_dir, DESCRIPTION_NAME), text_of(load_trunk()))


def run_setup() -> None:
    """``setup()`` in the folder of this package. Builds share a build folder, so one waits for the other."""
    with exclusive(Path(_build_base(), ".lock"), "a build of flagtree-build", print):
        setup(**setup_arguments())


def setup_arguments() -> dict[str, Any]:
    """Arguments of ``setup()``; everything constant is in pyproject.toml."""
    return {
        "version": load_trunk().version,
        "packages": [PACKAGE],
        "package_dir": {PACKAGE: "."},
        "include_package_data": False,
        "cmdclass": {"build": build, "build_py": build_py, "egg_info": egg_info, "sdist": sdist},
    }
