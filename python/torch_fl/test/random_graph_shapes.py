"""Steps of a random graph that change shapes: views, indexing, reductions."""

from __future__ import annotations

import math
import random

import torch
from random_graph_steps import Step, dimension, draw, kept
from random_graph_values import Graph, Rejected, Value


def view(rng: random.Random, graph: Graph) -> Value:
    a = draw(rng, graph, rank=1)
    d, n, rank = dimension(rng, a), a.name, a.tensor.dim()
    e, size = rng.randrange(rank), a.tensor.shape[d]
    start = rng.randrange(size + 1)
    dims = rng.sample(range(rank), rank)
    text = rng.choice(
        [
            f"{n}.transpose({d}, {e})", f"{n}.permute({dims})", f"{n}.unsqueeze({d})", f"{n}.squeeze({d})",
            f"{n}.flatten()", f"{n}.reshape({_folded(rng, list(a.tensor.shape))})", f"{n}.flip({d})",
            f"{n}.narrow({d}, {start}, {rng.randrange(size - start + 1)})", f"{n}.select({d}, {max(start - 1, 0)})",
            f"{n}[{':, ' * d}{rng.randrange(3)}::{rng.randint(1, 3)}]", f"{n}.roll({rng.randint(-3, 3)}, {d})",
            f"{n}.unsqueeze({d}).expand({_with(list(a.tensor.shape), d, rng.randint(1, 3))})", f"{n}.contiguous()",
            f"{n}.unfold({d}, {rng.randint(1, 3)}, {rng.randint(1, 2)})", f"{n}.diagonal(0, {d}, {e})",
            f"{n}.chunk(2, {d})[-1]", f"{n}.movedim({d}, {e})", f"{n}.repeat_interleave(2, {d})",
            f"torch.tril({n}, {rng.randint(-1, 1)})", f"torch.triu({n}, {rng.randint(-1, 1)})", f"{n}.clone()",
            f"{n}.contiguous(memory_format=torch.channels_last)",
        ]
    )  # fmt: skip
    return kept(graph, text, a)


def _folded(rng: random.Random, shape: list[int]) -> list[int]:
    """`shape` with two neighbours joined, or one dimension divided."""
    d = rng.randrange(len(shape))
    if d + 1 < len(shape):
        return [*shape[:d], shape[d] * shape[d + 1], *shape[d + 2 :]]
    divisors = [i for i in range(2, 9) if shape[d] % i == 0]
    return [*shape[:d], shape[d] // divisors[0], divisors[0]] if divisors else [*shape, 1]


def _with(shape: list[int], d: int, size: int) -> str:
    return ", ".join(str(n) for n in [*shape[:d], size, *shape[d:]])


def join(rng: random.Random, graph: Graph) -> Value:
    a, b = draw(rng, graph, rank=1), draw(rng, graph, rank=1)
    if a.dtype != b.dtype:
        raise Rejected("types differ")
    d = dimension(rng, a)
    if rng.random() < 0.3:
        return kept(graph, f"torch.stack([{a.name}, {b.name}], {d})", a, b)
    return kept(graph, f"torch.cat([{a.name}, {b.name}], {d})", a, b)


def pad(rng: random.Random, graph: Graph) -> Value:
    a = draw(rng, graph, rank=1)
    amounts = [rng.randint(0, 2) for _ in range(2 * rng.randint(1, a.tensor.dim()))]
    return kept(graph, f"F.pad({a.name}, {amounts})", a)


def pool(rng: random.Random, graph: Graph) -> Value:
    a = draw(rng, graph, floating=True, rank=3)
    if a.tensor.dim() > 4:
        raise Rejected("five dimensions")
    if rng.random() < 0.5:
        return kept(graph, f"F.max_pool2d({a.name}, 2, stride={rng.randint(1, 2)})", a)
    return graph.add(f"F.avg_pool2d({a.name}, 2, stride={rng.randint(1, 2)})", a.bound, None, a.error)


def _index(rng: random.Random, graph: Graph, size: int) -> str:
    i = draw(rng, graph, floating=False)
    if size == 0 or i.dtype == torch.bool or i.bound > 2**31 or i.tensor.dim() == 0:
        raise Rejected("nothing to index")
    return f"({i.name}.to(torch.int64).abs() % {size})"


def index(rng: random.Random, graph: Graph) -> Value:
    a = draw(rng, graph, rank=1)
    d = dimension(rng, a)
    i = _index(rng, graph, a.tensor.shape[d])
    text = rng.choice(
        [
            f"{a.name}[{':, ' * d}{i}]", f"{a.name}.index_select({d}, {i}.flatten())",
            f"torch.gather({a.name}, {d}, {i})",
            f"torch.take_along_dim({a.name}, {i}, {d})", f"F.embedding({i}, {a.name})",
        ]
    )  # fmt: skip
    return kept(graph, text, a)


def scatter(rng: random.Random, graph: Graph) -> Value:
    a, b = draw(rng, graph, rank=1), draw(rng, graph, rank=1)
    # Inductor accumulates by an atomic addition, which Triton does not have for bytes.
    if a.dtype != b.dtype or a.tensor.element_size() == 1:
        raise Rejected("types differ")
    d = dimension(rng, a)
    i = _index(rng, graph, a.tensor.shape[d])
    text = rng.choice(
        [
            f"{a.name}.scatter_add({d}, {i}, {b.name})",
            f"{a.name}.index_add({d}, {i}.flatten(), {b.name})",
            f"{a.name}.index_put(({i},), {b.name}, accumulate=True)",
            f"{a.name}.scatter_reduce({d}, {i}, {b.name}, 'amax')",
        ]
    )
    times = b.tensor.numel() + 1
    grain = max(a.grain, b.grain) if a.exact and b.exact else None
    sums = a.bound + times * b.bound
    # Sums are rounded to the type after every addition.
    rounding = 0.0 if grain is not None or not a.floating else times * torch.finfo(a.dtype).eps * sums
    return graph.add(text, sums, grain, a.error + times * b.error + rounding)


def assign(rng: random.Random, graph: Graph) -> Value:
    a, b = draw(rng, graph, rank=1), draw(rng, graph)
    if a.dtype != b.dtype:
        raise Rejected("types differ")
    d = dimension(rng, a)
    size = a.tensor.shape[d]
    start = rng.randrange(size + 1)
    step = rng.randint(1, 2)
    part = f"{a.name}[{':, ' * d}{start}::{step}]"
    source = f"{b.name}.expand_as({part})"
    text = rng.choice(
        [
            f"{a.name}.slice_scatter({source}, {d}, {start}, {size}, {step})",
            f"{a.name}.select_scatter({b.name}.expand_as({a.name}.select({d}, 0)), {d}, {max(start - 1, 0)})",
            f"{a.name}.clone().copy_({b.name})",
        ]
    )
    return kept(graph, text, a, b)


def reduction(rng: random.Random, graph: Graph) -> Value:
    a = draw(rng, graph, rank=1)
    d = dimension(rng, a)
    n = a.tensor.shape[d]
    where = rng.choice([f"{d}", f"{d}, keepdim=True"])
    if rng.random() < 0.3:
        d, n, where = 0, a.tensor.numel(), ""
    comma = where and ", " + where
    log = math.log2(n + 1) + 1
    kind = rng.choice(["sum", "mean", "amax", "amin", "any", "all", "arg", "var", "sum", "amax"])
    # Inductor fills up small integers with limits of int32, and makes bool of what torch keeps as uint8.
    if (
        not a.floating
        and a.tensor.element_size() < 4
        and a.dtype != torch.bool
        and kind in ("amax", "amin", "any", "all")
    ):
        raise Rejected("small integers")
    if kind in ("amax", "amin"):
        return kept(graph, f"torch.{kind}({a.name}{comma})", a)
    if kind in ("any", "all", "arg"):
        if not a.exact or (kind == "arg" and a.dtype == torch.bool):
            raise Rejected("not exact")
        name = rng.choice(["argmax", "argmin"]) if kind == "arg" else kind
        return graph.add(f"torch.{name}({a.name}{comma})", max(n, 1), 0)
    if kind == "sum":
        return _total(graph, f"torch.sum({a.name}{comma})", a, n)
    if not a.floating:
        raise Rejected("not floating")
    eps = torch.finfo(a.dtype).eps
    if kind == "mean":
        return graph.add(f"torch.mean({a.name}{comma})", a.bound, None, a.error + log * eps * a.bound)
    text = f"torch.var({a.name}, {where + ', ' if where else ''}correction=0)"
    error = 4 * a.bound * a.error + (log + 8) * eps * a.bound**2
    return graph.add(text, a.bound**2, None, error)


def _total(graph: Graph, text: str, a: Value, n: int) -> Value:
    """A value with sums of up to `n` elements of `a`."""
    if _sums(a, n):
        return graph.add(text, n * a.bound, a.grain)
    # Sums of low precision are added in float32, and compiled ones are not rounded in between, either.
    log = math.log2(n + 1) + 1
    return graph.add(text, n * a.bound, None, n * a.error + log * torch.finfo(a.dtype).eps * n * a.bound)


def _sums(a: Value, n: int) -> bool:
    """Whether every order of additions gives the same sum of `n` elements."""
    return a.exact and (not a.floating or n * a.bound * 2.0**a.grain <= 2.0**24)


def scan(rng: random.Random, graph: Graph) -> Value:
    a = draw(rng, graph, rank=1)
    d = dimension(rng, a)
    n = max(a.tensor.shape[d], 1)
    log = math.log2(n + 1) + 1
    kind = rng.choice(["cumsum", "sort", "topk", "max", "cummax", "softmax", "log_softmax", "logsumexp", "norm"])
    if kind in ("sort", "max", "cummax"):
        return kept(graph, f"torch.{kind}({a.name}, {'dim=' if kind == 'sort' else ''}{d})[0]", a)
    if kind == "topk":
        return kept(graph, f"torch.topk({a.name}, {rng.randint(1, n)}, {d})[0]", a)
    if kind == "cumsum":
        return _total(graph, f"torch.cumsum({a.name}, {d})", a, n)
    if not a.floating:
        raise Rejected("not floating")
    eps = torch.finfo(a.dtype).eps
    inside = 8 * eps * (a.bound + 1) + log * eps
    if kind == "norm":
        return graph.add(f"F.layer_norm({a.name}, {[a.tensor.shape[-1]]}, eps=1.0)", math.sqrt(a.tensor.shape[-1]) + 1,
                         None, 4 * a.error + 4 * inside * (a.bound + 1))  # fmt: skip
    if kind == "softmax":
        return graph.add(f"torch.softmax({a.name}, {d})", 1, None, 2 * a.error + inside)
    bound = 2 * a.bound + math.log(n) if kind == "log_softmax" else a.bound + math.log(n)
    return graph.add(f"torch.{kind}({a.name}, {d})", bound, None, 2 * a.error + inside)


def product(rng: random.Random, graph: Graph) -> Value:
    a, b = draw(rng, graph, floating=True, rank=1), draw(rng, graph, floating=True, rank=1)
    if a.dtype != b.dtype or not a.tensor.numel() or not b.tensor.numel():
        raise Rejected("types differ")
    k = a.tensor.shape[-1]
    error = k * (a.error * b.bound + b.error * a.bound)
    eps = torch.finfo(a.dtype).eps
    bound = k * a.bound * b.bound
    other = f"{b.name}.mT" if b.tensor.dim() >= 2 and b.tensor.shape[-1] == k else b.name
    return graph.add(f"torch.matmul({a.name}, {other})", bound, None, error + (math.log2(k + 1) + 8) * eps * bound)


SHAPES: list[Step] = [view, view, view, view, view, join, pad, pool, index, index, scatter, assign]
REDUCTIONS: list[Step] = [reduction, reduction, scan, product]
