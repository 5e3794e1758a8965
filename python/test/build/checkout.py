"""A checkout in miniature for real builds: this project's setup.py and build code around a C++ part of one short file.

A wheel of it takes seconds, so that every install mode can be run for real.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .conftest import MANIFEST, ROOT, MiniTree, clean_environment, run

CMAKE = """\
cmake_minimum_required(VERSION 3.25...4.4)
project(mini LANGUAGES C CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module)
add_custom_target(python)
Python3_add_library(libtriton MODULE WITH_SOABI a.cpp b.cpp c.cpp d.cpp)
string(REPLACE ";" "+" backends "${TRITON_BACKENDS}")
target_compile_definitions(libtriton PRIVATE BUILD_TYPE="${CMAKE_BUILD_TYPE}" BACKENDS="${backends}"
  EXTRA="${EXTRA}" SANITIZE="${TRITON_SANITIZE}")
install(TARGETS libtriton DESTINATION _C COMPONENT python)
foreach(backend IN LISTS TRITON_BACKENDS)
  include(${TRITON_BACKEND_DIR_${backend}}/CMakeLists.txt OPTIONAL)
endforeach()
add_dependencies(python libtriton)
"""
MODULE = """\
#include <Python.h>
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "libtriton", nullptr, -1, nullptr};
PyMODINIT_FUNC PyInit_libtriton() {
  PyObject *module = PyModule_Create(&definition);
  PyModule_AddStringConstant(module, "build_type", BUILD_TYPE);
  PyModule_AddStringConstant(module, "backends", BACKENDS);
  PyModule_AddStringConstant(module, "extra", EXTRA);
  PyModule_AddStringConstant(module, "sanitize", SANITIZE);
  return module;
}
"""


@dataclass
class Checkout(MiniTree):
    """``pip`` builds it for real. Backend ``host`` is part of every build."""

    python: Path

    def pip(self, *arguments: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return run(self.python, "-m", "pip", *arguments, cwd=self.root, env=env)

    def wheel(self, folder: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Build a wheel into ``folder``, without network."""
        return self.pip(*WHEEL, "-w", folder, ".", env=env)

    def setup(self, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return run(self.python, "setup.py", *arguments, cwd=self.root, env=env)

    def start_wheel(self, folder: Path, log: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
        """Start building a wheel in a session of its own, with its output in ``log``."""
        command = [self.python, "-m", "pip", *WHEEL, "-w", folder, "."]
        with log.open("wb") as output:
            return subprocess.Popen(
                [os.fspath(part) for part in command],
                cwd=self.root,
                env={**clean_environment(), **env},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )


WHEEL = ("wheel", "--no-build-isolation", "--no-deps", "--no-index", "-v")
INSTALL = ("install", "--no-build-isolation", "--no-deps", "--no-index", "-v")


def make_checkout(root: Path) -> Checkout:
    checkout = Checkout(root, Path(sys.executable))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        root.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, root / name)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "python" / "setup_tools", root / "python" / "setup_tools", ignore=ignored)
    checkout.write("python/triton/__init__.py", '__version__ = "3.6.0"\n')
    for package in ("_C", "backends", "language", "language/extra"):
        checkout.write(f"python/triton/{package}/__init__.py")
    checkout.write("CMakeLists.txt", CMAKE)
    checkout.write("cmake/TritonLLVM.cmake", "set(TRITON_LLVM_VERSION_MAJOR 22)\n")
    checkout.write("a.cpp", MODULE)
    for name in "bcd":
        checkout.write(f"{name}.cpp", f"int {name}() {{ return 0; }}\n")
    checkout.backend("host", "always = true")
    checkout.write("third_party/host/CMakeLists.txt")
    return checkout


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "what the test waits for did not happen"
        time.sleep(0.05)


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """End ``process`` and all that it started at once, as a machine that loses power would.

    They are one session; ninja gives each compiler a process group of its own.
    """
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == process.pid:
                os.kill(int(folder.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            continue
    process.wait()


__all__ = ["INSTALL", "MANIFEST", "WHEEL", "Checkout", "kill_all", "make_checkout", "wait_for"]
