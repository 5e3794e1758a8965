"""Operations that apply a function of scalars: reductions, scans, `tl.map_elementwise`.

The function runs on many lanes at once: its "scalars" are arrays with one element per lane. Where it branches on
values that differ between lanes, `Diverged` reports it; the lanes are split and each part runs from the start. The
functions have no effects, so running them again is harmless.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .elements import Value


class Diverged(BaseException):
    """Lanes want to go different ways: those of `mask` one, the others another.

    No `Exception`, because it is none of the kernel and handlers for those must let it pass.
    """

    def __init__(self, mask: np.ndarray):
        super().__init__()
        self.mask = mask


def run_lanes(function: Callable, arguments: list[Value]) -> list[Value]:
    """`function(arguments)`, a list of values, for arguments that are arrays of rank 1."""
    count = arguments[0].data.shape[0]
    try:
        results = function(arguments)
    except Diverged as split:
        mask = np.broadcast_to(split.mask, (count,))
        parts = [[Value(a.element, a.data[m]) for a in arguments] for m in (mask, ~mask)]
        chosen, others = (run_lanes(function, part) for part in parts)
        return [_merged(mask, a, b) for a, b in zip(chosen, others)]
    return [Value(r.element, np.broadcast_to(r.data, (count,))) for r in results]


def _merged(mask: np.ndarray, chosen: Value, others: Value) -> Value:
    if chosen.element.storage != others.element.storage:
        raise TypeError(f"the function of scalars gives {chosen.element} on one way and {others.element} on another")
    data = np.empty(mask.shape, chosen.element.storage)
    data[mask], data[~mask] = chosen.data, others.data
    return Value(chosen.element, data)


class Arguments:
    """The block of a region: its arguments are what the function gets."""

    def __init__(self, values: list[Value]):
        self._values = values

    def get_argument(self, index: int) -> Value:
        return self._values[index]

    def arguments(self) -> list[Value]:
        return self._values


class _CombineRegion:
    """A reduction or scan. `run(fill)` does the work: `fill(block)` runs the combine function on the arguments."""

    def __init__(self, builder, operands: list[Value], axis: int):
        self.builder = builder
        self.axis = axis
        self.elements = [v.element for v in operands]
        self.values = [np.moveaxis(v.data, axis, -1) for v in operands]

    def get_body(self) -> _CombineRegion:
        return self

    def get_result(self, index: int) -> Value:
        return Value(self.elements[index], self.values[index])

    def _combined(self, fill: Callable, left: list[np.ndarray], right: list[np.ndarray]) -> list[np.ndarray]:
        def function(arguments: list[Value]) -> list[Value]:
            fill(Arguments(arguments))
            return self.builder.results

        shape = left[0].shape
        lanes = [Value(e, a.reshape(-1)) for group in (left, right) for e, a in zip(self.elements, group)]
        return [r.data.reshape(shape) for r in run_lanes(function, lanes)]


class ReduceRegion(_CombineRegion):
    def run(self, fill: Callable) -> None:
        """Neighbours are combined until one is left, which keeps their order."""
        values = self.values
        while values[0].shape[-1] > 1:
            values = self._combined(fill, [v[..., 0::2] for v in values], [v[..., 1::2] for v in values])
        self.values = [v[..., 0] for v in values]


class ScanRegion(_CombineRegion):
    def __init__(self, builder, operands: list[Value], axis: int, reverse: bool):
        super().__init__(builder, operands, axis)
        self.reverse = reverse

    def run(self, fill: Callable) -> None:
        """Every element is combined with the one `distance` before it, for distances of 1, 2, 4, ..."""
        values = [v[..., ::-1] for v in self.values] if self.reverse else self.values
        distance = 1
        while distance < values[0].shape[-1]:
            later = self._combined(fill, [v[..., :-distance] for v in values], [v[..., distance:] for v in values])
            values = [np.concatenate([v[..., :distance], w], axis=-1) for v, w in zip(values, later)]
            distance *= 2
        if self.reverse:
            values = [v[..., ::-1] for v in values]
        self.values = [np.moveaxis(v, -1, self.axis) for v in values]


class MapRegion:
    """Groups of `pack` neighbours of each operand, one group per lane."""

    def __init__(self, builder, operands: list[Value], pack: int):
        self.shape = operands[0].data.shape
        self.pack = pack
        self.lanes = [Value(v.element, v.data.reshape(-1, pack)[:, i]) for v in operands for i in range(pack)]

    def run(self, function: Callable) -> list[Value]:
        """`function` takes `pack` values per operand and gives `pack` per result."""
        values = run_lanes(function, self.lanes)
        results = []
        for start in range(0, len(values), self.pack):
            group = values[start : start + self.pack]
            data = np.stack([v.data for v in group], axis=-1).reshape(self.shape)
            results.append(Value(group[0].element, data))
        return results
