"""What the allocator counts."""

from __future__ import annotations

from typing import Any

import torch

from .._claim import NAME
from .device import index_of


def _device(device: Any) -> torch.device:
    return torch.device(NAME, index_of(device))


def memory_stats(device: Any = None) -> dict[str, Any]:
    """Counts and sums of bytes by name, such as ``allocated_bytes.all.current`` and ``.peak``."""
    return dict(torch.accelerator.memory_stats(_device(device)))


def memory_allocated(device: Any = None) -> int:
    """Bytes of live tensors."""
    return torch.accelerator.memory_allocated(_device(device))


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that were allocated at once, since the start or `reset_peak_memory_stats`."""
    return torch.accelerator.max_memory_allocated(_device(device))


def memory_reserved(device: Any = None) -> int:
    """Bytes that the allocator holds: those of live tensors, and what waits for the next ones."""
    return torch.accelerator.memory_reserved(_device(device))


def max_memory_reserved(device: Any = None) -> int:
    return torch.accelerator.max_memory_reserved(_device(device))


def reset_peak_memory_stats(device: Any = None) -> None:
    torch.accelerator.reset_peak_memory_stats(_device(device))


def reset_accumulated_memory_stats(device: Any = None) -> None:
    torch.accelerator.reset_accumulated_memory_stats(_device(device))


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Free and total bytes."""
    return torch.accelerator.get_memory_info(_device(device))


def empty_cache() -> None:
    """Gives back memory that no tensor uses. On the host, huge pages that are partly in use stay."""
    torch.accelerator.empty_cache()
