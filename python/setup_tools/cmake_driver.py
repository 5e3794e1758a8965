"""The setuptools command that builds the C++ part.

The tree is ``build/<backends>/cmake-<platform>-<cache_tag>[-<build type>]`` and is kept: a second build compiles
what changed. ``shared_core`` says when a build has a second one. CMake is found and called through scikit-build-core's
library; its setuptools plugin is not used, it deletes its tree at every run.
"""

from __future__ import annotations

import logging
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from scikit_build_core.cmake import CMaker
from scikit_build_core.errors import FailedLiveProcessError
from setuptools import Command

from .assembly import SOURCE_ROOT
from .build_type import build_type
from .errors import BuildError
from .inputs import provide_inputs
from .installed_files import remove_leftovers
from .links import write_if_changed
from .parallel import jobs
from .project import Project, project_of
from .shared_core import Tree, trees
from .toolchain import find_cmake, find_compiler_cache, find_ninja

COMPONENT = "python"
_LAUNCHERS = ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER")
_ARGUMENTS = "flagtree-arguments.txt"  # what the tree was configured with, a line each
_STDERR = 2  # its file descriptor
# Of compiler, CMake, linker, ninja, and of the shell that ninja calls programs through.
_ERROR_MARKS = (" error: ", "CMake Error", "undefined reference", "ninja: error", ": not found")


class build_native(Command):
    """Configure, build and install the C++ part: libtriton and FileCheck (setuptools' SubCommand protocol)."""

    description = "build the C++ part with CMake"
    user_options: ClassVar = [("build-lib=", "b", "where a wheel is assembled")]

    def initialize_options(self) -> None:
        self.build_lib: str | None = None
        self.editable_mode = False
        self._installed: list[str] = []

    def finalize_options(self) -> None:
        self.set_undefined_options("build", ("build_lib", "build_lib"))

    def run(self) -> None:
        project = project_of(self.distribution)
        self._installed = []
        made = trees(project, self.editable_mode)
        for tree in made:
            self._installed += self._make(project, tree)
        if self.editable_mode:
            _link_compile_commands(project.root, made[0].folder)
            remove_leftovers(self._installed, project.root, self._say)

    def _make(self, project: Project, tree: Tree) -> list[str]:
        """Configure, build and install ``tree``. Returns the installed files."""
        output, parallel = ErrorFinder(), jobs(project.environment)
        try:
            cmaker = self._configure(project, tree, output)
            _build(cmaker, tree.folder, self._targets(), parallel, output)
            strip = not self.editable_mode and not build_type(project.environment).keeps_symbols
            cmaker.install(self._prefix(project), strip=strip, components=[COMPONENT])
        except FailedLiveProcessError as error:
            raise BuildError(_failure(str(error), tree.folder, output)) from None
        manifest = (tree.folder / f"install_manifest_{COMPONENT}.txt").read_text(encoding="utf-8")
        return list(filter(None, manifest.split("\n")))

    def _configure(self, project: Project, tree: Tree, output: ErrorFinder) -> CMaker:
        arguments = _further_arguments(project)
        artifacts = {entry: os.fspath(folder) for entry, folder in provide_inputs(project, self._say).items()}
        defines = {**_defines(project, self.editable_mode), **artifacts, **tree.defines}
        asked_for = [*defines, *arguments]
        if _forgets(tree.folder / _ARGUMENTS, asked_for):
            (tree.folder / "CMakeCache.txt").unlink(missing_ok=True)
        cmaker = CMaker(find_cmake(), project.root, tree.folder, build_type(project.environment).name)
        cmaker.env.update(_cmake_environment(project))
        for name in _LAUNCHERS:  # CMake would take them where the cache entry is empty
            cmaker.env.pop(name, None)
        with _errors_read(output):
            cmaker.configure(defines=defines, cmake_args=arguments)
        write_if_changed(tree.folder / _ARGUMENTS, "\n".join(asked_for))
        return cmaker

    def _say(self, text: str) -> None:
        self.announce(text, level=logging.INFO)

    def get_source_files(self) -> list[str]:
        return []  # MANIFEST.in names them

    def get_outputs(self) -> list[str]:
        return [] if self.editable_mode else self._installed

    def get_output_mapping(self) -> dict[str, str]:
        return {}

    def _targets(self) -> list[str]:
        # A wheel needs what is installed into it, a developer also the tools that the tests call.
        return ["all"] if self.editable_mode else ["python"]

    def _prefix(self, project: Project) -> Path:
        if self.editable_mode:
            return project.root / SOURCE_ROOT / "triton"
        assert self.build_lib is not None
        return Path(self.build_lib, "triton").resolve()


def _link_compile_commands(root: Path, tree: Path) -> None:
    """Where language servers look for it. A file of that name that is no link is somebody's own."""
    link = root / "compile_commands.json"
    if link.is_symlink() or not link.exists():
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(tree / "compile_commands.json", root))


class ErrorFinder:
    """Reads a build's output and keeps the first error in it, with the lines that follow."""

    _LINES_KEPT = 8

    def __init__(self) -> None:
        self._lines: list[str] = []

    @property
    def first(self) -> list[str]:
        """The first error, at most a few lines; empty where there was none."""
        return self._lines

    def feed(self, line: str) -> None:
        if self._lines:
            wanted = len(self._lines) < self._LINES_KEPT
        else:
            wanted = any(mark in line for mark in _ERROR_MARKS)
        if wanted:
            self._lines.append(line.rstrip("\n"))


@contextmanager
def _errors_read(output: ErrorFinder) -> Iterator[None]:
    """Gives ``output`` what processes write to standard error meanwhile, and shows it afterwards."""
    sys.stderr.flush()
    own = os.dup(_STDERR)
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        os.dup2(errors.fileno(), _STDERR)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(own, _STDERR)
            os.close(own)
            errors.seek(0)
            for line in errors:
                sys.stderr.write(line)
                output.feed(line)


def _further_arguments(project: Project) -> list[str]:
    text = project.environment.text("TRITON_APPEND_CMAKE_ARGS")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BuildError(f"TRITON_APPEND_CMAKE_ARGS={text} is not quoted as in a shell: {error}.") from None


def _defines(project: Project, editable: bool) -> dict[str, str | bool]:
    """Cache entries of CMake. Raises BuildError where two backends set one of them to different values."""
    launcher = find_compiler_cache(project.environment)
    defines: dict[str, str | bool] = {
        # Isolated builds put ninja into an environment that is gone the next time, so it is always named again.
        "CMAKE_MAKE_PROGRAM": find_ninja(),
        "Python3_EXECUTABLE": sys.executable,
        "TRITON_BACKENDS": ";".join(manifest.name for manifest in project.native),
        "TRITON_DEVELOP": editable,
        "TRITON_SANITIZE": "address" if build_type(project.environment).sanitized else "",
        "LLVM_SYSPATH": project.environment.text("LLVM_SYSPATH"),
        "FETCHCONTENT_FULLY_DISCONNECTED": project.environment.flag("TRITON_OFFLINE_BUILD"),
        **dict.fromkeys(_LAUNCHERS, launcher),
    }
    owners: dict[str, str] = {}
    for manifest in project.native:
        defines[f"TRITON_BACKEND_DIR_{manifest.name}"] = manifest.folder.as_posix()
        for key, value in manifest.cmake.items():
            if key in defines and defines[key] != value:
                raise BuildError(
                    f"{manifest.folder / 'backend.toml'}: [cmake] {key} = {value!r}, but "
                    f"{owners.get(key, 'the build itself')} sets it to {defines[key]!r}."
                )
            defines[key], owners[key] = value, f"backend {manifest.name!r}"
    return defines


def _cmake_environment(project: Project) -> dict[str, str]:
    """Variables of CMake's and the compilers' processes."""
    given = project.environment.values
    return {
        "CMAKE_GENERATOR": "Ninja",
        # Otherwise CMake keeps an installed file that is as old, to the second, as the one of another backend.
        "CMAKE_INSTALL_ALWAYS": "1",
        # With these ccache finds an object again in another copy of this checkout.
        "CCACHE_BASEDIR": given.get("CCACHE_BASEDIR") or os.fspath(project.root),
        "CCACHE_NOHASHDIR": given.get("CCACHE_NOHASHDIR") or "1",
    }


def _forgets(record: Path, now: list[str]) -> bool:
    """Whether the tree was configured with something that is no longer asked for: CMake's cache would keep it."""
    if not record.is_file():
        return False
    return not set(record.read_text(encoding="utf-8").splitlines()) <= set(now)


def _build(cmaker: CMaker, tree: Path, targets: list[str], parallel: int, output: ErrorFinder) -> None:
    command = [os.fspath(cmaker.cmake), "--build", os.fspath(tree), "--parallel", str(parallel), "--target", *targets]
    print("$", shlex.join(command), flush=True)
    with subprocess.Popen(
        command, env=cmaker.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            output.feed(line)
        sys.stdout.flush()
    if process.returncode != 0:
        raise FailedLiveProcessError("CMake build failed")


def _failure(what: str, tree: Path, output: ErrorFinder) -> str:
    first = "\n  ".join(output.first).rstrip()
    reason = f" The first error was:\n  {first}\n" if first else " CMake's message above says why.\n"
    return f"{what} in {tree}.{reason}Put it right and run the same command again: what was built is kept."
