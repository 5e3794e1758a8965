"""For compilers that report a configuration which is too big as a plain error.

Autotuning skips a configuration that raises `OutOfResources`, and gives up at any other error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..inductor.when_imported import when_imported
from .wrapping import wrap_once

_OVERFLOW = re.compile(r"(?P<name>\w+) overflow, requires (?P<required>\d+) bits while (?P<limit>\d+) bits available")


def overflow(message: str) -> tuple[int, int, str] | None:
    """Bits that are needed, bits that there are, and of what, if `message` is about that."""
    match = _OVERFLOW.search(message)
    return (int(match["required"]), int(match["limit"]), match["name"]) if match else None


def translate_overflow(triton: ModuleType) -> bool:
    """Has ``triton.compile`` raise `OutOfResources` for an overflow. Other errors stay what they are."""
    from triton.runtime.errors import OutOfResources

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def compile(*arguments: Any, **options: Any) -> Any:
            try:
                return original(*arguments, **options)
            except Exception as error:
                found = overflow(str(error))
                if found is None or isinstance(error, OutOfResources):
                    raise
                raise OutOfResources(*found) from error

        return compile

    return wrap_once(triton, "compile", "resource_limits", make)


def _install(_: ModuleType) -> None:
    import triton

    translate_overflow(triton)


def install_when_needed() -> None:
    """Installs the translation before the first kernel is compiled."""
    when_imported("torch._inductor.runtime.triton_heuristics", _install)
