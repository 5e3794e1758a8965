"""Names and modules that are imported when they are first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any


def lazy_export(
    namespace: dict[str, Any],
    exports: dict[str, str],
    name: str,
    more: Callable[[], dict[str, str] | None] = lambda: None,
) -> Any:
    """What a package's ``__getattr__`` returns for `name`, which `exports` maps to the module below it that has it.

    `namespace` is the package's ``globals()``; the value is kept there. `more` gives the selected backend's exports of
    the same kind (or None), whose modules may also be full names; it is asked only for names that `exports` lacks.
    Raises AttributeError for any other name.
    """
    package = namespace["__name__"]
    module = exports.get(name)
    if module is None and not name.startswith("__"):
        module = (more() or {}).get(name)
    if module is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    is_full = module.startswith(package.partition(".")[0] + ".")
    value = namespace[name] = getattr(importlib.import_module(module if is_full else f"{package}.{module}"), name)
    return value


class LazyModule(ModuleType):
    """Stands for the module of that name, which is imported when something in it is asked for."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(self.__name__))
