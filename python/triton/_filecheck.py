"""Tests of the compiler's output with FileCheck: patterns in comments, matched against the IR of a kernel.

FileCheck is looked for when it is needed: beside this package, where wheels put it, then on PATH.
"""

from __future__ import annotations

import functools
import inspect
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from .backends.compiler import GPUTarget

_NAMES = ("FileCheck.exe",) if sys.platform == "win32" else ("FileCheck",)
_ON_PATH = ("FileCheck", "FileCheck-22")


class MatchError(ValueError):
    """FileCheck found no match. Carries the checked text in `module_str`."""

    def __init__(self, message: str, module_str: str):
        super().__init__(message)
        self.module_str = module_str

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.module_str}"


@functools.cache
def filecheck_path() -> str:
    """Path of the FileCheck program. FileNotFoundError says where it was looked for."""
    # From the package's own place, not from this file's: an overlay may hold a copy of the file.
    folder = os.path.dirname(os.path.abspath(sys.modules["triton"].__file__))
    beside = [os.path.join(folder, name) for name in _NAMES]
    found = next((path for path in beside if os.access(path, os.X_OK)), None)
    found = found or next(filter(None, map(shutil.which, _ON_PATH)), None)
    if found is None:
        raise FileNotFoundError(
            f"FileCheck is neither at {beside[0]} nor on PATH. Wheels contain it; in a checkout it is built with "
            "libtriton, and the LLVM tools packages of distributions have it, too"
        )
    return found


def run_filecheck(name: str, module_str: str, check_template: str) -> None:
    """MatchError unless `module_str` matches the check lines of `check_template`; `name` appears in messages."""
    program = filecheck_path()
    with tempfile.TemporaryDirectory(prefix="triton-filecheck-") as folder:
        checks, module = os.path.join(folder, f"{name}.check"), os.path.join(folder, f"{name}.mlir")
        for path, text in ((checks, check_template), (module, module_str)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        command = [program, "--dump-input-context=50", "--input-file", module, checks]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MatchError(f"{name}: FileCheck failed\n{done.stderr}", module_str)


def _stub_target() -> GPUTarget:
    from .backends import backends

    return GPUTarget("cpu", "", 1) if "cpu" in backends else next(iter(backends.values())).driver().get_current_target()


def run_parser(kernel_fn: Any, args: Sequence[Any] = (), kwargs: dict | None = None, target: Any = None) -> Any:
    """TTIR of `kernel_fn` for these arguments, before any pass. No device is needed. Dtypes stand for pointers."""
    from .compiler.compiler import ASTSource, _contexts, make_backend
    from .runtime.binder import attributes, bind, constants, specialize
    from .runtime.jit import MockTensor

    backend = make_backend(target or _stub_target())
    values, given = bind(kernel_fn, tuple(map(MockTensor.wrap_dtype, args)), dict(kwargs or {}))
    spec = specialize(kernel_fn, backend, values)
    signature = dict(zip(kernel_fn.arg_names, spec.types))
    source = ASTSource(kernel_fn, signature, constants(spec, values), attributes(spec, backend))
    options = backend.parse_options(given)
    return source.make_ir(
        backend.target,
        options,
        backend.get_codegen_implementation(options),
        backend.get_module_map(),
        _contexts.get(backend),
    )


def run_filecheck_test(kernel_fn: Any) -> None:
    """Matches the TTIR of a kernel without parameters against the check comments in its own source."""
    checks = kernel_fn.src
    if "CHECK" not in checks:
        raise ValueError(f"{kernel_fn.__name__}: its source has no CHECK comments")
    module = run_parser(kernel_fn)
    text = module.str_nodebug() if hasattr(module, "str_nodebug") else str(module)
    run_filecheck(kernel_fn.__name__, text, checks)


def filecheck_test(fn: Any) -> Callable[[], None]:
    """Decorator for tests: the jit function becomes a test that runs `run_filecheck_test` on it."""

    @functools.wraps(fn.fn if hasattr(fn, "fn") else fn)
    def test() -> None:
        run_filecheck_test(fn)

    test.__signature__ = inspect.Signature()
    return test
