"""Functions that kernels import by this name, where they are compiled for another device: registers are not there."""

from __future__ import annotations

from triton.language.extra._device import num_threads, num_warps, unavailable

from . import libdevice

__all__ = ["libdevice", "memrealtime", "num_threads", "num_warps", "smid"]

memrealtime = unavailable("memrealtime", "Steps of the device's clock.")
smid = unavailable("smid", "Number of the compute unit that runs the program.")
