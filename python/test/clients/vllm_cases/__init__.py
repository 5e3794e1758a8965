"""Calls of vLLM's Triton kernels, each with what it should give; `run_vllm.py` runs them.

A module per area. Every case is a function of no arguments that imports what it calls and returns an `Outcome`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

#: ``(actual, expected)`` results and the tolerance.
Outcome = tuple[Any, Any, float]
CASES: dict[str, Callable[[], Outcome]] = {}

FP8 = torch.float8_e4m3fn


def case(function: Callable[[], Outcome]) -> Callable[[], Outcome]:
    """Decorator: `function` is the case of its name."""
    CASES[function.__name__] = function
    return function


def variants(function: Callable[..., Outcome], **named: tuple) -> None:
    """Cases ``function[name]`` that call `function` with the arguments given for each name."""
    for name, arguments in named.items():
        CASES[f"{function.__name__.lstrip('_')}[{name}]"] = lambda arguments=arguments: function(*arguments)


def normal(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape).to(dtype)


def int32(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int32)


def starts(lengths: list[int]) -> torch.Tensor:
    """Where sequences of these lengths start when they lie one behind the other, and where the last one ends."""
    return torch.tensor([0, *lengths]).cumsum(0).int()
