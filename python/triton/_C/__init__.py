"""Holds ``libtriton``, the compiler's native library, where the build puts it."""

from __future__ import annotations

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES


def _without_sanitizer(note: str) -> str | None:
    """How to start Python for a libtriton built with AddressSanitizer, None where its runtime is already there.

    Without it, the runtime would end the process with a message that does not say what to load.
    """
    with open(note, encoding="utf-8") as file:
        preload = file.read().strip()
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        if os.path.realpath(preload.partition(":")[0]) in file.read():
            return None
    # LLVM's own libraries are not instrumented: memory that they mark as in use stays marked as free for us.
    return f"LD_PRELOAD={preload} ASAN_OPTIONS=detect_leaks=0:allow_user_poisoning=0 {sys.executable}"


_names = sorted(name for name in os.listdir(__path__[0]) if name.startswith("libtriton."))
if not any(f"libtriton{suffix}" in _names for suffix in EXTENSION_SUFFIXES):
    _found = f"it was built for another Python: {', '.join(_names)}" if _names else "the C++ part was not built"
    raise ImportError(
        f"{__path__[0]} holds no libtriton for this Python ({EXTENSION_SUFFIXES[0]}); {_found}. In a checkout, build "
        "it with `pip install --no-build-isolation -e .`; otherwise the installation is incomplete: reinstall it."
    )
for _name in (f"libtriton{suffix}.asan" for suffix in EXTENSION_SUFFIXES):
    if _name in _names and (_command := _without_sanitizer(os.path.join(__path__[0], _name))):
        raise ImportError(
            f"this libtriton was built with AddressSanitizer, whose runtime must be loaded first. Start Python as\n"
            f"  {_command} ..."
        )
