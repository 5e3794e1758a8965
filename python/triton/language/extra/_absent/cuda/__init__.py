"""Functions that kernels import by this name, where they are compiled for another device.

What orders one grid after another does nothing, as launches are in order. What reads registers is an error.
"""

from __future__ import annotations

from triton.language.extra._device import conversion, no_operation, num_threads, num_warps, unavailable

from . import libdevice

__all__ = [
    "convert_custom_float8_sm70",
    "convert_custom_float8_sm80",
    "gdc_launch_dependents",
    "gdc_wait",
    "globaltimer",
    "libdevice",
    "num_threads",
    "num_warps",
    "smid",
]

gdc_wait = no_operation("gdc_wait", "Waits for the grids that this one depends on: they have ended.")
gdc_launch_dependents = no_operation("gdc_launch_dependents", "Lets dependent grids start: they start in order.")
globaltimer = unavailable("globaltimer", "Nanoseconds of the device's clock.")
smid = unavailable("smid", "Number of the multiprocessor that runs the program.")
convert_custom_float8_sm70 = conversion("convert_custom_float8_sm70")
convert_custom_float8_sm80 = conversion("convert_custom_float8_sm80")
