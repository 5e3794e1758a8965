"""Tools around kernels: ahead-of-time compilation, descriptors, microscaling formats."""

from __future__ import annotations

from typing import Any

from triton._lazy import lazy_export
from triton.flagtree_spec import spec_path

spec_path(__path__)

_EXPORTS = {"LinearLayout": "linear_layout"}
__all__ = list(_EXPORTS)


def __getattr__(name: str) -> Any:
    return lazy_export(globals(), _EXPORTS, name)
