"""For backends that map `triton.language.extra.libdevice` to nothing, although they have a library of their own.

Without the map, kernels call the generic stubs, whose result has no type.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..inductor.when_imported import when_imported
from ..profiles import profile
from .wrapping import wrap_once

GENERIC = "triton.language.extra.libdevice"


def add_library(backend: type, library: Callable[[], ModuleType]) -> bool:
    """Has ``backend.get_module_map`` name the module that `library` imports, where its own map is empty."""

    def make(original: Callable[[Any], dict[str, ModuleType]]) -> Callable[[Any], dict[str, ModuleType]]:
        def get_module_map(self: Any) -> dict[str, ModuleType]:
            return original(self) or {GENERIC: library()}

        return get_module_map

    return wrap_once(backend, "get_module_map", "libdevice", make)


def _install(_: ModuleType) -> None:
    from triton.backends import backends

    key = profile().triton_key
    if key in backends:
        name = f"triton.language.extra.{key}.libdevice"
        add_library(backends[key].compiler, lambda: importlib.import_module(name))


def install_when_needed() -> None:
    """Installs the map before the first kernel is compiled."""
    when_imported("torch._inductor.runtime.triton_heuristics", _install)
