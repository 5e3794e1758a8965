"""Fused attention of the device in host memory, as Triton kernels."""
