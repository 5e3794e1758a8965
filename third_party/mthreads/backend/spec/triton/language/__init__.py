"""Additions to ``triton.language``."""

from __future__ import annotations

from typing import Any


def language_extend_globals(names: dict[str, Any]) -> None:
    """Add this backend's functions to ``names``, the globals of ``triton.language``; called after all its imports."""
    from triton.language.singleton_dims import squeeze, unsqueeze

    names["squeeze"] = squeeze
    names["unsqueeze"] = unsqueeze
