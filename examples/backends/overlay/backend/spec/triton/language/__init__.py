"""Additions to ``triton.language``."""

from __future__ import annotations

from typing import Any


def language_extend_globals(names: dict[str, Any]) -> None:
    """Adds ``tl.lerp`` to `names`, the globals of ``triton.language``; called after all its imports."""
    from triton.language.interpolation import lerp

    names["lerp"] = lerp
