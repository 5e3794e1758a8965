"""The CPU backend of the active Triton, if it has one. Others' Triton has none, and loads this package all the same."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType
from typing import Any

NAME = "flagos"
WHY_NOT = "this Triton compiles nothing for processors; install the flagtree wheel in its place"
_CPU = "triton.backends.cpu"


def part(name: str) -> ModuleType | None:
    """Module `name` of the CPU backend; None in a Triton without one."""
    if importlib.util.find_spec(_CPU) is None:
        return None
    return importlib.import_module(f"{_CPU}.{name}")


def refuse(*_: Any, **__: Any) -> Any:
    """What every method does in a Triton without a CPU backend: RuntimeError, which says what to install."""
    raise RuntimeError(f"{NAME}: {WHY_NOT}")
