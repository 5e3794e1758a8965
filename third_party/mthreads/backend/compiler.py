"""The compiler of the `musa` target.

Stages: ``ttir`` (clean-up of the front end's output), ``thread`` (the code of one thread of a block, in MLIR), ``llir``
(LLVM IR as the MUSA toolkit reads it, a text), ``mubin`` (what the driver loads; made by the toolkit's llc and ld.lld).
What is believed about the target is in `target`.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Any, ClassVar

from triton.backends.compiler import BaseBackend, GPUTarget, Language

from . import target as musa
from .target import ARCHITECTURES, TARGET, Architecture
from .toolchain import EXTRA_OPTIONS, Toolchain, ToolchainError, musa_home


def architecture_of(arch: int | str) -> Architecture:
    """The architecture of a target's `arch`: 31, "31" or "mp_31". Raises ValueError with the known ones."""
    text = str(arch).lower().removeprefix("mp_")
    found = ARCHITECTURES.get(int(text)) if text.isdigit() else None
    if found is None:
        known = ", ".join(architecture.name for architecture in ARCHITECTURES.values())
        raise ValueError(
            f"the {TARGET} backend does not know the architecture {arch!r}; it knows {known}. "
            "A new one is a line of ARCHITECTURES in triton/backends/mthreads/target.py."
        )
    return found


def warp_size(arch: int | str) -> int:
    """Threads that run in step on architecture `arch` (22 for ``mp_22``)."""
    return architecture_of(arch).warp_size


@dataclass(frozen=True)
class MUSAOptions:
    """Options of a launch. `num_warps` must be a power of two."""

    num_warps: int = 4
    num_stages: int = 1
    num_ctas: int = 1
    warp_size: int = 32
    arch: str = ""
    enable_fp_fusion: bool = True
    supported_fp8_dtypes: tuple[str, ...] = ("fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16")
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple[str, ...] = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0
    extern_libs: Any = None
    debug: bool = False
    sanitize_overflow: bool = True
    launch_cooperative_grid: bool = False
    backend_name: ClassVar[str] = TARGET

    def __post_init__(self) -> None:
        for name in ("num_warps", "warp_size"):
            number = getattr(self, name)
            if not isinstance(number, int) or number <= 0 or number & (number - 1):
                raise ValueError(f"{name} = {number!r} is not a power of two")
        if self.threads > musa.MAX_THREADS:
            raise ValueError(
                f"num_warps = {self.num_warps} of {self.warp_size} threads make a block of {self.threads} threads; "
                f"it can have {musa.MAX_THREADS}, so num_warps can be {musa.MAX_THREADS // self.warp_size} at most"
            )
        for name in ("extern_libs", "launch_cooperative_grid"):
            if getattr(self, name):
                raise ValueError(f"{name} = {getattr(self, name)!r} is not supported by the {TARGET} target")
        if self.num_ctas != 1:
            raise ValueError(f"num_ctas = {self.num_ctas}: the {TARGET} target has no clusters, only 1 is possible")

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.num_warps * self.warp_size

    def hash(self) -> str:
        text = ",".join(f"{item.name}={getattr(self, item.name)!r}" for item in fields(self))
        return hashlib.sha256(text.encode()).hexdigest()


class MUSABackend(BaseBackend):
    """Compiles for ``GPUTarget("musa", architecture, warp size)``."""

    binary_ext = "mubin"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == TARGET

    def __init__(self, target: GPUTarget) -> None:
        super().__init__(target)
        self.architecture = architecture_of(target.arch)

    def hash(self) -> str:
        """Covers the table of names and the tools, so that correcting one or updating the other compiles again."""
        table = hashlib.sha256(repr(sorted(musa.device_names())).encode()).hexdigest()[:16]
        try:
            tools = Toolchain(musa_home(), self.architecture, needs_library=False).identity()
        except ToolchainError:
            tools = "no tools"
        return f"{TARGET}-{self.architecture}-{table}-{tools}-{os.environ.get(EXTRA_OPTIONS, '')}"

    @classmethod
    def missing(cls) -> list[tuple[str, str]]:
        """The parts of the MUSA toolkit that are not there, of all architectures."""
        absent: dict[str, None] = {}
        for architecture in ARCHITECTURES.values():
            absent.update(dict.fromkeys(Toolchain.missing_files(musa_home(), architecture, needs_library=True)))
        if not absent:
            return []
        what = f"compiles to LLVM IR only: the MUSA toolkit lacks {', '.join(absent)}"
        return [(what, "install the MUSA toolkit, or set MUSA_HOME to its root")]

    def parse_options(self, options: dict) -> MUSAOptions:
        known = {item.name for item in fields(MUSAOptions)}
        chosen = {key: value for key, value in options.items() if key in known and value is not None}
        chosen.setdefault("arch", self.architecture.name)
        chosen.setdefault("warp_size", self.target.warp_size)
        return MUSAOptions(**chosen)

    def get_codegen_implementation(self, options: MUSAOptions) -> dict[str, Any]:
        # Dots are loops of the threads, not of the matrix unit.
        return {"min_dot_size": lambda lhs, rhs: (1, 1, 1)}

    def get_module_map(self) -> dict[str, ModuleType]:
        from . import libdevice

        return {"triton.language.extra.libdevice": libdevice}

    def load_dialects(self, context: Any) -> None:
        """Nothing besides the trunk's dialects."""

    def add_stages(self, stages: dict, options: MUSAOptions, language: Language = Language.TRITON) -> None:
        if language != Language.TRITON:
            raise ValueError(f"the {TARGET} target compiles Triton, not {language.name.title()}")
        stages["ttir"] = lambda module, metadata: self._ttir(module)
        stages["thread"] = lambda module, metadata: self._thread(module, metadata, options)
        stages["llir"] = lambda module, metadata: self._llir(module, metadata, options)
        stages[self.binary_ext] = lambda text, metadata: self._mubin(text, metadata)

    def parse_stage(self, ext: str, path: str, context: Any) -> Any:
        """What a file that `TRITON_KERNEL_OVERRIDE` puts in the place of stage `ext` holds."""
        from triton._C.libtriton import ir

        if ext == "llir":
            with open(path, encoding="utf-8") as file:
                return file.read()
        module = ir.parse_mlir_module(path, context)
        module.context = context
        return module

    @staticmethod
    def _ttir(module: Any) -> Any:
        from triton._C.libtriton import ir, passes

        manager = ir.pass_manager(module.context)
        passes.ttir.add_lift_control_flow(manager)
        passes.common.add_inliner(manager)
        passes.ttir.add_rewrite_tensor_pointer(manager)
        passes.ttir.add_rewrite_tensor_descriptor_to_pointer(manager)
        passes.ttir.add_decompose_scaled_dot(manager)
        passes.common.add_canonicalizer(manager)
        passes.ttir.add_combine(manager)
        passes.ttir.add_reorder_broadcast(manager)
        passes.common.add_cse(manager)
        passes.common.add_licm(manager)
        passes.ttir.add_loop_unroll(manager)
        passes.common.add_symbol_dce(manager)
        manager.run(module, "ttir")
        return module

    def _thread(self, module: Any, metadata: dict, options: MUSAOptions) -> Any:
        from triton._C.libtriton import ir, passes

        mthreads = _libtriton_part()
        manager = ir.pass_manager(module.context)
        # A file of TTIR from elsewhere starts here; there is nothing left to do after the stage before.
        passes.ttir.add_lift_control_flow(manager)
        passes.ttir.add_decompose_scaled_dot(manager)
        mthreads.passes.add_lower_to_threads(manager, options.threads)
        passes.common.add_canonicalizer(manager)
        passes.common.add_cse(manager)
        passes.common.add_licm(manager)
        manager.run(module, "thread")
        info = mthreads.kernel_info(module)
        if not info["name"]:
            raise RuntimeError("the module holds no kernel; expected one public function")
        self._check_shared(info)
        metadata.update(name=info["name"], shared=info["shared"])
        metadata.update(global_scratch_size=0, global_scratch_align=1, profile_scratch_size=0, profile_scratch_align=1)
        return module

    def _check_shared(self, info: dict) -> None:
        from triton.runtime.errors import OutOfResources

        limit = self.architecture.shared_limit
        if limit is not None and info["shared"] > limit:
            raise OutOfResources(info["shared"], limit, "shared memory")

    def _llir(self, module: Any, metadata: dict, options: MUSAOptions) -> str:
        from triton._C.libtriton import ir

        mthreads = _libtriton_part()
        manager = ir.pass_manager(module.context)
        mthreads.passes.add_to_llvm(manager)
        manager.run(module, "llir")
        return mthreads.write_device_ir(
            module,
            metadata["name"],
            options.threads,
            triple=musa.TRIPLE.value,
            data_layout=musa.DATA_LAYOUT.value,
            convention=musa.KERNEL_CONVENTION.value,
            annotations=musa.ANNOTATIONS.value,
            names=musa.device_names(),
        )

    def _mubin(self, llvm_ir: str, metadata: dict) -> bytes:
        library = [musa.DEVICE_NAMES["simt.math.umulhi.i64"], *musa.MATH_NAMES.values()]
        needs_library = any(f"@{fact.value}(" in llvm_ir for fact in library)
        try:
            return Toolchain(musa_home(), self.architecture, needs_library).build(llvm_ir)
        except ToolchainError as error:
            raise ToolchainError(
                f"kernel {metadata['name']!r} was compiled to LLVM IR, but not to a binary for "
                f"{self.architecture.name}: {error}"
            ) from error


def _libtriton_part() -> Any:
    try:
        from triton._C.libtriton import mthreads
    except ImportError:
        raise RuntimeError(
            "this libtriton was built without the mthreads backend, so kernels stop after Triton IR. "
            "Build it with FLAGTREE_BACKEND=mthreads pip install ."
        ) from None
    return mthreads
