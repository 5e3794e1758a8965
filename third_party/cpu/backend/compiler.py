"""Compiles TTIR for the processor of this machine, or for another one when the target names it.

Stages: ``ttir`` (clean-up of the front end's output), ``tcir`` (tile loops), ``llir`` (LLVM IR), ``obj`` (object code).
"""

from __future__ import annotations

import functools
import importlib.util
from types import ModuleType
from typing import Any

from triton import knobs
from triton._lazy import LazyModule
from triton._record import Record
from triton.backends.compiler import BaseBackend, GPUTarget, Language

from .options import CPUOptions, parse_options


class Machine(Record):
    """What code is generated for. An empty triple is that of this machine."""

    triple: str
    cpu: str
    features: str
    vector_bits: int
    is_host: bool
    dot_int8: bool  # products of bytes by AVX512-VNNI
    dot_bf16: bool  # products of bf16 by AVX512-BF16
    stream_bytes: int  # results of that size and more are written past the caches; 0: none


def _machine(described: dict[str, Any], triple: str, is_host: bool) -> Machine:
    wide = described["vector_bits"] >= 512
    return Machine(
        triple,
        described["cpu"],
        described["features"],
        described["vector_bits"],
        is_host,
        dot_int8=wide and "avx512vnni" in described["enabled"],
        dot_bf16=wide and "avx512bf16" in described["withheld"],
        stream_bytes=described["stream_bytes"],
    )


@functools.cache
def host_machine() -> Machine:
    from triton._C.libtriton import cpu

    host = cpu.host()
    return _machine(host, host["triple"], True)


@functools.cache
def named_machine(name: str) -> Machine:
    """A processor of this machine's architecture, by LLVM's name for it. ValueError for an unknown one."""
    from triton._C.libtriton import cpu

    return _machine(cpu.describe(name), host_machine().triple, False)


def min_dot_size(lhs_type: Any, rhs_type: Any) -> tuple[int, int, int]:
    """Smallest m, n, k of a dot; the CPU has no lower bound."""
    return (1, 1, 1)


def _describe(metadata: dict, name: str, scratch: int, blocking: bool, checked: bool) -> None:
    """What the launcher has to know about a kernel."""
    metadata.update(name=name, shared=scratch, blocking=blocking)
    # What a checked kernel needs to know about its arguments, the native launcher does not tell.
    metadata["python_launch"] = checked
    metadata.update(global_scratch_size=0, global_scratch_align=1, profile_scratch_size=0, profile_scratch_align=1)


def check_inline_asm(asm: str) -> None:
    """ValueError for assembly of a GPU. What else may be wrong with it, lowering and the assembler say."""
    from triton._C.libtriton import cpu

    problem = cpu.check_gpu_assembly(asm)
    if problem:
        raise ValueError(f"{problem}, in a branch of `if tl.target_info.current_target().backend == 'cpu'`")


def nanoseconds(semantic: Any, reading: Any) -> Any:
    """A clock for kernels that wait: processor time of the process, of which `clock` of the C library counts a million
    steps a second. It takes no argument; `reading` only makes every call another one for the compiler.
    """
    from triton.language import core

    steps = semantic.extern_elementwise("", "", [reading], {(core.int64,): ("clock", core.int64)}, True)
    return semantic.mul(steps, 1000, False)


def _features(machine: Machine, metadata: dict) -> str:
    """The features to generate code for: those of the machine, and what its products of bf16 need.

    Those are not enabled in general, see `libtriton.cpu.host`; here all conversions are spelled out already.
    """
    if not metadata["dot_bf16"]:
        return machine.features
    kept = [f for f in machine.features.split(",") if f and f != "-avx512bf16"]
    return ",".join([*kept, "+avx512bf16"])


class CPUBackend(BaseBackend):
    binary_ext = "obj"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "cpu"

    @property
    def machine(self) -> Machine:
        """The machine of the target: `arch` names a processor in LLVM's terms; nothing, or its name, is this one.

        `TRITON_OVERRIDE_ARCH` takes the place of the target's. ValueError for a processor that LLVM does not know.
        """
        host = host_machine()
        arch = knobs.runtime.override_arch or self.target.arch
        if not isinstance(arch, str) or arch in ("", "host", "native", host.cpu):
            return host
        return named_machine(arch)

    def hash(self) -> str:
        from triton._C.libtriton import cpu

        # Objects of a host with a vector library may call it.
        library = self.machine.is_host and cpu.host()["vector_library"]
        return "cpu-" + "-".join(map(str, (*vars(self.machine).values(), library)))

    def parse_options(self, options: dict) -> CPUOptions:
        return parse_options(options, self.machine.cpu)

    def get_codegen_implementation(self, options: CPUOptions) -> dict[str, Any]:
        return {"min_dot_size": min_dot_size, "nanoseconds": nanoseconds, "check_inline_asm": check_inline_asm}

    def get_module_map(self) -> dict[str, ModuleType]:
        name = "triton.language.extra.cpu.libdevice"
        if importlib.util.find_spec("triton.language.extra.cpu") is None or importlib.util.find_spec(name) is None:
            return {}
        return {"triton.language.extra.libdevice": LazyModule(name)}

    def load_dialects(self, context: Any) -> None:
        """The trunk loads every dialect that the CPU stages use."""

    def add_stages(self, stages: dict, options: CPUOptions, language: Language = Language.TRITON) -> None:
        if language is not Language.TRITON:
            raise ValueError(f"the cpu backend compiles Triton only, not {language.name.lower()}")
        stages["ttir"] = self._ttir
        stages["tcir"] = functools.partial(self._tcir, options=options)
        stages["llir"] = self._llir
        stages["obj"] = self._obj

    def parse_stage(self, ext: str, path: str, context: Any) -> Any:
        """The module in a file that `TRITON_KERNEL_OVERRIDE` puts in the place of stage `ext`."""
        from triton._C.libtriton import ir, llvm

        if ext == "llir":
            with open(path, encoding="utf-8") as file:
                return llvm.parse(file.read())
        module = ir.parse_mlir_module(path, context)
        module.context = context
        return self._ttir(module, {}) if ext == "ttir" else module

    def describe_ir(self, ext: str, text: str) -> tuple[str, list[str]] | None:
        """Symbol and types of the arguments of the kernel in a file of IR; None where the text itself shows them."""
        if ext != "llir":
            return None
        from . import ir_files

        kernel = ir_files.describe(text)
        return kernel.name, kernel.arguments

    def _ttir(self, module: Any, metadata: dict) -> Any:
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

    def _tcir(self, module: Any, metadata: dict, options: CPUOptions) -> Any:
        from triton._C.libtriton import cpu, ir

        manager = ir.pass_manager(module.context)
        cpu.passes.add_scalarize_carried(manager)
        machine = self.machine
        cpu.passes.add_lower_blocks(
            manager,
            machine.vector_bits,
            sanitize=bool(options.sanitize),
            dot_int8=machine.dot_int8,
            dot_bf16=machine.dot_bf16,
            collect_adds=options.collect_adds,
            stream_bytes=machine.stream_bytes,
        )
        manager.run(module, "tcir")
        info = cpu.kernel_info(module)
        if not info["name"]:
            raise RuntimeError(
                "the module holds no kernel after its tile loops were made; expected one public function"
            )
        _describe(metadata, info["name"], info["scratch"], info["blocking"], bool(options.sanitize))
        metadata["dot_bf16"] = info["dot_bf16"]
        return module

    def _llir(self, module: Any, metadata: dict) -> Any:
        from triton._C.libtriton import cpu, ir, llvm, passes

        machine = self.machine
        manager = ir.pass_manager(module.context)
        cpu.passes.add_expand_math(manager, *(() if machine.is_host else (machine.vector_bits, False)))
        cpu.passes.add_to_llvm(manager)
        if not knobs.compilation.disable_line_info:
            passes.llvmir.add_di_scope(manager)
        manager.run(module, "llir")
        lowered = llvm.to_module(module)
        llvm.optimize(lowered, machine.cpu, _features(machine, metadata))
        return lowered

    def _obj(self, module: Any, metadata: dict) -> bytes:
        from triton._C.libtriton import cpu, llvm

        if isinstance(module, str):  # a file
            from . import ir_files

            kernel = ir_files.describe(module)
            _describe(metadata, kernel.name, kernel.scratch, kernel.blocking, "@triton_cpu_check(" in module)
            metadata["dot_bf16"] = "@llvm.x86.avx512bf16." in module
            module = llvm.parse(module)
            module.verify()
        features = _features(self.machine, metadata)
        return cpu.seal(llvm.to_object(module, self.machine.cpu, features))
