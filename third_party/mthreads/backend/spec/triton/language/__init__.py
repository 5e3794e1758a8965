"""Additions to ``triton.language``."""

from __future__ import annotations

from typing import Any

_EXPORTS = {
    "singleton_dims": ("squeeze", "unsqueeze"),
    "descriptor_names": (
        "_experimental_descriptor_load",
        "_experimental_descriptor_store",
        "_experimental_make_tensor_descriptor",
    ),
}


def language_extend_globals(names: dict[str, Any]) -> None:
    """Add this backend's functions to ``names``, the globals of ``triton.language``; called after all its imports."""
    from triton.language import descriptor_names, singleton_dims

    for module in (singleton_dims, descriptor_names):
        for name in _EXPORTS[module.__name__.rpartition(".")[2]]:
            names[name] = getattr(module, name)
