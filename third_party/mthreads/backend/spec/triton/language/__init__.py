"""Additions to ``triton.language``."""

from __future__ import annotations

from typing import Any

_EXPORTS = (
    "_experimental_descriptor_load",
    "_experimental_descriptor_store",
    "_experimental_make_tensor_descriptor",
)


def language_extend_globals(names: dict[str, Any]) -> None:
    """Add this backend's functions to ``names``, the globals of ``triton.language``; called after all its imports."""
    from triton.language import descriptor_names

    for name in _EXPORTS:
        names[name] = getattr(descriptor_names, name)
