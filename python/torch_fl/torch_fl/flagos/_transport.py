"""Tensors of the device on their way to another process."""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
from torch.multiprocessing.reductions import reduce_tensor

from .._claim import NAME


def install() -> None:
    """Has queues and pipes of processes ask here about tensors."""
    for kind in (torch.Tensor, torch.nn.Parameter):
        ForkingPickler.register(kind, reduce)


def reduce(tensor: torch.Tensor) -> Any:
    """How `tensor` is sent. What a worker of a DataLoader made arrives as a copy; it has no use for it any more.

    RuntimeError for other tensors of the device, whose memory another process cannot share. A worker sends from a
    thread of its queue, where an error would be printed only, and its DataLoader would wait for ever.
    """
    if tensor.device.type != NAME:
        return reduce_tensor(tensor)
    if torch.utils.data.get_worker_info() is None:
        raise RuntimeError(
            f"a tensor of {NAME} does not go to another process, which cannot share its memory. Send tensor.cpu(), and "
            f"move it to {NAME} there"
        )
    return _arrive, (tensor.detach().cpu(), tensor.requires_grad)


def _arrive(copy: torch.Tensor, requires_grad: bool) -> torch.Tensor:
    return copy.to(NAME).requires_grad_(requires_grad)
