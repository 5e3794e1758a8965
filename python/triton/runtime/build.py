"""Compiles C for drivers that need some: once per source, compiler and options, kept in the cache of kernels.

Nothing of the CPU backend does. `knobs.build.impl` replaces the compiler, `knobs.build.cc` (the variable CC) names it.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sysconfig
import tempfile
from types import ModuleType

from .. import knobs
from .cache import get_cache_manager

__all__ = [
    "compile_module_from_file",
    "compile_module_from_src",
    "compile_so_from_file",
    "compile_so_from_src",
    "platform_key",
]

_SUFFIXES = {"c": ".c", "c++": ".cpp"}


@functools.lru_cache
def platform_key() -> str:
    """What objects of this machine and this Python have in common."""
    return ",".join([platform.machine(), platform.system(), *platform.architecture()])


def _compiler(language: str) -> str:
    """RuntimeError without any."""
    chosen = knobs.build.cc
    names = [chosen] if chosen else ["gcc", "clang", "cc"] if language == "c" else ["g++", "clang++", "c++"]
    for name in names:
        if path := shutil.which(name):
            return path
    raise RuntimeError(f"no compiler for {language} ({', '.join(names)}): install one, or name it with the variable CC")


def _build(
    name: str,
    src: str,
    srcdir: str,
    library_dirs: list[str],
    include_dirs: list[str],
    libraries: list[str],
    ccflags: list[str],
    language: str = "c",
) -> str:
    """Compiles the file `src` to a shared library in `srcdir`; its path. RuntimeError with what the compiler says."""
    if knobs.build.impl is not None:
        return knobs.build.impl(name, src, srcdir, library_dirs, include_dirs, libraries)
    target = os.path.join(srcdir, name + sysconfig.get_config_var("EXT_SUFFIX"))
    command = [_compiler(language), src, "-O3", "-shared", "-fPIC", "-Wno-psabi", "-o", target]
    command += [f"-I{folder}" for folder in [*include_dirs, srcdir, sysconfig.get_paths()["include"]]]
    command += [f"-L{folder}" for folder in library_dirs] + [f"-l{library}" for library in libraries] + ccflags
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr}")
    return target


def compile_so_from_src(
    src: str,
    name: str,
    library_dirs: list[str] | None = None,
    include_dirs: list[str] | None = None,
    libraries: list[str] | None = None,
    ccflags: list[str] | None = None,
    language: str = "c",
) -> str:
    """The path of a shared library of the source `src`, in "c" or "c++". RuntimeError if it does not compile."""
    if language not in _SUFFIXES:
        raise ValueError(f"language {language!r}: expected one of {', '.join(map(repr, _SUFFIXES))}")
    options = [list(part or ()) for part in (library_dirs, include_dirs, libraries, ccflags)]
    described = repr((src, name, platform_key(), options, language, knobs.build.cc))
    cache = get_cache_manager(hashlib.sha256(described.encode()).hexdigest())
    file_name = name + sysconfig.get_config_var("EXT_SUFFIX")
    known = cache.get_file(file_name)
    if known is not None:
        return known
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + _SUFFIXES[language])
        with open(path, "w", encoding="utf-8") as file:
            file.write(src)
        with open(_build(name, path, folder, *options, language=language), "rb") as file:
            return cache.put(file.read(), file_name, binary=True)


def compile_so_from_file(
    src_path: str,
    name: str,
    library_dirs: list[str] | None = None,
    include_dirs: list[str] | None = None,
    libraries: list[str] | None = None,
    ccflags: list[str] | None = None,
) -> str:
    """The same of a file: C++ if its name ends in .cpp, .cc or .cxx."""
    with open(src_path, encoding="utf-8") as file:
        source = file.read()
    language = "c++" if src_path.endswith((".cpp", ".cc", ".cxx")) else "c"
    return compile_so_from_src(source, name, library_dirs, include_dirs, libraries, ccflags, language)


def _load(path: str, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"{path} cannot be loaded as a module of Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_module_from_src(
    src: str,
    name: str,
    library_dirs: list[str] | None = None,
    include_dirs: list[str] | None = None,
    libraries: list[str] | None = None,
    ccflags: list[str] | None = None,
    language: str = "c",
) -> ModuleType:
    """The extension module `name` whose source is `src`."""
    return _load(compile_so_from_src(src, name, library_dirs, include_dirs, libraries, ccflags, language), name)


def compile_module_from_file(
    src_path: str,
    name: str,
    library_dirs: list[str] | None = None,
    include_dirs: list[str] | None = None,
    libraries: list[str] | None = None,
    ccflags: list[str] | None = None,
) -> ModuleType:
    """The same of a file."""
    return _load(compile_so_from_file(src_path, name, library_dirs, include_dirs, libraries, ccflags), name)
