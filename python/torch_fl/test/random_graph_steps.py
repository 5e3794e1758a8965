"""Steps that a random graph can take. Each draws what it needs, appends one value, or raises Rejected."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import torch
from random_graph_values import FLOATS, INTEGERS, Graph, Rejected, Value

Step = Callable[[random.Random, Graph], object]

# Text, Lipschitz constant, bound of the result for a bound of the argument.
SMOOTH: list[tuple[str, float, Callable[[float], float]]] = [
    ("torch.sin({a})", 1, lambda b: 1),
    ("torch.cos({a})", 1, lambda b: 1),
    ("torch.tanh({a})", 1, lambda b: 1),
    ("torch.sigmoid({a})", 0.25, lambda b: 1),
    ("torch.exp(-{a}.abs())", 1, lambda b: 1),
    ("torch.expm1(-{a}.abs())", 1, lambda b: 1),
    ("torch.exp2(-{a}.abs())", 1, lambda b: 1),
    ("torch.log1p({a}.abs())", 1, lambda b: math.log1p(b)),
    ("torch.log({a}.abs() + 1)", 1, lambda b: math.log1p(b)),
    ("torch.sqrt({a}.abs() + 1)", 0.5, lambda b: math.sqrt(b + 1)),
    ("torch.rsqrt({a}.abs() + 1)", 0.5, lambda b: 1),
    ("torch.reciprocal({a}.abs() + 1)", 1, lambda b: 1),
    ("torch.erf({a})", 1.13, lambda b: 1),
    ("torch.atan({a})", 1, lambda b: 1.6),
    ("torch.asinh({a})", 1, lambda b: math.asinh(b)),
    ("F.gelu({a})", 1.13, lambda b: b),
    ("F.gelu({a}, approximate='tanh')", 1.13, lambda b: b),
    ("F.silu({a})", 1.1, lambda b: b),
    ("F.mish({a})", 1.1, lambda b: b),
    ("F.softplus({a})", 1, lambda b: b + 1),
    ("F.elu({a})", 1, lambda b: b + 1),
    ("F.selu({a})", 1.76, lambda b: 1.76 * (b + 1)),
    ("F.hardswish({a})", 1.5, lambda b: b),
    ("{a}.square()", 0, lambda b: b * b),  # its constant depends on the bound: see smooth()
]
JUMPS = ["torch.floor({a})", "torch.ceil({a})", "torch.round({a})", "torch.trunc({a})", "torch.sign({a})"]
KEEPS = ["-{a}", "{a}.abs()", "torch.relu({a})", "F.hardtanh({a}, -2, 3)", "{a}.clamp(-1, 2)", "{a}.clamp(min=1)"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]


def draw(
    rng: random.Random, graph: Graph, *, floating: bool | None = None, exact: bool = False, rank: int = 0
) -> Value:
    """One of the values of a kind, later ones rather; Rejected if there are none."""

    def fits(value: Value) -> bool:
        kind = floating is None or value.floating == floating
        return kind and (value.exact or not exact) and value.tensor.dim() >= rank

    choice = [value for value in graph.values if fits(value)]
    if not choice:
        raise Rejected("no such value")
    return rng.choice(choice[-4:] if rng.random() < 0.7 else choice)


def dimension(rng: random.Random, value: Value) -> int:
    if not value.tensor.dim():
        raise Rejected("no dimension")
    return rng.randrange(value.tensor.dim())


def kept(graph: Graph, text: str, *values: Value) -> Value:
    """A result whose elements are among those of `values`."""
    grains = [value.grain for value in values]
    grain = None if None in grains else max(grain for grain in grains if grain is not None)
    converts = len({value.dtype for value in values}) > 1
    return graph.add(text, max(v.bound for v in values), grain, max(v.error for v in values), rounds=converts)


def smooth(rng: random.Random, graph: Graph) -> Value:
    a = draw(rng, graph, floating=True)
    text, lipschitz, bound = rng.choice(SMOOTH)
    lipschitz = lipschitz or 2 * a.bound
    # Steps inside, such as abs() + 1, are rounded to the argument's type.
    inside = 4 * torch.finfo(a.dtype).eps * (a.bound + 1) * max(lipschitz, 1)
    return graph.add(text.format(a=a.name), bound(a.bound), None, lipschitz * a.error + inside)


def keeping(rng: random.Random, graph: Graph) -> Value:
    a = draw(rng, graph)
    if a.dtype == torch.bool:
        return graph.add(f"~{a.name}", 1, 0)
    value = kept(graph, rng.choice(KEEPS).format(a=a.name), a)
    value.bound = max(value.bound, 3.0)
    return value


def jumping(rng: random.Random, graph: Graph) -> Value:
    a = draw(rng, graph, floating=True, exact=True)
    return graph.add(rng.choice(JUMPS).format(a=a.name), a.bound + 1, 0)


def _pair(rng: random.Random, graph: Graph) -> tuple[Value, Value]:
    a, b = draw(rng, graph), draw(rng, graph)
    if a.dtype == torch.bool and b.dtype == torch.bool:
        raise Rejected("arithmetic on bool")
    return a, b


def arithmetic(rng: random.Random, graph: Graph) -> Value:
    a, b = _pair(rng, graph)
    both = a.exact and b.exact
    kind = rng.choice("+-*md") if a.dtype != torch.bool and b.dtype != torch.bool else rng.choice("+*")
    if kind in "+-":
        grain = max(a.grain, b.grain) if both else None
        return graph.add(f"{a.name} {kind} {b.name}", a.bound + b.bound, grain, a.error + b.error)
    if kind == "*":
        error = a.error * b.bound + b.error * a.bound + a.error * b.error
        return graph.add(f"{a.name} * {b.name}", a.bound * b.bound, a.grain + b.grain if both else None, error)
    if kind == "m":
        return kept(graph, f"torch.{rng.choice(['maximum', 'minimum'])}({a.name}, {b.name})", a, b)
    coarsest = max((torch.finfo(v.dtype).eps for v in (a, b) if v.floating), default=torch.finfo(torch.float32).eps)
    error = a.error + (b.error + 4 * coarsest * (b.bound + 1)) * max(a.bound, 1)
    return graph.add(f"{a.name} / ({b.name}.abs() + 1)", a.bound, None, error)


def with_scalar(rng: random.Random, graph: Graph) -> Value:
    a = draw(rng, graph)
    if a.dtype == torch.bool:
        raise Rejected("arithmetic on bool")
    number = rng.choice([2, 3, -1, 0.5, 1.25] if a.floating else [2, 3, -1])
    if rng.random() < 0.5:
        return graph.add(f"{a.name} + {number}", a.bound + abs(number), max(a.grain, 2) if a.exact else None, a.error)
    return graph.add(
        f"{a.name} * {number}", a.bound * abs(number), a.grain + 2 if a.exact else None, a.error * abs(number)
    )


def comparison(rng: random.Random, graph: Graph) -> Value:
    a, b = draw(rng, graph, exact=True), draw(rng, graph, exact=True)
    return graph.add(f"{a.name} {rng.choice(COMPARISONS)} {b.name}", 1, 0)


def integers(rng: random.Random, graph: Graph) -> Value:
    a, b = draw(rng, graph, floating=False), draw(rng, graph, floating=False)
    if a.dtype == torch.bool or b.dtype == torch.bool:
        return graph.add(f"{a.name} {rng.choice('&|^')} {b.name}", max(a.bound, b.bound) * 2, 0)
    text = rng.choice(
        [
            "{a} & {b}", "{a} | {b}", "{a} ^ {b}", "~{a}", "{a} // ({b} | 1)", "{a} % ({b} | 1)", "{a} << 1",
            "{a} >> 2", "torch.fmod({a}, {b} | 1)", "torch.div({a}, {b} | 1, rounding_mode='trunc')", "torch.sign({a})",
        ]
    )  # fmt: skip
    unsigned = torch.uint8 in (a.dtype, b.dtype)
    return graph.add(text.format(a=a.name, b=b.name), 255 + 2 * max(a.bound, b.bound) * (1 + unsigned), 0)


def conversion(rng: random.Random, graph: Graph) -> Value:
    a = draw(rng, graph)
    dtype = rng.choice([*FLOATS, *INTEGERS, torch.bool])
    if a.floating and not dtype.is_floating_point:
        # The value of a float that the type cannot hold is not defined.
        if not a.exact or dtype == torch.uint8 or (dtype in INTEGERS and a.bound > torch.iinfo(dtype).max):
            raise Rejected("not exact")
        return graph.add(f"{a.name}.to({dtype})", a.bound, 0)
    return graph.add(f"{a.name}.to({dtype})", a.bound, a.grain, a.error)


def choice(rng: random.Random, graph: Graph) -> Value:
    c, a, b = draw(rng, graph, exact=True), draw(rng, graph), draw(rng, graph)
    condition = c.name if c.dtype == torch.bool else f"({c.name} > 0)"
    if rng.random() < 0.3:
        value = kept(graph, f"{a.name}.masked_fill({condition}, 1)", a)
        value.bound = max(value.bound, 1)
        return value
    return kept(graph, f"torch.where({condition}, {a.name}, {b.name})", a, b)


ELEMENTWISE: list[Step] = [
    smooth, smooth, smooth, keeping, jumping, arithmetic, arithmetic, arithmetic, with_scalar, comparison, integers,
    conversion, choice,
]  # fmt: skip
