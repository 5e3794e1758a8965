"""For compilers that load strided tiles of single bytes wrongly under a mask: repeated pairs.

Kernels ask for linear addressing, and pointers to bool are declared as pointers to bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..inductor.when_imported import when_imported
from .wrapping import wrap_once

_OPTION = "enable_linearize"


def declare_bytes(triton_utils: ModuleType) -> bool:
    """Has ``signature_of`` say ``*i8`` for ``*i1``. A scalar ``i1`` stays."""

    def make(original: Callable[..., str]) -> Callable[..., str]:
        def signature_of(*arguments: Any, **options: Any) -> str:
            declared = original(*arguments, **options)
            return "*i8" if declared == "*i1" else declared

        return signature_of

    return wrap_once(triton_utils, "signature_of", "byte_loads", make)


def linearize(triton: ModuleType) -> bool:
    """Has ``triton.compile`` pass the compiler's option, unless the caller decides about it."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def compile(src: Any, target: Any = None, options: Any = None, **more: Any) -> Any:
            return original(src, target=target, options={_OPTION: True, **(options or {})}, **more)

        return compile

    return wrap_once(triton, "compile", "byte_loads", make)


def _declare_bytes(triton_utils: ModuleType) -> None:
    declare_bytes(triton_utils)


def _linearize(_: ModuleType) -> None:
    import triton

    linearize(triton)


def install_when_needed() -> None:
    """Installs both before the first kernel is generated or compiled."""
    when_imported("torch._inductor.codegen.triton_utils", _declare_bytes)
    when_imported("torch._inductor.runtime.triton_heuristics", _linearize)
