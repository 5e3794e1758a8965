"""Values of a random graph, each with what is known of its error.

The error of a value is tracked like in a running error analysis: an operator with the Lipschitz constant L makes
L * error of an error, and adds some units in the last place of its own. A compiled graph may differ from the eager one
by twice that, and not at all where the value is exact: then it is a multiple of a power of two that fits its type.
Operators that jump (comparisons, rounding, indices of maxima) are applied to exact values only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

FLOATS = [torch.float32, torch.bfloat16, torch.float16, torch.float64]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
# Bits of the significand.
PRECISION = {torch.float64: 53, torch.float32: 24, torch.float16: 11, torch.bfloat16: 8}
LARGEST = {torch.float64: 2.0**40, torch.float32: 2.0**40, torch.float16: 2.0**14, torch.bfloat16: 2.0**40}
# What an operator may be off by, in units in the last place: of its own, and of steps inside it that are rounded.
ULPS = 4


@dataclass
class Value:
    """`tensor` is the eager result; no element is above `bound`; `grain`: all are multiples of 2 ** -grain, exactly."""

    name: str
    tensor: torch.Tensor
    bound: float
    grain: int | None
    error: float = 0.0

    @property
    def exact(self) -> bool:
        return self.grain is not None

    @property
    def dtype(self) -> torch.dtype:
        return self.tensor.dtype

    @property
    def floating(self) -> bool:
        return self.dtype.is_floating_point


class Rejected(Exception):
    """A step that does not apply to what it has drawn: too large, not exact, or refused by torch."""


@dataclass
class Graph:
    """Lines of a function, and the values they make when run eagerly on `inputs`."""

    inputs: dict[str, torch.Tensor]
    values: list[Value]
    lines: list[str] = field(default_factory=list)

    def add(self, text: str, bound: float, grain: int | None, error: float = 0.0, rounds: bool = True) -> Value:
        """Appends the value of `text`, an expression in names of values. Rejected if torch refuses it.

        `rounds`: the elements are computed, rather than taken from others.
        """
        names: dict[str, Any] = {value.name: value.tensor for value in self.values}
        try:
            tensor = eval(text, {"torch": torch, "F": torch.nn.functional}, names)
        except (RuntimeError, IndexError, TypeError) as refused:
            raise Rejected(f"{text}: {refused}") from refused
        if tensor.numel() > 200_000:
            raise Rejected("too large")
        value = _settled(Value(f"v{len(self.lines)}", tensor, bound, grain, error), rounds)
        self.lines.append(f"{value.name} = {text}")
        self.values.append(value)
        return value

    def source(self, results: list[str]) -> str:
        lines = [*self.lines, f"return [{', '.join(results)}]"]
        return f"def graph({', '.join(self.inputs)}):\n" + "".join(f"    {line}\n" for line in lines)


def _settled(value: Value, rounds: bool) -> Value:
    """`value` with what rounding to its type, or wrapping around in it, does to what is known of it."""
    dtype = value.dtype
    if dtype == torch.bool:
        value.bound, value.grain = 1.0, 0
    elif dtype in INTEGERS:
        largest = torch.iinfo(dtype).max
        if value.bound > largest and dtype in (torch.int64, torch.int32):
            raise Rejected("overflow")
        value.bound, value.grain = min(value.bound, largest + 1.0), 0
    else:
        if value.bound > LARGEST[dtype]:
            raise Rejected("overflow")
        if value.grain is not None and value.bound * 2.0**value.grain > 2.0 ** PRECISION[dtype]:
            value.grain, rounds = None, True
        if value.grain is None and rounds:
            value.error += ULPS * 2.0 ** -PRECISION[dtype] * max(value.bound, 2.0**-14)
    return value


def difference(value: Value, ours: torch.Tensor) -> str:
    """What is wrong with `ours` as the compiled graph's result for `value`; "" if nothing is."""
    theirs = value.tensor
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{value.name}: {ours.dtype} {tuple(ours.shape)} instead of {theirs.dtype} {tuple(theirs.shape)}"
    if value.exact:
        agree = (ours == theirs) | ((ours != ours) & (theirs != theirs))
    else:
        agree = torch.isclose(ours.double(), theirs.double(), rtol=0, atol=2 * value.error, equal_nan=True)
    if agree.all():
        return ""
    where = tuple((~agree).nonzero()[0].tolist())
    return (
        f"{value.name}: {int((~agree).sum())} of {agree.numel()} elements differ by more than {2 * value.error:.3g}, "
        f"the first at {where}: {ours[where].item()} instead of {theirs[where].item()}"
    )
