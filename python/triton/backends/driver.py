"""The contract of a backend's driver."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, Protocol

from triton._lazy import lazy_export

from .compiler import GPUTarget

# Helpers of drivers whose launchers take tensor descriptors apart.
_EXPORTS = dict.fromkeys(
    ("decompose_descriptor", "expand_signature", "make_tensordesc_args", "wrap_handle_tensordesc_impl"),
    "triton.backends._descriptor_arguments",
)


def __getattr__(name: str) -> Any:
    return lazy_export(globals(), _EXPORTS, name)


class Benchmarker(Protocol):
    """Times `kernel_call` and returns milliseconds: one per quantile."""

    def __call__(self, kernel_call: Any, *, quantiles: list[float], **kwargs: Any) -> list[float]: ...


class DriverBase(metaclass=ABCMeta):
    """The devices of one kind. A backend package holds exactly one concrete subclass in its module `driver`.

    Constructing a driver may query devices; finding it, and `is_active`, must be cheap and must not raise.
    Besides the abstract methods, the runtime uses ``get_current_device()``, ``set_current_device(device)``,
    ``get_current_stream(device)``, ``get_device_interface()``, ``get_empty_cache_for_benchmark()``,
    ``clear_cache(cache)``, ``launcher_cls(src, metadata)`` and ``utils`` with ``load_binary(name, binary, shared,
    device) -> (module, function, n_regs, n_spills, n_max_threads)``, ``unload_module(module)`` and
    ``get_device_properties(device)``. `driver_abi` is a capsule for the native launcher
    (`include/triton/Runtime/DriverAbi.h`), or None. For `triton.testing`, where the device properties do not tell them:
    ``memory_gbps(device)`` and ``max_tflops(dtype, clock_rate, device, matrix)``, peak rates in GB/s and
    tera-operations per second, with the type's canonical name and the clock in kHz (None: the highest).

    Launches go to the driver of an active accelerator, unless it has ``chosen_by_default = False``: such a driver waits
    for ``TRITON_DEFAULT_BACKEND`` or ``driver.set_active``, because another one launches on the same memory.
    """

    driver_abi: Any = None
    chosen_by_default: bool = True

    @classmethod
    @abstractmethod
    def is_active(cls) -> bool:
        """True if kernels can be launched here and now."""

    @classmethod
    def inactive_reason(cls) -> str:
        """Why `is_active` is false, for error messages."""
        return "no device found"

    @abstractmethod
    def map_python_to_cpp_type(self, ty: str) -> str:
        """The C type of an argument of canonical type `ty`."""

    @abstractmethod
    def get_current_target(self) -> GPUTarget:
        """The target that the current device runs."""

    @abstractmethod
    def get_active_torch_device(self) -> Any:
        """The current device as a `torch.device`."""

    @abstractmethod
    def get_benchmarker(self) -> Benchmarker:
        """The function with which autotuning times kernels."""


class GPUDriver(DriverBase):
    """Base of drivers for devices that torch knows: torch's module of the device answers what it can.

    A derived class says which module that is with `get_device_interface()`; otherwise it is that of torch's current
    accelerator.
    """

    def get_device_interface(self) -> Any:
        import torch

        return torch.get_device_module()

    def get_current_device(self) -> int:
        return self.get_device_interface().current_device()

    def set_current_device(self, device: int) -> None:
        self.get_device_interface().set_device(device)

    def get_device_capability(self, device: int | None = None) -> Any:
        return self.get_device_interface().get_device_capability(device)

    def get_current_stream(self, device: int | None = None) -> int:
        """The handle of torch's current stream, which torch calls by the name of the device: ``x.x_stream``."""
        module = self.get_device_interface()
        name = module.__name__.rpartition(".")[2]
        return getattr(module.current_stream(device), f"{name}_stream")
