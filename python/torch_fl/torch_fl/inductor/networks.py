"""Recurrent networks in a graph: traced as for tensors of the CPU."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import torch
from torch._C import DispatchKey

from ..profiles import Profile

_KEYS = (DispatchKey.AutogradPrivateUse1, DispatchKey.PrivateUse1)
_COMPOSED = ("lstm.data", "gru.input", "gru.data", "rnn_tanh.input", "rnn_tanh.data", "rnn_relu.input", "rnn_relu.data")


def trace_networks(decompositions: ModuleType, profile: Profile) -> None:
    """Has tracers take networks of the device apart as `torch._decomp.decompositions` does for the CPU.

    The extension has kernels for them, which would come first. An LSTM becomes an operator of the CPU's library for
    each direction of each layer, if the library has it and no gradient is wanted; all else becomes the cells of each
    step.
    """
    lstm = torch.ops.aten.lstm.input
    if profile.memory != "cpu" or _KEYS[0] in lstm.py_kernels:
        return
    for key in _KEYS:
        lstm.py_impl(key)(_layers_or_cells(lstm, key, decompositions.lstm_impl))
        for name in _COMPOSED:
            packet, overload = name.split(".")
            op = getattr(getattr(torch.ops.aten, packet), overload)
            op.py_impl(key)(op.py_kernels[DispatchKey.Autograd])


def _layers_or_cells(op: Any, key: DispatchKey, cells: Any) -> Any:
    from .. import _C

    def lstm(input: Any, hx: Any, params: Any, *settings: Any) -> Any:
        wants_gradient = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in (input, *hx, *params))
        if wants_gradient or not _C.lstm_is_in_library(input, hx, params):
            return cells(input, hx, params, *settings)
        return op._op_dk(key, input, hx, params, *settings)

    return lstm
