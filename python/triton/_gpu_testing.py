"""The part of `triton.testing` that only GPUs, or the tools of one vendor, can answer.

The names exist so that software that uses them on such a device can be imported everywhere.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

__all__ = ["cublas", "cuda_graph_without_gc", "cuda_memcheck", "nvsmi", "set_gpu_clock"]


def _active() -> Any:
    from .runtime.driver import driver

    return driver.active


def _unavailable(name: str, what: str, instead: str) -> NoReturn:
    target = _active().get_current_target()
    raise NotImplementedError(f"triton.testing.{name} {what}, which the backend {target.backend!r} has not; {instead}")


def nvsmi(attrs: list[str]) -> list[int]:
    """What the driver's method `query_device` reports for `attrs`. NotImplementedError where there is none."""
    query = getattr(_active(), "query_device", None)
    if query is None:
        _unavailable("nvsmi", "asks the management tool of a GPU", "for peak rates pass clock_rate=None instead")
    return query(attrs)


@contextlib.contextmanager
def set_gpu_clock(ref_sm_clock: int = 1350, ref_mem_clock: int = 1215) -> Iterator[tuple[float, float]]:
    """Fixes the clocks (MHz) inside of the context by the driver's `fixed_clocks`, itself a context manager.

    Gives the peak rates then, in tera-operations and GB per second. NotImplementedError where the driver has none.
    """
    fix = getattr(_active(), "fixed_clocks", None)
    if fix is None:
        _unavailable("set_gpu_clock", "fixes the clocks of a GPU", "measure ratios within one process instead")
    with fix(ref_sm_clock, ref_mem_clock) as rates:
        yield rates


def cuda_memcheck(**target_kwargs: Any) -> Callable[[Callable], Callable]:
    """Decorator of tests, which runs them as they are. Accesses are checked by TRITON_CPU_SANITIZE=1 instead."""
    return lambda test: test


def cublas() -> Any:
    """The driver's `blas()`: its library of products. NotImplementedError where there is none."""
    library = getattr(_active(), "blas", None)
    if library is None:
        _unavailable("cublas", "is the library of a GPU", "compare with torch.matmul")
    return library()


@contextlib.contextmanager
def cuda_graph_without_gc(*args: Any, **kwargs: Any) -> Iterator[Any]:
    """Records a graph of the active device without a garbage collection in between, which might free its memory.

    The arguments are those of the `graph` of torch's module for the device. NotImplementedError where it has none.
    """
    graph = getattr(_active().get_device_interface(), "graph", None)
    if graph is None:
        _unavailable("cuda_graph_without_gc", "records graphs of launches", "call the launches themselves")
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        with graph(*args, **kwargs) as recorded:
            yield recorded
    finally:
        if was_enabled:
            gc.enable()
