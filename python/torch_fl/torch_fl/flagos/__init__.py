"""`torch.flagos`: the device module, in the shape that torch expects of every accelerator."""

from __future__ import annotations

from typing import Any

from ..profiles import profile as _profile
from .device import (
    _DeviceGuard,
    _is_in_bad_fork,
    _lazy_init,
    current_device,
    device,
    device_count,
    device_of,
    exchange_device,
    get_amp_supported_dtype,
    init,
    is_available,
    is_initialized,
    maybe_exchange_device,
    set_device,
)
from .memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
)
from .properties import get_device_capability, get_device_name, get_device_properties, is_bf16_supported
from .random import (
    default_generators,
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from .streams import (
    Event,
    Stream,
    current_raw_stream,
    current_stream,
    default_stream,
    set_stream,
    stream,
    synchronize,
)


def __getattr__(name: str) -> Any:
    """The classes that generate code for the device, under the names that torch's own hook looks for.

    Only where there is a C++ wrapper: without one that hook would register half of them. Importing the compiler waits
    until somebody asks.
    """
    from ..inductor.codegen import PUBLISHED, codegen_classes

    if name in PUBLISHED and _profile().is_cuda_like:
        return codegen_classes(_profile())[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Event",
    "Stream",
    "_DeviceGuard",
    "_is_in_bad_fork",
    "_lazy_init",
    "current_device",
    "current_raw_stream",
    "current_stream",
    "default_generators",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "exchange_device",
    "get_amp_supported_dtype",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_rng_state_all",
    "init",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "maybe_exchange_device",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "stream",
    "synchronize",
]
