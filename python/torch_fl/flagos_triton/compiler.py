"""Compiles kernels of the device: the code is that of the CPU backend."""

from __future__ import annotations

from triton.backends import compiler as base

from . import host

cpu = host.part("compiler")

if cpu is not None:

    class FlagosBackend(cpu.CPUBackend):  # type: ignore[name-defined, misc]
        @staticmethod
        def supports_target(target: base.GPUTarget) -> bool:
            return target.backend == host.NAME

else:

    class FlagosBackend(base.BaseBackend):  # type: ignore[no-redef]
        """Supports nothing."""

        @staticmethod
        def supports_target(target: base.GPUTarget) -> bool:
            return False

        hash = parse_options = add_stages = load_dialects = get_module_map = host.refuse
