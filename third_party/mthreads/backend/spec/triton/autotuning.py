"""Which configurations are worth timing on MUSA devices."""

from __future__ import annotations

from typing import Any

_TOLD_APART_BY = ("kwargs", "num_warps", "maxnreg", "pre_hook", "ir_override")


def select_configs(configs: list[Any], target: Any) -> list[Any]:
    """Those of ``configs`` that a device of ``target`` can run, each only once.

    Programs with too many threads, which come from devices with 32 threads in step, and clusters are left out. Of
    configurations that differ only in the number of stages, the first one stays: the compiler does not use it. If none
    can run, all stay, so that compiling them says why. Other targets of this installation keep what they have.
    """
    from triton.backends.mthreads.target import MAX_THREADS, TARGET

    if target.backend != TARGET:
        return configs
    possible = [c for c in configs if c.num_warps * target.warp_size <= MAX_THREADS and c.num_ctas == 1]
    distinct: list[Any] = []
    for config in possible:
        if not any(_same(config, other) for other in distinct):
            distinct.append(config)
    return distinct or configs


def _same(one: Any, other: Any) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in _TOLD_APART_BY)
