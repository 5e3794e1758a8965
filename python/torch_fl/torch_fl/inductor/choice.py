"""Which of a kernel's configurations runs, on platforms whose kernels are not timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..profiles import Profile
from ..workarounds.wrapping import wrap_once


def first_wide(launchers: Sequence[Any], minimum_xblock: int) -> Any:
    """The first launcher whose ``XBLOCK`` is at least `minimum_xblock`, or which has none; else the first one."""
    return next(
        (launcher for launcher in launchers if launcher.config.kwargs.get("XBLOCK", minimum_xblock) >= minimum_xblock),
        launchers[0],
    )


def choose_without_timing(autotuner: type, profile: Profile) -> bool:
    """Has ``autotuner.benchmark_all_configs`` take the first fit instead of the fastest.

    Does nothing where kernels can be timed. True if this call changed anything.
    """
    if profile.tunes:
        return False

    def make(_: Callable[..., dict[Any, float]]) -> Callable[..., dict[Any, float]]:
        def benchmark_all_configs(self: Any, *arguments: Any, **options: Any) -> dict[Any, float]:
            return {first_wide(self.launchers, profile.minimum_xblock): 0.0}

        return benchmark_all_configs

    return wrap_once(autotuner, "benchmark_all_configs", "choice", make)
