"""Timing that survives a noisy machine: interleaved rounds, medians, cold caches, fresh processes."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import torch


class CacheFlush:
    """Writes `megabytes` of memory, so that what ran before has left the caches. 0 does nothing."""

    def __init__(self, megabytes: int):
        self._buffer = torch.zeros(megabytes << 18, dtype=torch.int32)

    def __call__(self) -> None:
        self._buffer.add_(1)


def interleaved(candidates: dict[str, Callable[[], object]], rounds: int, flush: CacheFlush) -> dict[str, list[float]]:
    """Seconds per call of every candidate, `rounds` times, all candidates in each round.

    Every second round runs backwards, so that no candidate always follows the same one.
    """
    for call in candidates.values():
        call()
        call()
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(rounds):
        names = list(candidates)
        for name in names if number % 2 == 0 else reversed(names):
            flush()
            start = time.perf_counter()
            candidates[name]()
            times[name].append(time.perf_counter() - start)
    return times


def paired_ratio(reference: list[float], ours: list[float]) -> float:
    """Speed of `ours` relative to `reference`: the median of the ratios within each round, so slow phases cancel."""
    return statistics.median(r / o for r, o in zip(reference, ours, strict=True))


def per_call(call: Callable[[], object], calls: int = 1000, repeats: int = 30) -> float:
    """Seconds per call of something far shorter than a timer reading: the median of `repeats` loops."""
    for _ in range(calls):
        call()
    results = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        results.append((time.perf_counter() - start) / calls)
    return statistics.median(results)


def fresh_process(code: str, *arguments: str) -> str:
    """What `code` prints, run by a new interpreter with an empty kernel cache. RuntimeError when it fails.

    Modules come from bytecode, as those of an installed package do; the first call of a benchmark writes it.
    """
    with tempfile.TemporaryDirectory(prefix="triton-bench-") as cache:
        return process_with_cache(cache, "-c", code, *arguments)


def process_with_cache(cache: str, *arguments: str, **variables: str) -> str:
    """What a new interpreter with `arguments` prints, with its kernel cache in folder `cache`. See fresh_process.

    `variables` are added to its environment.
    """
    environment = {**os.environ, "TRITON_CACHE_DIR": cache, "PYTHONPYCACHEPREFIX": _bytecode.name, **variables}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"a benchmark process failed with code {done.returncode}:\n{done.stderr}")
    return done.stdout.strip()


_bytecode = tempfile.TemporaryDirectory(prefix="triton-bench-bytecode-")
