"""What the device can do, for Inductor's heuristics and for users."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from typing import Any

from ..profiles import profile
from .device import index_of


@dataclass(frozen=True)
class DeviceProperties:
    """Sizes in bytes. A processor of the host counts as one multiprocessor that runs one program at a time."""

    name: str
    total_memory: int
    multi_processor_count: int
    major: int = 0
    minor: int = 0
    warp_size: int = 32
    regs_per_multiprocessor: int = 65536
    max_threads_per_multi_processor: int = 1024
    max_threads_per_block: int = 1024
    L2_cache_size: int = 1 << 20


@functools.cache
def _host() -> DeviceProperties:
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return DeviceProperties("flagos in host memory", memory, processors, warp_size=profile().warp_size or 1)


def get_device_properties(device: Any = None) -> DeviceProperties:
    index_of(device)
    return _host()


def get_device_name(device: Any = None) -> str:
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    properties = get_device_properties(device)
    return properties.major, properties.minor


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """True: kernels of the host compute bf16 in single precision and round."""
    return True
