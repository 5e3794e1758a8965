"""The CPU's stages with one more: ``fullir``, in which saturation is one operation."""

from __future__ import annotations

from typing import Any

from triton.backends.compiler import GPUTarget, Language
from triton.backends.cpu.compiler import CPUBackend

TARGET = "full"


class FullBackend(CPUBackend):
    """``ttir`` → ``fullir`` → ``tcir`` → ``llir`` → ``obj``."""

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == TARGET

    def hash(self) -> str:
        return f"full-1-{super().hash()}"

    def load_dialects(self, context: Any) -> None:
        from triton._C.libtriton import full

        super().load_dialects(context)
        full.load_dialects(context)

    def add_stages(self, stages: dict, options: Any, language: Language = Language.TRITON) -> None:
        host: dict[str, Any] = {}
        super().add_stages(host, options, language)
        for name, stage in host.items():
            stages[name] = stage
            if name == "ttir":
                stages["fullir"] = _fuse_saturation
        stages["tcir"] = lambda module, metadata: host["tcir"](_lower_saturation(module), metadata)


def _fuse_saturation(module: Any, metadata: dict) -> Any:
    from triton._C.libtriton import full, ir

    manager = ir.pass_manager(module.context)
    full.passes.add_fuse_saturation(manager)
    manager.run(module, "fullir")
    return module


def _lower_saturation(module: Any) -> Any:
    """What the instruction does, in operations that the CPU's stages know."""
    from triton._C.libtriton import full, ir

    manager = ir.pass_manager(module.context)
    full.passes.add_lower_saturation(manager)
    manager.run(module, "tcir")
    return module
