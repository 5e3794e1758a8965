"""The compiler of the `musa` target.

This package holds the trunk's part of the way, Triton IR and its target-independent passes. The way from there to a
MUSA binary needs Moore Threads' code generator, which is not part of it; the stage that would produce the binary says
so.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Any, ClassVar

from triton.backends.compiler import BaseBackend, GPUTarget, Language

TARGET = "musa"
# Threads that run in step: 128 before the S4000 (architecture 22), 32 since.
_WIDE_WARP, _NARROW_WARP, _FIRST_NARROW = 128, 32, 22


def warp_size(arch: int) -> int:
    """Threads that run in step on architecture `arch` (22 for ``mp_22``)."""
    return _NARROW_WARP if arch >= _FIRST_NARROW else _WIDE_WARP


@dataclass(frozen=True)
class MUSAOptions:
    """Options of a launch. `num_warps` must be a power of two."""

    num_warps: int = 4
    num_stages: int = 1
    num_ctas: int = 1
    warp_size: int = _NARROW_WARP
    arch: str = ""
    enable_fp_fusion: bool = True
    supported_fp8_dtypes: tuple[str, ...] = ("fp8e5", "fp8e4nv")
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple[str, ...] = ("tf32", "ieee")
    max_num_imprecise_acc_default: int = 0
    extern_libs: Any = None
    debug: bool = False
    sanitize_overflow: bool = True
    launch_cooperative_grid: bool = False
    backend_name: ClassVar[str] = TARGET

    def __post_init__(self) -> None:
        if self.num_warps <= 0 or self.num_warps & (self.num_warps - 1):
            raise ValueError(f"num_warps = {self.num_warps} is not a power of two")

    def hash(self) -> str:
        text = ",".join(f"{item.name}={getattr(self, item.name)!r}" for item in fields(self))
        return hashlib.sha256(text.encode()).hexdigest()


class MUSABackend(BaseBackend):
    """Compiles for ``GPUTarget("musa", architecture, warp size)``."""

    binary_ext = "mubin"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == TARGET

    def hash(self) -> str:
        return f"musa-{self.target.arch}"

    def parse_options(self, options: dict) -> MUSAOptions:
        known = {item.name for item in fields(MUSAOptions)}
        chosen = {key: value for key, value in options.items() if key in known and value is not None}
        chosen.setdefault("arch", f"mp_{self.target.arch}")
        chosen.setdefault("warp_size", self.target.warp_size)
        return MUSAOptions(**chosen)

    def get_codegen_implementation(self, options: MUSAOptions) -> dict[str, Any]:
        # The matrix unit's smallest tile; the front end refuses smaller operands of tl.dot.
        return {"min_dot_size": lambda lhs, rhs: (16, 16, 16)}

    def get_module_map(self) -> dict[str, ModuleType]:
        return {}

    def load_dialects(self, context: Any) -> None:
        """Nothing besides the trunk's dialects."""

    def add_stages(self, stages: dict, options: MUSAOptions, language: Language = Language.TRITON) -> None:
        if language != Language.TRITON:
            raise ValueError(f"the {TARGET} target compiles Triton, not {language.name.title()}")
        stages["ttir"] = lambda module, metadata: self._make_ttir(module)
        stages[self.binary_ext] = lambda module, metadata: self._make_binary(metadata)

    @staticmethod
    def _make_ttir(module: Any) -> Any:
        from triton._C.libtriton import ir, passes

        manager = ir.pass_manager(module.context)
        passes.common.add_inliner(manager)
        passes.common.add_canonicalizer(manager)
        passes.ttir.add_combine(manager)
        passes.ttir.add_reorder_broadcast(manager)
        passes.common.add_cse(manager)
        passes.common.add_licm(manager)
        passes.common.add_symbol_dce(manager)
        manager.run(module, "make_ttir")
        return module

    def _make_binary(self, metadata: dict) -> bytes:
        raise RuntimeError(
            f"kernel {metadata.get('name', '?')!r} was compiled to Triton IR, but not to a binary for "
            f"mp_{self.target.arch}: Moore Threads' code generator is not part of this package. "
            "To run it here, use the cpu backend (TRITON_DEFAULT_BACKEND=cpu)."
        )
