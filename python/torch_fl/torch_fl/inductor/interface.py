"""The device as TorchDynamo and TorchInductor see it."""

from __future__ import annotations

from typing import Any

import torch
from torch._dynamo.device_interface import DeviceInterface

from .. import flagos
from ..flagos._backing import backing


class FlagosInterface(DeviceInterface):
    """All state comes from `torch.flagos`."""

    device = flagos.device
    Event = flagos.Event
    Stream = flagos.Stream

    class Worker:
        """The same in compile workers: there is one device, and its properties are known before workers are forked."""

        set_device = staticmethod(flagos.set_device)
        current_device = staticmethod(flagos.current_device)
        get_device_properties = staticmethod(flagos.get_device_properties)

    current_device = staticmethod(flagos.current_device)
    set_device = staticmethod(flagos.set_device)
    exchange_device = staticmethod(flagos.exchange_device)
    maybe_exchange_device = staticmethod(flagos.maybe_exchange_device)
    device_count = staticmethod(flagos.device_count)
    is_available = staticmethod(flagos.is_available)
    stream = staticmethod(flagos.stream)
    current_stream = staticmethod(flagos.current_stream)
    set_stream = staticmethod(flagos.set_stream)
    get_raw_stream = staticmethod(flagos.current_raw_stream)
    synchronize = staticmethod(flagos.synchronize)
    memory_allocated = staticmethod(flagos.memory_allocated)

    @staticmethod
    def _set_stream_by_id(stream_id: int, device_index: int, device_type: int) -> None:
        flagos.set_stream(torch.Stream(stream_id=stream_id, device_index=device_index, device_type=device_type))

    @staticmethod
    def get_compute_capability(device: Any = None) -> Any:
        """The architecture that kernels are compiled for."""
        return backing.get_compute_capability()

    @staticmethod
    def is_bf16_supported(including_emulation: bool = False) -> bool:
        return flagos.is_bf16_supported(including_emulation)

    @staticmethod
    def is_triton_capable(device: Any = None) -> bool:
        return True

    @classmethod
    def raise_if_triton_unavailable(cls, device: Any = None) -> None:
        """RuntimeError if no backend of this Triton runs kernels of the device."""
        from .require import require_triton_backend

        require_triton_backend()
