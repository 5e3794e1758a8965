"""Sizes of blocks for processors, in place of those that Inductor proposes for graphics cards.

A program is one thread's work here, lanes are a vector's, and what a program needs again should be in the first cache.
So a program is long along the memory, and not wide across it. Measured on two cores with 512-bit vectors; see
`docs/performance.md`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from .._claim import NAME
from ..profiles import Profile
from ..workarounds.wrapping import wrap_once

_ROWS_AT_ONCE = 16
_ROW = 4096
_PART_OF_A_ROW = 256
_FEWEST_COLUMNS, _MOST_COLUMNS = 64, 512
_TILE = {"YBLOCK": 16, "XBLOCK": 64}


def _reduces_columns(meta: Mapping[str, Any]) -> bool:
    """Are neighbours in memory results of their own, rather than parts of one sum?"""
    if "OUTER" in str(meta.get("reduction_hint")):
        return True
    scores = meta.get("tiling_scores") or {}
    return scores.get("x", 0) > scores.get("r0_", 0)


def _columns(x: int, threads: int) -> int:
    """As many as keep sums in registers or the first cache, and leave some programs for every thread."""
    return min(x, _MOST_COLUMNS, max(_FEWEST_COLUMNS, x // (4 * threads)))


def host_blocks(kind: str, sizes: Mapping[str, int], meta: Mapping[str, Any], threads: int) -> dict[str, int] | None:
    """Sizes by name for a kernel of `kind`, or None to leave them to Inductor.

    `sizes` are powers of two at least as large as the kernel's dimensions, `meta` what Inductor knows about it,
    `threads` how many run programs.
    """
    if kind == "POINTWISE" and set(sizes) == {"x", "y"}:
        return {name: min(block, sizes[name[0].lower()]) for name, block in _TILE.items()}
    if set(sizes) != {"x", "r0_"} or "RSPLIT_SIZE" in meta:
        return None
    x, row = sizes["x"], sizes["r0_"]
    if kind == "PERSISTENT_REDUCTION" and not _reduces_columns(meta):
        return {"XBLOCK": min(x, _ROWS_AT_ONCE, max(1, _ROW // row))}
    if kind == "REDUCTION" and _reduces_columns(meta):
        return {"XBLOCK": _columns(x, threads), "R0_BLOCK": 1}
    if kind == "REDUCTION":
        return {"XBLOCK": 1, "R0_BLOCK": min(row, _PART_OF_A_ROW)}
    return None


def _with_blocks(config: Any, blocks: Mapping[str, int]) -> Any | None:
    """A copy of `config` with other sizes; None if it has sizes that nothing is known about."""
    known = {"XBLOCK", "YBLOCK", "R0_BLOCK"}
    if not set(config.kwargs) <= known:
        return None
    changed = copy.deepcopy(config)
    changed.kwargs.update((name, size) for name, size in blocks.items() if name in changed.kwargs)
    return changed


def _is_tuned(meta: Mapping[str, Any]) -> bool:
    return bool(meta.get("max_autotune") or meta.get("max_autotune_pointwise"))


def prefer_host_blocks(heuristics: ModuleType, profile: Profile) -> bool:
    """Has ``heuristics.cached_autotune`` use sizes for processors, where kernels run on them.

    Where tuning is asked for, they are tried beside Inductor's. Does nothing for accelerators. True if this call
    changed anything.
    """
    if profile.name != "host":
        return False

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def cached_autotune(
            size_hints: Mapping[str, int] | None,
            configs: list[Any],
            triton_meta: Mapping[str, Any],
            heuristic_type: Any,
            filename: str | None = None,
            inductor_meta: Mapping[str, Any] | None = None,
            **options: Any,
        ) -> Any:
            device, meta = triton_meta.get("device"), inductor_meta or {}
            if isinstance(size_hints, Mapping) and configs and getattr(device, "type", None) in (NAME, "cpu"):
                threads = max(1, getattr(device, "multi_processor_count", None) or 1)
                blocks = host_blocks(heuristic_type.name, size_hints, meta, threads)
                ours = _with_blocks(configs[0], blocks) if blocks else None
                if ours is not None:
                    configs = [ours, *configs] if _is_tuned(meta) else [ours]
            return original(
                size_hints,
                configs,
                triton_meta=triton_meta,
                heuristic_type=heuristic_type,
                filename=filename,
                inductor_meta=inductor_meta,
                **options,
            )

        return cached_autotune

    return wrap_once(heuristics, "cached_autotune", "host_blocks", make)
