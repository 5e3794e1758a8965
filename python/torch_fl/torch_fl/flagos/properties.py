"""What the device can do, for Inductor's heuristics and for users."""

from __future__ import annotations

from typing import Any

from ._backing import backing
from .device import index_of


def get_device_properties(device: Any = None) -> Any:
    """Name, sizes in bytes and numbers of processors, as `torch.cuda.get_device_properties` has them."""
    index_of(device)
    return backing.get_device_properties()


def get_device_name(device: Any = None) -> str:
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    properties = get_device_properties(device)
    return properties.major, properties.minor


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return backing.is_bf16_supported(including_emulation)
