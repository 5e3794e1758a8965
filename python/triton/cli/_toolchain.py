"""What a build needs of this machine: compiler, LLVM and MLIR, Python packages, memory, disk."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._installed import import_setup_tools
from ._output import NOTE, OK, PROBLEM, Finding, size_text
from ._tree import Tree

REQUIREMENTS = "pip install -r requirements-build.txt"
_DISK = 4 << 30  # a build tree takes about half of this
_PROGRAM = "#include <optional>\n#include <Python.h>\nint main() { return std::optional<int>(0).value(); }\n"
_SECONDS = 60
# Files of an LLVM installation that the build reads, with the Debian package that has each.
_LLVM_FILES = (
    ("lib/cmake/llvm/LLVMConfig.cmake", "llvm-{v}-dev"),
    ("lib/cmake/mlir/MLIRConfig.cmake", "libmlir-{v}-dev"),
    ("lib/libLLVMCore.a", "llvm-{v}-dev"),
    ("lib/libLLVMFileCheck.a", "llvm-{v}-dev"),
    ("lib/libMLIRIR.a", "libmlir-{v}-dev"),
    ("bin/llvm-tblgen", "llvm-{v}"),
    ("bin/mlir-tblgen", "mlir-{v}-tools"),
    ("bin/ld.lld", "lld-{v}"),
)


def toolchain_findings(tree: Tree) -> Iterator[Finding]:
    """Everything that a build of the checkout looks for, before it starts."""
    assert tree.root is not None
    yield from _python()
    yield from _requirements(tree.root)
    yield from _compiler()
    yield _compiler_cache()
    yield from _llvm(tree.root)
    yield from _selection(tree)
    yield from _resources(tree)


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    header = Path(sysconfig.get_path("include"), "Python.h")
    if header.is_file():
        yield Finding(OK, "Python", f"{version}, with headers")
    else:
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-dev"
        yield Finding(PROBLEM, "Python", f"{version}, but {header} is missing", f"apt-get install {package}")


def _requirements(root: Path) -> Iterator[Finding]:
    """The packages of requirements-build.txt. cmake and ninja may also be programs of the system."""
    try:
        from packaging.requirements import Requirement
    except ImportError:
        yield Finding(PROBLEM, "packages", "packaging is missing", REQUIREMENTS)
        return
    lines = (root / "requirements-build.txt").read_text(encoding="utf-8").splitlines()
    good = []
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        need = Requirement(line)
        if need.marker is not None and not need.marker.evaluate():
            continue
        version = _version_of(need.name)
        if version is None:
            yield Finding(PROBLEM, need.name, f"missing; {need.specifier} is needed", REQUIREMENTS)
        elif not need.specifier.contains(version, prereleases=True):
            yield Finding(PROBLEM, need.name, f"{version}; {need.specifier} is needed", REQUIREMENTS)
        else:
            good.append(f"{need.name} {version}")
    if good:
        yield Finding(OK, "packages", ", ".join(good))


def _version_of(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        program = shutil.which(name) if name in ("cmake", "ninja") else None
        if program is None:
            return None
    match = re.search(r"\d+(\.\d+)+", run_program([program, "--version"])[1])
    return match[0] if match else None


def run_program(command: list[str], text: str = "") -> tuple[int, str]:
    """Exit status and output; status 127 where the program cannot be started."""
    try:
        done = subprocess.run(
            *(command,),
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except OSError as error:
        return 127, error.strerror or str(error)
    except subprocess.TimeoutExpired:
        return 124, f"no answer within {_SECONDS} seconds"
    return done.returncode, done.stdout


def _compiler() -> Iterator[Finding]:
    wanted = os.environ.get("CXX")
    candidates = [wanted.split()[0]] if wanted and wanted.strip() else ["c++", "g++", "clang++"]
    path = next(filter(None, map(shutil.which, candidates)), None)
    fix = "apt-get install g++"
    if path is None:
        what = f"CXX={wanted} names no program" if wanted else "none of c++, g++ and clang++ is on PATH"
        yield Finding(PROBLEM, "compiler", what, f"{fix}, or set CXX" if not wanted else f"unset CXX, or {fix}")
        return
    version = run_program([path, "--version"])[1].splitlines()
    flags = ["-std=c++17", f"-I{sysconfig.get_path('include')}", "-fsyntax-only", "-x", "c++", "-"]
    status, output = run_program([path, *flags], _PROGRAM)
    if status != 0:
        error = next((line for line in output.splitlines() if "error" in line), output.strip()[:200])
        yield Finding(PROBLEM, "compiler", f"{path} cannot compile C++17: {error}", fix)
    else:
        yield Finding(OK, "compiler", f"{path}: {version[0] if version else 'unknown version'}")
    for library, package in (("zlib.h", "zlib1g-dev"), ("zstd.h", "libzstd-dev")):
        if status == 0 and run_program([path, "-fsyntax-only", "-x", "c++", "-"], f"#include <{library}>\n")[0] != 0:
            yield Finding(
                PROBLEM, library, "missing; LLVM's libraries are linked with it", f"apt-get install {package}"
            )


def _compiler_cache() -> Finding:
    path = shutil.which("ccache") or shutil.which("sccache")
    if path is None:
        text = "neither ccache nor sccache is there: a new build tree compiles everything again"
        return Finding(NOTE, "compiler cache", text, "apt-get install ccache")
    return Finding(OK, "compiler cache", path)


def _llvm(root: Path) -> Iterator[Finding]:
    major = _wanted_llvm(root)
    chosen = os.environ.get("LLVM_SYSPATH")
    folder = Path(chosen or f"/usr/lib/llvm-{major}")
    install = f"apt-get install llvm-{major}-dev libmlir-{major}-dev mlir-{major}-tools llvm-{major}-tools lld-{major}"
    if not folder.is_dir():
        others = [p.name for p in sorted(Path("/usr/lib").glob("llvm-*"))]
        found = f" (found: {', '.join(others)})" if others else ""
        origin = "LLVM_SYSPATH" if chosen else "the default place"
        yield Finding(PROBLEM, "LLVM", f"{origin} {folder} does not exist{found}", f"{install}, or set LLVM_SYSPATH")
        return
    config = folder / _LLVM_FILES[0][0]
    version = llvm_version(config)
    if version and version.split(".")[0] != major:
        yield Finding(
            PROBLEM, "LLVM", f"{folder} is version {version}, {major} is needed", f"{install}, or set LLVM_SYSPATH"
        )
    missing = [(file, package.format(v=major)) for file, package in _LLVM_FILES if not (folder / file).exists()]
    for file, package in missing:
        if file == "bin/ld.lld" and shutil.which("ld.lld"):
            continue
        level = NOTE if file == "bin/ld.lld" else PROBLEM
        text = f"{folder / file} is missing" + ("; linking takes longer without it" if level == NOTE else "")
        fix = f"apt-get install {package}" if not chosen else f"set LLVM_SYSPATH to a full LLVM {major}, or {install}"
        yield Finding(level, "LLVM", text, fix)
    if not missing and version:
        yield Finding(OK, "LLVM", f"{version} with MLIR, static libraries and tools in {folder}")


def _wanted_llvm(root: Path) -> str:
    """Major version, from the one place that says it."""
    file = root / "cmake" / "TritonLLVM.cmake"
    match = (
        re.search(r"TRITON_LLVM_VERSION_MAJOR\s+(\d+)", file.read_text(encoding="utf-8")) if file.is_file() else None
    )
    return match[1] if match else "22"


def llvm_version(config: Path) -> str:
    """``LLVM_PACKAGE_VERSION`` of a LLVMConfig.cmake; empty where the file or the entry is missing."""
    if not config.is_file():
        return ""
    match = re.search(r"set\(LLVM_PACKAGE_VERSION\s+([^)\s]+)\)", config.read_text(encoding="utf-8", errors="replace"))
    return match[1] if match else ""


def _selection(tree: Tree) -> Iterator[Finding]:
    """What FLAGTREE_BACKEND selects, and variables that have no effect."""
    try:
        project, errors = import_setup_tools("project", tree), import_setup_tools("errors", tree)
        environment = import_setup_tools("environment", tree)
    except ImportError as error:
        yield Finding(PROBLEM, "selection", f"the build's code needs {error.name}", REQUIREMENTS)
        return
    try:
        loaded = project.load_project(tree.root, os.environ)
    except errors.BuildError as error:
        yield Finding(PROBLEM, "selection", str(error), "correct the variable or file that it names")
        return
    names = ", ".join(loaded.assembly.selection.names)
    yield Finding(OK, "selection", f"a build now would hold {names} and be version {loaded.version}")
    unknown: list[str] = []
    environment.warn_unknown(os.environ, loaded.variables, unknown.append)
    for text in unknown:
        yield Finding(NOTE, "environment", text)
    for manifest in loaded.assembly.selection.backends:
        for variable in manifest.environment:
            yield from _variable(manifest.name, variable)
    yield from _artifacts(loaded, tree)


def _artifacts(project: Any, tree: Tree) -> Iterator[Finding]:
    """Archives of the selected backends that are not in the cache. A build fetches them, unless it has no network."""
    try:
        inputs, artifacts = import_setup_tools("inputs", tree), import_setup_tools("artifacts", tree)
    except ImportError:  # the packages that are missing have been reported
        return
    cache = inputs.cache_of(project, lambda text: None)
    level = PROBLEM if inputs.source_of(project).offline else NOTE
    for entry in artifacts.needed_artifacts(project.assembly.selection.backends):
        state = cache.state(entry.artifact)
        if state.usable:
            yield Finding(OK, entry.label, f"artifact, {size_text(entry.artifact.size)}, in the cache")
        else:
            yield Finding(level, entry.label, f"artifact: {state.text}", f"flagtree fetch {entry.backend}")


def _variable(backend: str, variable: Any) -> Iterator[Finding]:
    value = os.environ.get(variable.name)
    if variable.type == "path" and value and not Path(value).exists():
        text = f"{variable.name}={value} does not exist"
        yield Finding(PROBLEM, backend, text, f"correct it, or: unset {variable.name}")


def _resources(tree: Tree) -> Iterator[Finding]:
    assert tree.root is not None
    errors = import_setup_tools("errors", tree)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        parallel, environment = import_setup_tools("parallel", tree), import_setup_tools("environment", tree)
        jobs = parallel.jobs(environment.Environment(os.environ))
    except ImportError as error:
        yield Finding(NOTE, "jobs", f"{cores} cores; their number cannot be told without {error.name}", REQUIREMENTS)
    except errors.BuildError as error:
        yield Finding(PROBLEM, "jobs", str(error), "correct it, or unset it")
    else:
        memory = _available_memory()
        text = f"{jobs} at once ({cores} cores" + (f", {size_text(memory)} of memory available)" if memory else ")")
        tight = memory is not None and memory < jobs * 1_000_000_000
        fix = "close other programs, or set MAX_JOBS=1" if tight else ""
        yield Finding(NOTE if tight else OK, "jobs", text + (": memory is tight" if tight else ""), fix)
    free = shutil.disk_usage(tree.root).free
    if free < _DISK:
        text = f"{size_text(free)} are free in {tree.root}; a build takes up to {size_text(_DISK)}"
        yield Finding(NOTE, "disk", text, "free some, or delete old trees in build/")
    else:
        yield Finding(OK, "disk", f"{size_text(free)} free")


def _available_memory() -> int | None:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    match = re.search(r"MemAvailable:\s+(\d+)", text)
    return int(match[1]) * 1024 if match else None
