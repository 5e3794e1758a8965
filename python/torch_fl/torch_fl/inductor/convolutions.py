"""Layouts of convolutions in a graph: those that the device's memory has them in when they run.

Torch's shape functions ask which library a device convolves with, and take that of a device registered from outside for
one whose results are contiguous. The device's operators run on the CPU or on an accelerator, so these answer.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from .._claim import NAME
from ..profiles import Profile
from ..workarounds.wrapping import wrap_once


def lay_out_as_memory(fake_impls: ModuleType, profile: Profile) -> None:
    """Has convolutions of `torch._subclasses.fake_impls` give tensors of the device the strides of those of the
    device whose memory they have. Nothing changes for other devices.
    """
    table = fake_impls.op_implementations_dict
    for op in (torch.ops.aten.convolution.default, torch.ops.aten.convolution_backward.default):
        table[op] = _on_memory(table[op], profile.memory)


def _on_memory(original: Callable[..., Any], memory: str) -> Callable[..., Any]:
    def convolution(fake_mode: Any, op: Any, *arguments: Any, **named: Any) -> Any:
        tensors = [value for value in (*arguments, *named.values()) if isinstance(value, torch.Tensor)]
        if not any(tensor.device.type == NAME for tensor in tensors):
            return original(fake_mode, op, *arguments, **named)

        def moved(value: Any, device: str) -> Any:
            if not isinstance(value, torch.Tensor):
                return value
            with fake_mode:
                return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=device)

        theirs = [moved(value, memory) for value in arguments]
        results = original(fake_mode, op, *theirs, **{name: moved(value, memory) for name, value in named.items()})
        return tuple(moved(result, NAME) for result in results) if isinstance(results, tuple) else moved(results, NAME)

    return convolution


def prefer_channels_last(graph: ModuleType, profile: Profile) -> bool:
    """Has `GraphLowering` decide about channels last as for the CPU, where the device's convolutions are the CPU's.

    True if this call changed anything.
    """
    if profile.memory != "cpu":
        return False

    def make(original: Callable[..., bool]) -> Callable[..., bool]:
        def decide_layout_opt(gm: Any, *, is_inference: bool) -> bool:
            if graph.config.layout_optimization and torch.backends.mkldnn.enabled and _all_are_ours(gm):
                return True
            return original(gm, is_inference=is_inference)

        return decide_layout_opt

    return wrap_once(graph.GraphLowering, "decide_layout_opt", "channels_last", make)


def _all_are_ours(gm: Any) -> bool:
    """Whether there are convolutions, and all of them are of tensors of the device."""
    found = [node for node in gm.graph.nodes if node.target is torch.ops.aten.convolution.default]
    operands = [operand for node in found for operand in node.args[:2]]
    return bool(found) and all(operand.meta["val"].device.type == NAME for operand in operands)
