"""The Triton language and compiler."""

from __future__ import annotations

import importlib
from typing import Any

from ._lazy import lazy_export

__version__ = "3.6.0"

# Names and the modules that define them. They are imported at first use, so that `import triton` stays cheap and
# loads neither the compiler's library nor a driver.
_EXPORTS: dict[str, str] = {
    "AsyncCompileMode": "runtime._async_compile",
    "CompilationError": "compiler.errors",
    "Config": "runtime.autotuner",
    "FutureKernel": "runtime._async_compile",
    "InterpreterError": "runtime.errors",
    "JITFunction": "runtime.jit",
    "KernelInterface": "runtime.jit",
    "MockTensor": "runtime.jit",
    "OutOfResources": "runtime.errors",
    "TensorWrapper": "runtime.jit",
    "TritonError": "errors",
    "aggregate": "language.core",
    "autotune": "runtime.autotuner",
    "cdiv": "_host_functions",
    "compile": "compiler.compiler",
    "constexpr_function": "runtime.jit",
    "heuristics": "runtime.autotuner",
    "jit": "runtime.jit",
    "max_shared_mem": "compiler.compiler",
    "must_use_result": "language.core",
    "next_power_of_2": "_host_functions",
    "reinterpret": "runtime.jit",
    "set_allocator": "runtime._allocation",
}
_SUBMODULES = ("backends", "compiler", "errors", "knobs", "language", "runtime", "testing", "tools")

__all__ = list(_EXPORTS)
__all__ += ["language", "runtime", "testing", "tools"]


def __getattr__(name: str) -> Any:
    if name == "_C":  # other software reaches for triton._C.libtriton without importing it
        return importlib.import_module(f"{__name__}._C.libtriton") and importlib.import_module(f"{__name__}._C")
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    return lazy_export(globals(), _EXPORTS, name, _exports_of_the_backend)


def _exports_of_the_backend() -> dict[str, str] | None:
    from .flagtree_spec import spec

    return spec("triton_exports")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES})
