"""Launching kernels: jit functions, drivers, autotuning, caches."""

from triton.flagtree_spec import spec_path

spec_path(__path__)

from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret  # noqa: E402

__all__ = ["JITFunction", "KernelInterface", "MockTensor", "TensorWrapper", "reinterpret"]
