"""Whole kernels: compiled, launched on NumPy arrays and compared with NumPy."""
