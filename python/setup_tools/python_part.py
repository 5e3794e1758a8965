"""The setuptools command that copies the Python part of a wheel, of the whole package and of an add-on."""

from __future__ import annotations

import os
from pathlib import Path

from setuptools.command.build_py import build_py as setuptools_build_py

from .assembly import MARKER_FILE, Assembly
from .links import write_if_changed


class build_py(setuptools_build_py):
    """Copies packages from where they really are, and adds the generated module of the assembly."""

    def finalize_options(self) -> None:
        super().finalize_options()
        if not self.editable_mode:
            self.package_dir = self._assembly().wheel_package_dir

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            write_if_changed(self._marker(), self._assembly().marker)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        outputs = super().get_outputs(include_bytecode)
        marker = os.fspath(self._marker())
        return outputs if self.editable_mode or marker in outputs else [*outputs, marker]

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        modules = super().find_package_modules(package, package_dir)
        return [module for module in modules if Path(module[2]).name != Path(MARKER_FILE).name]

    def _assembly(self) -> Assembly:
        assembly = getattr(self.distribution, "flagtree_assembly", None)
        assert isinstance(assembly, Assembly), "this command belongs to a distribution with an assembly"
        return assembly

    def _marker(self) -> Path:
        return Path(self.build_lib, self._assembly().marker_file)
