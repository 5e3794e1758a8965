"""Every environment variable that the build reads, in one table: the source of parsing and of the documentation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .errors import BuildError, did_you_mean
from .manifest import Variable

_TRUE = ("1", "on", "true", "yes")
_FALSE = ("", "0", "off", "false", "no")

TABLE: tuple[Variable, ...] = (
    Variable("FLAGTREE_BACKEND", "Backend to build, by name or alias; unset: the default backends"),
    Variable("FLAGTREE_WHEEL_NAME", "Name of the distribution", default="flagtree"),
    Variable("FLAGTREE_SOURCE", "Read by flagtree-build: the checkout that a whole wheel is made from", type="path"),
    Variable(
        "FLAGTREE_WORKSPACE",
        "Read by flagtree-build: folder whose build/ a whole wheel is built in; unset: the repository",
        type="path",
    ),
    Variable("FLAGTREE_SPECIALIZATION", "Read at run time: whose specialization is active among several; 'none': none"),
    Variable("TRITON_PLUGIN_DIRS", "Folders of further backends, separated by ';'"),
    Variable("LLVM_SYSPATH", "Root of the LLVM and MLIR installation to build with", type="path"),
    Variable("TRITON_BUILD_TYPE", "CMake build type: Release, RelWithDebInfo, Debug or MinSizeRel", default="Release"),
    Variable("DEBUG", "Short for TRITON_BUILD_TYPE=Debug", type="bool", default="0"),
    Variable("REL_WITH_DEB_INFO", "Short for TRITON_BUILD_TYPE=RelWithDebInfo", type="bool", default="0"),
    Variable("TRITON_BUILD_WITH_ASAN", "Build the C++ part with AddressSanitizer", type="bool", default="0"),
    Variable("TRITON_OFFLINE_BUILD", "Use no network; the start reports what is missing", type="bool", default="0"),
    Variable("FLAGTREE_CACHE_DIR", "Folder of fetched artifacts; unset: ~/.cache/flagtree", type="path"),
    Variable(
        "FLAGTREE_ARTIFACT_MIRROR",
        "Address or folder that artifacts are taken from, as MIRROR/host/path of their address",
    ),
    Variable("FLAGTREE_SHARED_CORE", "Wheels: build the compiler once for all Pythons", type="bool", default="0"),
    Variable("TRITON_BUILD_WITH_CCACHE", "Use ccache or sccache where installed", type="bool", default="1"),
    Variable("CMAKE_CXX_COMPILER_LAUNCHER", "Program to call compilers through, in place of ccache or sccache"),
    Variable("TRITON_APPEND_CMAKE_ARGS", "Further arguments of the CMake configuration, as in a shell"),
    Variable("MAX_JOBS", "Number of parallel compilations; unset: from cores and free memory", type="int"),
    Variable("CMAKE_BUILD_PARALLEL_LEVEL", "The same, CMake's own variable; MAX_JOBS wins", type="int"),
)


@dataclass(frozen=True)
class Environment:
    """Typed access to the variables of the table."""

    values: Mapping[str, str]

    def text(self, name: str) -> str:
        return self.values.get(name) or _variable(name).default

    def flag(self, name: str) -> bool:
        value = self.values.get(name, _variable(name).default).strip().lower()
        if value in _TRUE:
            return True
        if value in _FALSE:
            return False
        raise BuildError(
            f"{name}={value} is neither true ({', '.join(_TRUE)}) nor false ({', '.join(filter(None, _FALSE))})."
        )

    def number(self, name: str) -> int | None:
        """A positive number, or None where the variable is unset."""
        value = self.text(name).strip()
        if not value:
            return None
        if not value.isdecimal() or int(value) == 0:
            raise BuildError(f"{name}={value} is not a positive number.")
        return int(value)


def path_of(text: str, what: str) -> Path:
    """The absolute path that a person wrote as ``text``. Raises BuildError, naming ``what``, where ~ is nobody's."""
    expanded = os.path.expanduser(text)
    if expanded.startswith("~"):
        raise BuildError(f"{what}: there is no home folder for {text}. Write the whole path.")
    return Path(os.path.abspath(expanded))


def warn_unknown(values: Mapping[str, str], variables: Iterable[Variable], say: Callable[[str], None]) -> None:
    """Report every FLAGTREE_* variable that nothing reads: most often a typing error."""
    known = {variable.name for variable in variables}
    for name in sorted(values):
        if name.startswith("FLAGTREE_") and name not in known:
            say(f"environment variable {name} is not known and has no effect.{did_you_mean(name, known)}")


def _variable(name: str) -> Variable:
    return next(variable for variable in TABLE if variable.name == name)
