"""Programs and libraries that a build calls, looked for where the build finds them."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet
from scikit_build_core.cmake import CMake
from scikit_build_core.errors import CMakeNotFoundError

from .environment import Environment
from .errors import BuildError

MINIMUM_CMAKE = ">=3.25"
REQUIREMENTS = "pip install -r requirements-build.txt"
_LLVM_MODULE = Path("cmake", "TritonLLVM.cmake")
_COMPILERS = ("c++", "g++", "clang++")


@dataclass(frozen=True)
class Lack:
    """Something that a build needs and that is not there, and the command that gets it."""

    what: str
    command: str


def find_cmake() -> CMake:
    """A CMake that is new enough. Raises BuildError."""
    try:
        return CMake.default_search(version=SpecifierSet(MINIMUM_CMAKE))
    except CMakeNotFoundError:
        raise BuildError(f"CMake {MINIMUM_CMAKE} was not found. Install what the build needs: {REQUIREMENTS}") from None


def find_ninja() -> str:
    """The path of ninja. Raises BuildError."""
    try:
        import ninja
    except ImportError:
        path = shutil.which("ninja") or shutil.which("ninja-build")
        if path is None:
            raise BuildError(f"ninja was not found. Install what the build needs: {REQUIREMENTS}") from None
        return path
    return os.path.join(ninja.BIN_DIR, "ninja")


def find_compiler_cache(environment: Environment) -> str:
    """ccache, sccache, or what CMAKE_CXX_COMPILER_LAUNCHER names; empty where none is wanted or there."""
    if not environment.flag("TRITON_BUILD_WITH_CCACHE"):
        return ""
    chosen = environment.values.get("CMAKE_CXX_COMPILER_LAUNCHER")
    return chosen or shutil.which("ccache") or shutil.which("sccache") or ""


def lacks(root: Path, environment: Environment) -> Iterator[Lack]:
    """What this machine lacks for a build, apart from artifacts."""
    for find, what in ((find_cmake, f"CMake {MINIMUM_CMAKE}"), (find_ninja, "ninja")):
        try:
            find()
        except BuildError:
            yield Lack(what, REQUIREMENTS)
    if importlib.util.find_spec("pybind11") is None:
        yield Lack("the Python package pybind11", REQUIREMENTS)
    compiler = environment.values.get("CXX", "").split()[:1]
    if not any(map(shutil.which, compiler or _COMPILERS)):
        yield Lack(f"a C++ compiler ({' or '.join(compiler or _COMPILERS)})", "apt-get install g++")
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.is_file():
        yield Lack(f"Python's headers ({header})", "apt-get install python3-dev")
    yield from _llvm_lack(root, environment)


def _llvm_lack(root: Path, environment: Environment) -> Iterator[Lack]:
    """MLIR's CMake package. A CMake variable that leads elsewhere is left to CMake."""
    match = re.search(r"TRITON_LLVM_VERSION_MAJOR\s+(\d+)", (root / _LLVM_MODULE).read_text(encoding="utf-8"))
    assert match is not None, f"{_LLVM_MODULE} names no version"
    major = match[1]
    chosen = environment.text("LLVM_SYSPATH")
    hints = ("CMAKE_PREFIX_PATH", "MLIR_DIR", "MLIR_ROOT")
    told = f"{environment.text('TRITON_APPEND_CMAKE_ARGS')} {' '.join(filter(environment.values.get, hints))}"
    if not chosen and any(hint in told for hint in hints):
        return
    places = [Path(chosen)] if chosen else [Path(f"/usr/lib/llvm-{major}"), Path("/usr"), Path("/usr/local")]
    if not any((place / "lib" / "cmake" / "mlir" / "MLIRConfig.cmake").is_file() for place in places):
        packages = f"llvm-{major}-dev libmlir-{major}-dev mlir-{major}-tools llvm-{major}-tools lld-{major}"
        where = f"LLVM_SYSPATH={chosen}" if chosen else str(places[0])
        yield Lack(f"LLVM {major} with MLIR ({where})", f"apt-get install {packages}, or set LLVM_SYSPATH")
