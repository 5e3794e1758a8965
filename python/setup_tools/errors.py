"""Errors of the build. Each message says what failed, where, why and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BuildError(Exception):
    """Something the person who runs the build can put right."""


class ManifestError(BuildError):
    """A backend.toml that cannot be used."""


class UnknownBackendError(BuildError):
    """A backend name that no manifest has."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` Did you mean 'x'?`` for the known name nearest to ``name``, else an empty string."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), by_lower, 1, 0.5)
    return f" Did you mean {by_lower[close[0]]!r}?" if close else ""
