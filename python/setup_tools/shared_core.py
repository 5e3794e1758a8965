"""Which CMake trees a build has: one for everything, or one compiler that several Pythons share.

Only libtriton depends on the version of Python, and it is a thin layer. With FLAGTREE_SHARED_CORE everything else is
built in one tree, and the tree of each Python links its libraries, so that a wheel for a further Python costs the
compilation of the bindings. CMake decides in each build whether the core is up to date; cmake/TritonCore.cmake is its
part of this.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .build_type import build_type
from .project import Project

SWITCH = "FLAGTREE_SHARED_CORE"


@dataclass(frozen=True)
class Tree:
    """A CMake tree, with the cache entries that say which part of the project it builds."""

    folder: Path
    defines: Mapping[str, str | bool] = field(default_factory=dict)


def build_tree(project: Project) -> Path:
    """Where CMake builds everything for this selection, platform, Python and build type."""
    return _folder(project, sys.implementation.cache_tag)


def trees(project: Project, editable: bool) -> list[Tree]:
    """The trees of a build, in the order in which they are made.

    An editable install has one: it is the developer's tree, too, where a single command must build all.
    """
    if editable or not project.environment.flag(SWITCH):
        return [Tree(build_tree(project))]
    core = _folder(project, "core")
    module = _folder(project, f"{sys.implementation.cache_tag}-module")
    return [Tree(core, {"TRITON_MODULE": False}), Tree(module, {"TRITON_CORE_TREE": os.fspath(core)})]


def _folder(project: Project, part: str) -> Path:
    return project.native_base / f"cmake-{sysconfig.get_platform()}-{part}{build_type(project.environment).suffix}"
