"""Additions to ``triton._internal_testing``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def testing_extend_globals(names: dict[str, Any]) -> None:
    """Add tests of the current device to ``names``, the globals of ``triton._internal_testing``."""
    current_target: Callable[[], Any] = names["get_current_target"]

    def is_musa() -> bool:
        """True if launches go to a Moore Threads GPU."""
        target = current_target()
        return target is not None and target.backend == "musa"

    def is_musa_arch(arch: int) -> bool:
        """True if they go to one of this architecture (31 for ``mp_31``)."""
        return is_musa() and current_target().arch == arch

    names["is_musa"] = is_musa
    names["is_musa_arch"] = is_musa_arch
