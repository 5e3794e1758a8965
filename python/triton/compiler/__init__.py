"""From a jit function to a binary."""

from __future__ import annotations

from typing import Any

from triton._lazy import lazy_export
from triton.flagtree_spec import spec, spec_path

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
    return lazy_export(globals(), _EXPORTS, name, lambda: spec("compiler_exports"))
