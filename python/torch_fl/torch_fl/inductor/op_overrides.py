"""Lines that Inductor writes into the Python module of a compiled graph for this device."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..profiles import Profile


def make_op_overrides(common: ModuleType, profile: Profile) -> Any:
    """The object to register, of the class that module `torch._inductor.codegen.common` has for it.

    Where `torch.cuda` describes the hardware, the methods about C++ are CUDA's, which the C++ wrapper needs. Elsewhere
    they raise NotImplementedError, since there is no C++ wrapper.
    """
    return _over_cuda(common) if profile.is_cuda_like else _over_host(common)


def _over_host(common: ModuleType) -> Any:
    class FlagosOpOverrides(_python_lines(), common.DeviceOpOverrides):  # type: ignore[misc]
        def import_get_raw_stream_as(self, name: str) -> str:
            return f"from torch_fl._C import host_raw_stream as {name}"

        def stream_handle(self, stream_name: str) -> str:
            return "0"

    return FlagosOpOverrides()


def _over_cuda(common: ModuleType) -> Any:
    class FlagosOpOverrides(_python_lines(), type(common.get_device_op_overrides("cuda"))):  # type: ignore[misc]
        """The raw stream comes from where CUDA's does: one call less for each kernel."""

    return FlagosOpOverrides()


def _python_lines() -> type:
    class PythonLines:
        def set_device(self, device_idx: int) -> str:
            return f"torch.flagos.set_device({device_idx})"

        def synchronize(self) -> str:
            return "torch.flagos.synchronize()"

        def device_guard(self, device_idx: int) -> str:
            return f"torch.flagos._DeviceGuard({device_idx})"

        def current_stream(self) -> str:
            return "torch.flagos.current_stream()"

    return PythonLines
