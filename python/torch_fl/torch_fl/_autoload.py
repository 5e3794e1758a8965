"""What torch calls when it is imported: processes that torch starts, such as compile workers, know the device, too."""

from __future__ import annotations

import importlib


def init() -> None:
    """Registers the device. Safe to call again."""
    importlib.import_module("torch_fl")
