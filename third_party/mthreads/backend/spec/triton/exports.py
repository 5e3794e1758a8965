"""Names that this backend adds to the trunk's lazy packages: name to the module that has it."""

from __future__ import annotations


def triton_exports() -> dict[str, str]:
    """``triton.max_shared_mem(device)``: kernels for this backend ask for it at the top of the package."""
    return {"max_shared_mem": "compiler.compiler"}


def compiler_exports() -> dict[str, str]:
    """``triton.compiler.warp_size(arch)``: threads that run in step, which differ between architectures."""
    return {"warp_size": "triton.backends.mthreads.compiler"}


def runtime_exports() -> dict[str, str]:
    """``triton.runtime.MusaError``: what a failing call of the driver library raises."""
    return {"MusaError": "triton.backends.mthreads.musa"}
