"""The name of the device. Torch has one place for a device that it does not know, so one owner per process."""

from __future__ import annotations

import torch

NAME = "flagos"
_UNCLAIMED = "privateuseone"


class DeviceNameTaken(RuntimeError):
    """Another package owns the one place that torch has for other devices."""


def claim_device_name() -> None:
    """Names the PrivateUse1 device ``flagos``. DeviceNameTaken if it has another name already."""
    current = torch._C._get_privateuse1_backend_name()
    if current not in (_UNCLAIMED, NAME):
        raise DeviceNameTaken(
            f"torch_fl: this process already has a device {current!r} in the one place that torch has for devices "
            f"which it does not know. Import only one of torch_fl and the package that registers {current!r}"
        )
    torch.utils.rename_privateuse1_backend(NAME)
