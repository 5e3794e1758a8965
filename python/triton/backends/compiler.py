"""The contract of a backend's compiler."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from enum import Enum
from types import ModuleType
from typing import Any

from .._record import Record


class GPUTarget(Record):
    """What a kernel is compiled for. A CPU is a target, too.

    `backend` is the name that `BaseBackend.supports_target` knows, `arch` an architecture (number or name) in the
    backend's own terms, `warp_size` the number of threads that run in step.
    """

    backend: str
    arch: int | str
    warp_size: int


class Language(Enum):
    """The input language of a compile."""

    TRITON = 0
    GLUON = 1


class BaseBackend(metaclass=ABCMeta):
    """Compiles for one target. A backend package holds exactly one concrete subclass in its module `compiler`.

    `binary_ext` names the last stage, whose result is what the driver loads.
    """

    supports_native_tensor_specialization = True
    binary_ext: str

    def __init__(self, target: GPUTarget):
        if not self.supports_target(target):
            raise ValueError(f"{type(self).__module__}: {target} is not a target of this backend")
        self.target = target

    @staticmethod
    @abstractmethod
    def supports_target(target: GPUTarget) -> bool:
        """True if this backend compiles for `target`. Must not query a device."""

    @abstractmethod
    def hash(self) -> str:
        """Text that changes whenever the backend may generate other code for the same input."""

    @abstractmethod
    def parse_options(self, options: dict) -> object:
        """A frozen dataclass made of the launch keywords in `options` and of defaults.

        Unknown keys are ignored here; the launcher rejects what is no field of the result. The result has `hash()`.
        """

    @abstractmethod
    def add_stages(self, stages: dict, options: object, language: Language = Language.TRITON) -> None:
        """Adds ``extension -> fn(module, metadata)`` to `stages`, in the order in which they run."""

    @abstractmethod
    def load_dialects(self, context: Any) -> None:
        """Loads the dialects that the stages need besides those of the trunk."""

    @abstractmethod
    def get_module_map(self) -> dict[str, ModuleType]:
        """Modules that replace modules of the language in kernels, by name (``triton.language.extra.libdevice``)."""

    # -- optional parts -------------------------------------------------------------------------------------------

    def get_codegen_implementation(self, options: object) -> dict[str, Any]:
        """Functions that the front end asks for: ``min_dot_size(lhs_type, rhs_type) -> (m, n, k)``, and, where kernels
        can wait for a time, ``nanoseconds(semantic, reading)``, an int64 scalar; ``check_inline_asm(asm)``, which
        raises ValueError for text that the target cannot run; ...
        """
        return {}

    @classmethod
    def missing(cls) -> list[tuple[str, str]]:
        """What compiling needs and this machine lacks, each with what to do: ``flagtree doctor`` shows it.

        Must not query a device, and must not raise when something is absent.
        """
        return []

    def pack_metadata(self, metadata: Any) -> Any:
        """What `CompiledKernel.run` gets as `packed_metadata`."""
        return metadata

    @staticmethod
    def parse_attr(key: str) -> list[list]:
        """Attributes of an argument from its specialization key."""
        return [["tt.divisibility", 16]] if "D" in key else []

    @staticmethod
    def get_int_specialization(value: int, align: bool = True, **kwargs: Any) -> str:
        """Key of an integer argument."""
        return "D" if align and value % 16 == 0 else ""

    @staticmethod
    def get_tensor_specialization(tensor: Any, align: bool = True, **kwargs: Any) -> str:
        """Key of a tensor argument."""
        return "D" if align and tensor.data_ptr() % 16 == 0 else ""
