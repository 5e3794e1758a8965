"""Puts the device module into torch, once."""

from __future__ import annotations

import atexit
import os
import sys
from types import ModuleType

import torch

from .._claim import NAME
from . import _transport
from ._exit import finish_autograd


def install(module: ModuleType) -> None:
    """Makes `module` ``torch.flagos`` and gives tensors, modules and storages their ``flagos()`` methods."""
    if getattr(torch, NAME, None) is module:
        return
    torch._register_device_module(NAME, module)
    atexit.register(finish_autograd, os.getpid())
    _transport.install()
    # Torch's start-up of a device looks for the module of the package by this name.
    sys.modules.setdefault(f"torch_{NAME}", module)
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True
    )
