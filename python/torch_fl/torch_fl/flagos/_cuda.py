"""The device in CUDA memory: `torch.cuda` knows the same hardware, so it is asked."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

_INDEX = 0

start = torch.cuda._lazy_init
is_in_bad_fork = torch.cuda._is_in_bad_fork
DeviceGuard = torch.cuda._DeviceGuard
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)


def when_started(action: Callable[[], None]) -> None:
    """Runs `action` as soon as CUDA has been started, which it does not do: a process may still fork."""
    torch.cuda._lazy_call(action, seed=True)


def synchronize() -> None:
    torch.cuda.synchronize(_INDEX)


def current_raw_stream(device: int = _INDEX) -> int:
    """The handle of the current stream, which launches take."""
    return _raw_stream(device)


@functools.cache
def get_device_properties() -> Any:
    """Those of `torch.cuda`. Cached, so that compile workers that are forked have them without starting CUDA."""
    return torch.cuda.get_device_properties(_INDEX)


def get_compute_capability() -> Any:
    """A number such as 90, as Inductor wants it."""
    from torch._dynamo.device_interface import CudaInterface

    return CudaInterface.get_compute_capability(_INDEX)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return torch.cuda.is_bf16_supported(including_emulation)
