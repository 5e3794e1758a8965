"""The module with what differs by where the device's memory is."""

from __future__ import annotations

from types import ModuleType

from ..profiles import profile


def _choose() -> ModuleType:
    if profile().memory == "cuda":
        from . import _cuda

        return _cuda
    from . import _host

    return _host


backing = _choose()
