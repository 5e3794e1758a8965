"""Launching kernels: jit functions, drivers, autotuning, caches."""

from __future__ import annotations

from typing import Any

from triton._lazy import lazy_export
from triton.flagtree_spec import spec, spec_path

spec_path(__path__)

# `driver` is both a module and, for users, the object in it. It must be bound after the module was imported.
from .driver import driver  # noqa: E402
from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret  # noqa: E402

_EXPORTS = {
    "Autotuner": "autotuner",
    "Config": "autotuner",
    "Heuristics": "autotuner",
    "InterpreterError": "errors",
    "OutOfResources": "errors",
    "RedisRemoteCacheBackend": "cache",
    "RemoteCacheBackend": "cache",
    "autotune": "autotuner",
    "heuristics": "autotuner",
}
__all__ = [
    "Autotuner",
    "Config",
    "Heuristics",
    "InterpreterError",
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "OutOfResources",
    "RedisRemoteCacheBackend",
    "RemoteCacheBackend",
    "TensorWrapper",
    "autotune",
    "driver",
    "heuristics",
    "reinterpret",
]


def __getattr__(name: str) -> Any:
    """Imported at first use: declaring kernels needs none of it."""
    return lazy_export(globals(), _EXPORTS, name, lambda: spec("runtime_exports"))
