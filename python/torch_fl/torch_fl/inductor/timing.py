"""How autotuning measures kernels of the device."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import flagos
from .._claim import NAME
from ..profiles import Profile
from ..workarounds.wrapping import wrap_once
from .older_torch import has_timer_registry, register_timer

Timer = Callable[..., float]

# Names of devices that torch and its benchmarks know, however the platform's Triton calls itself.
_TORCH_HAS = (NAME, "cuda", "hip")


def install_timer(benchmarking: ModuleType, profile: Profile) -> None:
    """Has Inductor time kernels of the device as its platform can, under each of the device's names."""
    if has_timer_registry(benchmarking):
        benchmarking.register_benchmarker(NAME, timer_of(profile), override=True)
    else:
        register_timer(benchmarking, NAME, timer_of(profile))
    if profile.triton_type not in _TORCH_HAS:
        translate_device(benchmarking, profile.triton_type)


def timer_of(profile: Profile) -> Timer:
    """A function of a benchmarker and a call, of the milliseconds that the call takes.

    Calls on the host are complete when they return. Where `torch.cuda` describes the hardware, its events measure.
    Elsewhere the clock of the host runs until the device is idle.
    """
    if profile.is_cuda_like:
        return _by_events
    return _by_clock if profile.triton_type == NAME else _by_clock_when_idle


def _by_events(benchmarker: Any, call: Callable[[], Any], **options: Any) -> float:
    return benchmarker.benchmark_gpu(call, **options)


def _by_clock(benchmarker: Any, call: Callable[[], Any], *, warmup: int, rep: int, **_: Any) -> float:
    return benchmarker.benchmark_cpu(call, warmup=warmup, rep=rep)


def _by_clock_when_idle(benchmarker: Any, call: Callable[[], Any], **options: Any) -> float:
    def call_and_wait() -> None:
        call()
        flagos.synchronize()

    return _by_clock(benchmarker, call_and_wait, **options)


def translate_device(benchmarking: ModuleType, reported: str) -> bool:
    """Has ``Benchmarker.benchmark`` take `reported`, which is no device of torch, for this one.

    True if this call changed anything.
    """

    def make(original: Callable[..., float]) -> Callable[..., float]:
        def benchmark(
            self: Any, fn: Any, fn_args: Any = None, fn_kwargs: Any = None, device: Any = None, **options: Any
        ) -> float:
            return original(self, fn, fn_args, fn_kwargs, NAME if device == reported else device, **options)

        return benchmark

    return wrap_once(benchmarking.Benchmarker, "benchmark", "device_name", make)
