"""What kernels can use on the CPU beyond the core language: `libdevice`."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """The 200 functions are made when a kernel asks for one."""
    if name == "libdevice":
        return importlib.import_module(f"{__name__}.libdevice")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has libdevice")


def __dir__() -> list[str]:
    return sorted({*globals(), "libdevice"})
