"""Triton's backend for `flagos` in host memory: the CPU backend, under the device's name."""
