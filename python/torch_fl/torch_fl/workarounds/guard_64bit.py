"""For compilers that end the process at a value of 64 bits: such a kernel is refused before they see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from ..inductor.when_imported import when_imported
from .wrapping import wrap_once

_IN_SOURCE = re.compile(r"\b(u?int64|float64|fp64)\b")
_IN_SIGNATURE = re.compile(r"\*?(i64|u64|fp64)")


def wide_type(source: str, signature: Iterable[str]) -> str | None:
    """The first type of 64 bits in a kernel's text or among the types of its arguments; None without one."""
    match = _IN_SOURCE.search(source)
    if match:
        return match[0]
    return next((kind for kind in signature if _IN_SIGNATURE.fullmatch(kind)), None)


def refuse_wide_kernels(autotuner: type) -> bool:
    """Has ``autotuner._precompile_config`` raise InductorError, naming the kernel, before it compiles one."""
    from torch._inductor.exc import InductorError

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def _precompile_config(self: Any, *arguments: Any, **options: Any) -> Any:
            found = wide_type(self.fn.src, self.triton_meta.get("signature", {}).values())
            if found:
                raise InductorError(
                    RuntimeError(
                        f"kernel {self.fn.__name__} needs {found}, and the device's compiler has no values of 64 "
                        f"bits. Use 32-bit indices and floating point numbers"
                    ),
                    None,
                )
            return original(self, *arguments, **options)

        return _precompile_config

    return wrap_once(autotuner, "_precompile_config", "guard_64bit", make)


def _install(heuristics: ModuleType) -> None:
    refuse_wide_kernels(heuristics.CachingAutotuner)


def install_when_needed() -> None:
    """Installs the guard before the first kernel is compiled."""
    when_imported("torch._inductor.runtime.triton_heuristics", _install)
