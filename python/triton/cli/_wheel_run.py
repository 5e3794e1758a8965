"""Installs a wheel into a new virtual environment without any other package, imports it and runs a kernel."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from ._output import NOTE, OK, PROBLEM, Finding
from ._wheel import Wheel

_SECONDS = 300
_IMPORT = "import triton, triton.language, triton._C.libtriton; print(triton.__version__)"
_BACKENDS = """
from triton.backends import backends
for name, backend in backends.items():
    backend.compiler, backend.driver
print(*backends)
"""
# Kernels take anything with data_ptr() and dtype, so not even NumPy is needed.
_KERNEL = """
import ctypes

import triton
import triton.language as tl


class Buffer:
    dtype = "float32"

    def __init__(self, values):
        self.memory = (ctypes.c_float * len(values))(*values)

    def data_ptr(self):
        return ctypes.addressof(self.memory)


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


x, y, out = Buffer(range(1000)), Buffer([0.5] * 1000), Buffer([-1.0] * 1001)
add[(8,)](x, y, out, 1000, BLOCK=128)
assert list(out.memory) == [i + 0.5 for i in range(1000)] + [-1.0], list(out.memory)[:8]
print(triton.runtime.driver.active.get_current_target().backend)
"""


def check_running(wheel: Wheel, python: str | None, beside: Sequence[Wheel] = ()) -> Iterator[Finding]:
    """Findings of the installation and of three programs. `python` is the interpreter; default: the running one.

    The wheels `beside` are installed first.
    """
    interpreter = python or sys.executable
    with tempfile.TemporaryDirectory(prefix="flagtree-wheel-") as folder:
        environment = Path(folder, "venv")
        done = _run([interpreter, "-m", "venv", "--without-pip", str(environment)], folder)
        if done.returncode != 0:
            yield _failure(
                "environment", f"{interpreter} -m venv failed", done, "install the venv module of that Python"
            )
            return
        inner = str(environment / "bin" / "python")
        for one in (*beside, wheel):
            done = _install(one.path, inner, folder)
            if done.returncode != 0:
                fits = "not a supported wheel" not in done.stdout
                hint = "" if fits else "use a Python that the wheel is for: --python PATH"
                yield _failure("install", f"pip could not install {one.path.name}", done, hint)
                return
        after = f", after {', '.join(one.path.name for one in beside)}" if beside else ""
        yield Finding(OK, "install", f"into a clean environment{after}")
        yield from _programs(inner, folder, {name for one in (*beside, wheel) for name in one.backends})


def _programs(python: str, folder: str, backends: Collection[str]) -> Iterator[Finding]:
    programs = [("import", _IMPORT, "version"), ("backends", _BACKENDS, "their modules import:")]
    if "cpu" in backends:
        programs.append(("kernel", _KERNEL, "ran, result right, on"))
    else:
        yield Finding(NOTE, "kernel", "none was run: the wheel has no backend for this machine's processor")
    for name, code, good in programs:
        file = Path(folder, f"{name}_check.py")
        file.write_text(code, encoding="utf-8")
        done = _run([python, str(file)], folder)
        if done.returncode != 0:
            yield _failure(name, "failed", done, "")
            return
        yield Finding(OK, name, f"{good} {done.stdout.strip()}")


def _install(wheel: Path, python: str, folder: str) -> subprocess.CompletedProcess[str]:
    """With this environment's pip, working on the other's: the clean environment then holds nothing else."""
    command = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    return _run([*command, "install", "--no-deps", "--no-index", "--no-compile", str(wheel.resolve())], folder)


def _run(command: Sequence[str], folder: str) -> subprocess.CompletedProcess[str]:
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("PYTHON", "TRITON_", "FLAGTREE_", "PIP_"))}
    kept["TRITON_CACHE_DIR"] = os.path.join(folder, "cache")
    try:
        return subprocess.run(
            *(list(command),),
            cwd=folder,
            env=kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(list(command), 124, f"no result within {_SECONDS} seconds")
    except OSError as error:
        return subprocess.CompletedProcess(list(command), 127, f"{command[0]}: {error.strerror}")


def _failure(subject: str, what: str, done: subprocess.CompletedProcess[str], fix: str) -> Finding:
    lines = [line for line in done.stdout.strip().splitlines() if line.strip()]
    return Finding(PROBLEM, subject, f"{what} (status {done.returncode}): {' | '.join(lines[-3:])}", fix)
