"""The setuptools command that builds the C++ part.

The tree is ``build/<backends>/cmake-<platform>-<cache_tag>`` and is kept: a second build compiles what changed. CMake
is found and called through scikit-build-core's library; its setuptools plugin is not used, it deletes its tree at every
run.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from packaging.specifiers import SpecifierSet
from scikit_build_core.cmake import CMake, CMaker
from scikit_build_core.errors import CMakeNotFoundError, FailedLiveProcessError
from setuptools import Command

from .assembly import SOURCE_ROOT
from .environment import Environment
from .errors import BuildError
from .project import Project, project_of

MINIMUM_CMAKE = ">=3.25"
COMPONENT = "python"
_BYTES_PER_JOB = 1_500_000_000  # a file that includes MLIR's conversion headers takes about this much
_ERROR_MARKS = (" error: ", "CMake Error", "undefined reference", "ninja: error")  # of compiler, CMake, linker, ninja


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
        tree = build_tree(project)
        cmaker = _make_cmaker(project, tree)
        output = ErrorFinder()
        try:
            cmaker.configure(
                defines=dict(_defines(project, cmaker, self.editable_mode)), cmake_args=_extra_arguments(project)
            )
            _build(cmaker, tree, self._targets(), jobs(project.environment), output)
            cmaker.install(self._prefix(project), strip=not self.editable_mode, components=[COMPONENT])
        except FailedLiveProcessError as error:
            raise BuildError(_failure(str(error), tree, output)) from None
        if self.editable_mode:
            _link_compile_commands(project.root, tree)
        self._installed = (tree / f"install_manifest_{COMPONENT}.txt").read_text(encoding="utf-8").split("\n")

    def get_source_files(self) -> list[str]:
        return []  # MANIFEST.in names them

    def get_outputs(self) -> list[str]:
        return [] if self.editable_mode else [name for name in self._installed if name]

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


def build_tree(project: Project) -> Path:
    """Where CMake builds for this selection, platform and Python."""
    platform = sysconfig.get_platform()
    return project.build_base / f"cmake-{platform}-{sys.implementation.cache_tag}"


def jobs(environment: Environment) -> int:
    """Parallel compilations: MAX_JOBS, else CMAKE_BUILD_PARALLEL_LEVEL, else what cores and free memory allow."""
    for name in ("MAX_JOBS", "CMAKE_BUILD_PARALLEL_LEVEL"):
        number = environment.number(name)
        if number is not None:
            return number
    return max(1, min(_cores(), _free_memory() // _BYTES_PER_JOB))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _free_memory() -> int:
    """Bytes a build may use; where the system does not tell, enough for one job a core."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return _cores() * _BYTES_PER_JOB


def _make_cmaker(project: Project, tree: Path) -> CMaker:
    try:
        cmake = CMake.default_search(version=SpecifierSet(MINIMUM_CMAKE))
    except CMakeNotFoundError:
        raise BuildError(
            f"CMake {MINIMUM_CMAKE} was not found. Install what the build needs: pip install -r requirements-build.txt"
        ) from None
    return CMaker(cmake, project.root, tree, project.environment.text("TRITON_BUILD_TYPE"))


def _defines(project: Project, cmaker: CMaker, editable: bool) -> Iterator[tuple[str, str | bool]]:
    # Isolated builds put ninja into an environment that is gone the next time, so it is always named again.
    ninja = _find_ninja()
    if ninja is None:
        raise BuildError("ninja was not found. Install what the build needs: pip install -r requirements-build.txt")
    cmaker.env["CMAKE_GENERATOR"] = "Ninja"
    yield "CMAKE_MAKE_PROGRAM", ninja
    yield "Python3_EXECUTABLE", sys.executable
    yield "TRITON_BACKENDS", ";".join(project.assembly.selection.names)
    yield "TRITON_DEVELOP", editable
    yield "LLVM_SYSPATH", project.environment.text("LLVM_SYSPATH")
    for manifest in project.assembly.selection.backends:
        yield f"TRITON_BACKEND_DIR_{manifest.name}", manifest.folder.as_posix()
        yield from manifest.cmake.items()
    launcher = _compiler_cache(project.environment)
    # Lets ccache find an object again in another copy of this checkout.
    cmaker.env.setdefault("CCACHE_BASEDIR", os.fspath(project.root))
    cmaker.env.setdefault("CCACHE_NOHASHDIR", "1")
    yield "CMAKE_C_COMPILER_LAUNCHER", launcher
    yield "CMAKE_CXX_COMPILER_LAUNCHER", launcher


def _find_ninja() -> str | None:
    try:
        import ninja
    except ImportError:
        return shutil.which("ninja") or shutil.which("ninja-build")
    return os.path.join(ninja.BIN_DIR, "ninja")


def _compiler_cache(environment: Environment) -> str:
    if not environment.flag("TRITON_BUILD_WITH_CCACHE"):
        return ""
    return os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER") or shutil.which("ccache") or shutil.which("sccache") or ""


def _extra_arguments(project: Project) -> list[str]:
    return shlex.split(project.environment.text("TRITON_APPEND_CMAKE_ARGS"))


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
    first = "\n  ".join(output.first)
    reason = f" The first error was:\n  {first}\n" if first else " CMake's message above says why.\n"
    return f"{what} in {tree}.{reason}Put it right and run the same command again: what was built is kept."
