"""Whether the Triton of this process is FlagTree."""

from __future__ import annotations

import importlib
import importlib.util
import os
from importlib import metadata

ENVIRONMENT = "FLAGOS_USE_FLAGTREE"
_MARKERS = ("triton.flagtree_spec", "triton._flagtree_spec")
_BACKEND = "triton._flagtree_backend"


def is_flagtree() -> bool:
    """True if the active `triton` has FlagTree's marker module, or distribution ``flagtree`` owns its folder."""
    spec = importlib.util.find_spec("triton")
    if spec is None:
        return False
    return any(importlib.util.find_spec(marker) is not None for marker in _MARKERS) or _is_owned(
        list(spec.submodule_search_locations or ())
    )


def backend_name() -> str | None:
    """The backend that the active FlagTree was built for; None for another Triton, or a tree that was never built."""
    if importlib.util.find_spec("triton") is None or importlib.util.find_spec(_BACKEND) is None:
        return None
    return getattr(importlib.import_module(_BACKEND), "BACKEND", None)


def _is_owned(folders: list[str]) -> bool:
    try:
        files = metadata.files("flagtree") or ()
    except metadata.PackageNotFoundError:
        return False
    return any(str(file.locate().parent) in folders for file in files if file.name == "__init__.py")


def assert_flagtree_if_asked() -> None:
    """RuntimeError if ``FLAGOS_USE_FLAGTREE=1`` and another Triton is active. Nothing is switched on by it."""
    if os.environ.get(ENVIRONMENT) != "1" or is_flagtree():
        return
    spec = importlib.util.find_spec("triton")
    where = spec.origin if spec else "nowhere"
    raise RuntimeError(
        f"{ENVIRONMENT}=1, and the active triton ({where}) is not FlagTree. Install the flagtree wheel in its place, "
        f"or unset the variable"
    )
