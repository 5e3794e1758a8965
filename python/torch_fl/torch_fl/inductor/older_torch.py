"""Where a torch cannot be told something through its interface: versions before 2.13, or one without CUDA."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from ..profiles import Profile
from ..workarounds.wrapping import wrap_once


def report_warp_size(heuristics: ModuleType, profile: Profile) -> bool:
    """Has the autotuner ask the driver how many threads run in step, where it takes CUDA's 32 for every device.

    Torch 2.13 asks for it itself. True if this call changed anything.
    """
    if profile.is_cuda_like or not hasattr(heuristics, "cc_warp_size"):
        return False

    def make(_: Any) -> Any:
        def cc_warp_size(capability: Any) -> int:
            from triton.runtime import driver

            return profile.warp_size or driver.active.get_current_target().warp_size

        return cc_warp_size

    return wrap_once(heuristics, "cc_warp_size", "warp_size", make)


def attach_raw_stream(device_interface: ModuleType) -> bool:
    """Gives `CudaInterface` its function for streams, where torch was built without CUDA but has the function.

    True if this call changed anything.
    """
    interface = device_interface.CudaInterface
    function = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    if function is None or getattr(interface, "get_raw_stream", None) is not None:
        return False
    interface.get_raw_stream = staticmethod(function)
    return True


def has_timer_registry(benchmarking: ModuleType) -> bool:
    """Whether timers of devices can be registered, as from torch 2.12 on."""
    return hasattr(benchmarking, "register_benchmarker")


def register_timer(benchmarking: ModuleType, kind: str, timer: Callable[..., float]) -> bool:
    """Has ``Benchmarker.benchmark`` call `timer` for devices of type `kind`, where it takes every accelerator for CUDA.

    `timer` is called with the benchmarker, a function without arguments, ``warmup`` and ``rep`` in milliseconds. True
    if this call changed anything.
    """

    def make(original: Callable[..., float]) -> Callable[..., float]:
        def benchmark(
            self: Any, fn: Any, fn_args: Any = None, fn_kwargs: Any = None, device: Any = None, **options: Any
        ) -> float:
            arguments, named = fn_args or (), fn_kwargs or {}
            where = self.infer_device(*arguments, **named) if device is None else torch.device(device)
            if where.type != kind:
                return original(self, fn, fn_args, fn_kwargs, device, **options)
            config = benchmarking.inductor_config
            options.setdefault("warmup", config.inductor_default_autotune_warmup)
            options.setdefault("rep", config.inductor_default_autotune_rep)
            return timer(self, functools.partial(fn, *arguments, **named), **options)

        return benchmark

    return wrap_once(benchmarking.Benchmarker, "benchmark", "timer", make)
