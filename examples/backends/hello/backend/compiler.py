"""Compiles for hello devices. They run the CPU's code, so this inherits the CPU's stages and adds one thing."""

from __future__ import annotations

from typing import Any

from triton.backends.compiler import GPUTarget
from triton.backends.cpu.compiler import CPUBackend

TARGET = "hello"


class HelloBackend(CPUBackend):
    """`ttir`, `tcir`, `llir`, `obj`: the last one is what the driver loads (`binary_ext`)."""

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == TARGET

    def hash(self) -> str:
        # Part of the key of the kernel cache. A backend that generates other code must give another text.
        return f"hello-1-{super().hash()}"

    def pack_metadata(self, metadata: Any) -> Any:
        """What the launcher of a device gets besides the arguments."""
        return {"greeting": f"hello from {metadata.name}"}
