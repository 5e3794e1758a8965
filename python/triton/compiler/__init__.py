"""From a jit function to a binary."""

from __future__ import annotations

import importlib
from typing import Any

from triton.flagtree_spec import spec_path

spec_path(__path__)

_EXPORTS = {
    "ASTSource": "source",
    "CompilationError": "errors",
    "CompiledKernel": "compiled_kernel",
    "IRSource": "source",
    "LazyDict": "compiled_kernel",
    "compile": "compiler",
    "get_cache_key": "compiler",
    "make_backend": "compiler",
    "max_shared_mem": "compiler",
}
__all__ = list(_EXPORTS)


def __getattr__(name: str) -> Any:
    """Imported at first use: declaring kernels needs none of it."""
    module = _EXPORTS.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value
