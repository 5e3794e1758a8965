"""Functions beyond the core language. A backend adds sub-packages here; `libdevice` is common to all."""

from __future__ import annotations

import importlib
import pkgutil

from . import libdevice

__all__ = ["libdevice"]

# Sub-packages come from backends, so the trunk cannot name them.
for _module in pkgutil.iter_modules(__path__):
    if _module.ispkg:
        globals()[_module.name] = importlib.import_module(f"{__name__}.{_module.name}")
        __all__.append(_module.name)
