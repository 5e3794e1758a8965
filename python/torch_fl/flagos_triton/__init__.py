"""Triton's backend for `flagos` in host memory: the CPU backend, under the device's name.

Triton loads this in every process that launches a kernel, so it stands beside `torch_fl`, which imports torch. It is
active only in processes where the device is registered.
"""
