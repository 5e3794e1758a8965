"""The type of device that kernels are compiled for, where it is not the one that tensors have."""

from __future__ import annotations

from typing import Any

from .._claim import NAME
from ..profiles import Profile

_MARK = "_torch_fl_reports"


def report_triton_type(properties: Any, profile: Profile) -> None:
    """Has ``DeviceProperties.create`` report the type that the platform's Triton backend accepts.

    The index stays what it is: Inductor guards the device with it. Nothing is wrapped where the types are the same,
    or a second time.
    """
    if profile.triton_type == NAME or hasattr(properties, _MARK):
        return
    create = properties.create

    def create_for_triton(device: Any) -> Any:
        made = create(device)
        return made._replace(type=profile.triton_type) if device.type == NAME else made

    properties.create = staticmethod(create_for_triton)
    setattr(properties, _MARK, profile.triton_type)
