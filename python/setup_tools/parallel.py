"""How many compilations run at once: what was asked for, else what processors and memory allow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .environment import Environment

_BYTES_PER_JOB = 1_500_000_000  # a file that includes MLIR's conversion headers takes about this much
_MEMINFO = Path("/proc/meminfo")
# Limit, use, and statistics of the control group that this process sees as its root: version 2, then version 1.
_CONTROL_GROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current"), Path("/sys/fs/cgroup/memory.stat")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.stat"),
    ),
)


def jobs(environment: Environment) -> int:
    """Parallel compilations: MAX_JOBS, else CMAKE_BUILD_PARALLEL_LEVEL, else what cores and free memory allow."""
    for name in ("MAX_JOBS", "CMAKE_BUILD_PARALLEL_LEVEL"):
        number = environment.number(name)
        if number is not None:
            return number
    return max(1, min(cores(), free_memory() // _BYTES_PER_JOB))


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory() -> int:
    """Bytes a build may use, of the machine and of its container; where neither tells, enough for one job a core."""
    return min(_limits(), default=cores() * _BYTES_PER_JOB)


def _limits() -> Iterator[int]:
    machine = _field(_MEMINFO, "MemAvailable:")
    if machine is not None:
        yield machine * 1024
    for limit_file, use_file, statistics in _CONTROL_GROUPS:
        limit, use = _number(limit_file), _number(use_file)
        if limit is not None and use is not None:
            # Pages of files count as used, but are given up when memory is needed.
            cached = _field(statistics, "inactive_file") or _field(statistics, "total_inactive_file") or 0
            yield max(0, limit - use + cached)


def _number(file: Path) -> int | None:
    """The number in ``file``; None where there is none, as with the limit "max"."""
    try:
        text = file.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def _field(file: Path, name: str) -> int | None:
    """The number in the line of ``file`` that starts with ``name``."""
    try:
        lines = file.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(words[1]) for words in map(str.split, lines) if words[:1] == [name]), None)
