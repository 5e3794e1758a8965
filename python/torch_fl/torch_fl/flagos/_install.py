"""Puts the device module into torch, once."""

from __future__ import annotations

import atexit
import sys
import time
from types import ModuleType

import torch

from .._claim import NAME

_SECONDS_FOR_AUTOGRAD = 0.02


def _let_autograd_finish() -> None:
    """Torch runs backward passes of an accelerator in a thread, which drops Python objects after the result is there.
    A process that ends at that moment would be aborted. Waiting gives the interpreter's lock to that thread.
    """
    time.sleep(_SECONDS_FOR_AUTOGRAD)


def install(module: ModuleType) -> None:
    """Makes `module` ``torch.flagos`` and gives tensors, modules and storages their ``flagos()`` methods."""
    if getattr(torch, NAME, None) is module:
        return
    torch._register_device_module(NAME, module)
    atexit.register(_let_autograd_finish)
    # Torch's start-up of a device looks for the module of the package by this name.
    sys.modules.setdefault(f"torch_{NAME}", module)
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True
    )
