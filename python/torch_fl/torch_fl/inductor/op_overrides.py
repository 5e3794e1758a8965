"""Lines of Python that Inductor puts into its wrapper around kernels."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def make_op_overrides(common: ModuleType) -> Any:
    """The object to register, of the class that module `torch._inductor.codegen.common` has for it.

    The methods about C++ are inherited: they raise NotImplementedError, since there is no C++ wrapper.
    """

    class FlagosOpOverrides(common.DeviceOpOverrides):
        def import_get_raw_stream_as(self, name: str) -> str:
            return f"from torch_fl.flagos import current_raw_stream as {name}"

        def set_device(self, device_idx: int) -> str:
            return f"torch.flagos.set_device({device_idx})"

        def synchronize(self) -> str:
            return "torch.flagos.synchronize()"

        def device_guard(self, device_idx: int) -> str:
            return f"torch.flagos._DeviceGuard({device_idx})"

        def current_stream(self) -> str:
            return "torch.flagos.current_stream()"

        def stream_handle(self, stream_name: str) -> str:
            return "0"

    return FlagosOpOverrides()
