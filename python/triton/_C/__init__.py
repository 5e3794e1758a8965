"""Holds ``libtriton``, the compiler's native library, where the build puts it."""

import os
from importlib.machinery import EXTENSION_SUFFIXES

_names = sorted(name for name in os.listdir(__path__[0]) if name.startswith("libtriton."))
if not any(f"libtriton{suffix}" in _names for suffix in EXTENSION_SUFFIXES):
    _found = f"it was built for another Python: {', '.join(_names)}" if _names else "the C++ part was not built"
    raise ImportError(
        f"{__path__[0]} holds no libtriton for this Python ({EXTENSION_SUFFIXES[0]}); {_found}. In a checkout, build "
        "it with `pip install --no-build-isolation -e .`; otherwise the installation is incomplete: reinstall it."
    )
