"""Timing kernels, comparing results, and plots of performance."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

from ._benchmark_report import Benchmark, Mark, perf_report
from ._gpu_testing import cublas, cuda_graph_without_gc, cuda_memcheck, nvsmi, set_gpu_clock

__all__ = [
    "Benchmark",
    "Mark",
    "assert_close",
    "cublas",
    "cuda_graph_without_gc",
    "cuda_memcheck",
    "do_bench",
    "do_bench_cudagraph",
    "do_bench_cudagraph_proton",
    "do_bench_proton",
    "get_dram_gbps",
    "get_max_simd_tflops",
    "get_max_tensorcore_tflops",
    "nvsmi",
    "perf_report",
    "set_gpu_clock",
]

_RETURN_MODES = ("min", "max", "mean", "median", "all")


def _quantile(ordered: list[float], q: float) -> float:
    """Linear interpolation between the closest of the `ordered` values."""
    if not 0 <= q <= 1:
        raise ValueError(f"quantiles must be in [0, 1], got {q}")
    position = q * (len(ordered) - 1)
    low, high = math.floor(position), math.ceil(position)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def _summarize(times: list[float], quantiles: Any, return_mode: str) -> Any:
    if quantiles is not None:
        ordered = sorted(times)
        values = [_quantile(ordered, q) for q in quantiles]
        return values[0] if len(values) == 1 else values
    if return_mode == "all":
        return times
    return {"min": min, "max": max, "mean": statistics.fmean, "median": statistics.median}[return_mode](times)


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Any = None,
    quantiles: Any = None,
    return_mode: str = "mean",
) -> Any:
    """Milliseconds that `fn` takes, with cold caches.

    `warmup` and `rep` are milliseconds to spend before and on measuring. Returns the `quantiles` of the runs (one
    number, or a list), or what `return_mode` asks for: min, max, mean, median or all. The gradients of the tensors
    in `grad_to_none` are dropped before each run.
    """
    if return_mode not in _RETURN_MODES:
        raise ValueError(f"do_bench(return_mode=...): expected one of {', '.join(_RETURN_MODES)}, got {return_mode!r}")
    from .runtime.driver import driver

    active = driver.active
    device = active.get_device_interface()
    fn()
    device.synchronize()
    cache = active.get_empty_cache_for_benchmark()
    start, end = device.Event(enable_timing=True), device.Event(enable_timing=True)
    start.record()
    for _ in range(5):
        active.clear_cache(cache)
        fn()
    end.record()
    device.synchronize()
    estimate = max(start.elapsed_time(end) / 5, 1e-6)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    repeats = max(1, int(rep / estimate))
    starts = [device.Event(enable_timing=True) for _ in range(repeats)]
    ends = [device.Event(enable_timing=True) for _ in range(repeats)]
    for begin, finish in zip(starts, ends):
        for tensor in grad_to_none or ():
            tensor.grad = None
        active.clear_cache(cache)
        begin.record()
        fn()
        finish.record()
    device.synchronize()
    return _summarize([b.elapsed_time(f) for b, f in zip(starts, ends)], quantiles, return_mode)


def do_bench_cudagraph(
    fn: Callable[[], Any],
    rep: float = 20,
    grad_to_none: Any = None,
    quantiles: Any = None,
    return_mode: str = "mean",
) -> Any:
    """As `do_bench`, but without the cost of launching on devices that can replay a recorded graph.

    A driver provides it as ``do_bench_graph``; on others this is `do_bench`.
    """
    from .runtime.driver import driver

    bench = getattr(driver.active, "do_bench_graph", None) or do_bench
    return bench(fn, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)


def do_bench_proton(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Any = None,
    quantiles: Any = None,
    return_mode: str = "mean",
) -> Any:
    """As `do_bench`, but counts only time within kernels where a profiler can tell.

    A driver provides it as ``do_bench_kernels``; on others this is `do_bench`.
    """
    from .runtime.driver import driver

    bench = getattr(driver.active, "do_bench_kernels", None) or do_bench
    return bench(fn, warmup, rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)


def do_bench_cudagraph_proton(
    fn: Callable[[], Any],
    rep: float = 20,
    grad_to_none: Any = None,
    quantiles: Any = None,
    return_mode: str = "mean",
) -> Any:
    """As `do_bench_cudagraph`, but counts only time within kernels where a profiler can tell.

    A driver provides it as ``do_bench_graph_kernels``; on others this is `do_bench_cudagraph`.
    """
    from .runtime.driver import driver

    bench = getattr(driver.active, "do_bench_graph_kernels", None) or do_bench_cudagraph
    return bench(fn, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)


def _to_numpy(value: Any) -> Any:
    import numpy as np

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        try:
            return value.numpy()
        except TypeError:  # bfloat16 and the like have no NumPy type
            return value.float().numpy()
    return np.asarray(value)


def assert_close(x: Any, y: Any, atol: Any = None, rtol: Any = None, err_msg: str = "") -> None:
    """AssertionError unless `x` and `y` agree: ``|x - y| <= atol + rtol * |y|``, NaN where NaN is.

    The tolerances are numbers, or functions of the dtype of `x`; they default to 1e-2 and 0.
    """
    import numpy as np

    left, right = _to_numpy(x), _to_numpy(y)
    absolute = 1e-2 if atol is None else atol(left.dtype) if callable(atol) else atol
    relative = 0.0 if rtol is None else rtol(left.dtype) if callable(rtol) else rtol
    if left.size <= 1 and right.size <= 1:
        left, right = left.reshape(()), right.reshape(())
    np.testing.assert_allclose(left, right, atol=absolute, rtol=relative, equal_nan=True, err_msg=err_msg)


def _active_device(device: int | None) -> tuple[Any, int]:
    from .runtime.driver import driver

    active = driver.active
    return active, active.get_current_device() if device is None else device


def get_dram_gbps(device: int | None = None) -> float:
    """Memory bandwidth of `device` in GB/s.

    The driver's `memory_gbps` gives it (on the CPU that measures a copy, once per process), or the clock and the width
    of the memory among the properties of the device; 0 if they are not known.
    """
    active, device = _active_device(device)
    if hasattr(active, "memory_gbps"):
        return active.memory_gbps(device)
    properties = active.utils.get_device_properties(device)
    return properties["mem_clock_rate"] * properties["mem_bus_width"] * 2 / 1e6 / 8


def _max_tflops(dtype: Any, clock_rate: float | None, device: int | None, matrix: bool) -> float:
    from ._utils import canonicalize_dtype

    active, device = _active_device(device)
    if not hasattr(active, "max_tflops"):
        raise NotImplementedError(
            f"{type(active).__name__}, the active driver, does not know the peak rate of its device (max_tflops)"
        )
    return active.max_tflops(canonicalize_dtype(dtype), clock_rate, device, matrix)


def get_max_simd_tflops(dtype: Any, clock_rate: float | None, device: int | None = None) -> float:
    """Peak rate of ordinary arithmetic of `dtype` in tera-operations per second; a multiply-add counts as two.

    `clock_rate` is in kHz; None is the highest one of the device. RuntimeError for types whose rate is not known.
    """
    return _max_tflops(dtype, clock_rate, device, matrix=False)


def get_max_tensorcore_tflops(dtype: Any, clock_rate: float | None, device: int | None = None) -> float:
    """The same of products of matrices: with the instructions that the device has for them."""
    return _max_tflops(dtype, clock_rate, device, matrix=True)
