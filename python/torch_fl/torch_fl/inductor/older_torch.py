"""Where a torch cannot be told something through its interface: versions before 2.13, or one without CUDA."""

from __future__ import annotations

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
