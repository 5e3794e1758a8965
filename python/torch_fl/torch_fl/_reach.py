"""How far tensors reach in memory. Offsets in the kernels of ours for host memory are integers of 32 bits."""

from __future__ import annotations

import torch

_END = 2**31


def reach(tensor: torch.Tensor) -> int:
    """Elements from the first of `tensor` to its last, which are not negative strides away.

    >>> reach(torch.empty_strided((2, 3), (100, 1)))
    102
    """
    return sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if size)


def fits_in_32_bits(*tensors: torch.Tensor | None) -> bool:
    """Whether the offsets of all elements do. None has no elements."""
    return all(tensor is None or reach(tensor) < _END for tensor in tensors)
