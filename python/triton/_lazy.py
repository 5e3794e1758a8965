"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import importlib
from typing import Any


def lazy_export(namespace: dict[str, Any], exports: dict[str, str], name: str) -> Any:
    """What a package's ``__getattr__`` returns for `name`, which `exports` maps to the module below it that has it.

    `namespace` is the package's ``globals()``; the value is kept there. Raises AttributeError for any other name.
    """
    package = namespace["__name__"]
    module = exports.get(name)
    if module is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    value = namespace[name] = getattr(importlib.import_module(f"{package}.{module}"), name)
    return value
