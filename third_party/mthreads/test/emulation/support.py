"""What the files of kernels share: the list of cases, and random values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from emulate import BFloat16

CASES: list[Callable] = []
rng = np.random.default_rng(7)


def restart() -> None:
    """The same random values again."""
    rng.bit_generator.state = np.random.default_rng(7).bit_generator.state


def case(function: Callable) -> Callable:
    """Marks a function that gets ``run(kernel, grid, *arguments, **constants)`` and compares what it computed."""
    CASES.append(function)
    return function


def floats(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return rng.standard_normal(shape).astype(dtype)


def to_bf16(values: np.ndarray) -> BFloat16:
    """Values, each exactly a bf16 (small integers and halves), as bf16."""
    return (np.ascontiguousarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16).view(BFloat16)


def from_bf16(values: np.ndarray) -> np.ndarray:
    return (np.asarray(values).astype(np.uint32) << 16).view(np.float32)
