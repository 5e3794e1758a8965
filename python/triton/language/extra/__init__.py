"""Functions beyond the core language. A backend adds sub-packages here; `libdevice` is common to all.

Kernels import some packages by the name of a device whatever they are compiled for. `_absent` has those, for
installations where no backend brings them: it is searched last.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from typing import Any

_triton = os.path.dirname(os.path.abspath(sys.modules["triton"].__file__))  # that of an overlay's copy, too
__path__.append(os.path.join(_triton, "language", "extra", "_absent"))


def __getattr__(name: str) -> Any:
    """Modules are imported at first use: most kernels need none of them."""
    if not name.startswith("_") and name in _modules():
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(_modules())}")


def _modules() -> list[str]:
    # Sub-packages come from backends, so the trunk cannot name them.
    return sorted({module.name for module in pkgutil.iter_modules(__path__) if module.name[0] != "_"})


def __dir__() -> list[str]:
    return sorted([*globals(), *_modules()])
