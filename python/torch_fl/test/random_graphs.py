"""Random graphs of 5 to 10 operators, compiled for the device and compared with the CPU's eager results. A command:

python random_graphs.py [--first SEED] [--count 100] [--dynamic]
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import time
import warnings
from dataclasses import dataclass

import torch
from opinfo_sample import move
from random_graph_shapes import REDUCTIONS, SHAPES
from random_graph_steps import ELEMENTWISE
from random_graph_values import FLOATS, INTEGERS, Graph, Rejected, Value, difference

SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 33, 64, 100, 257]
LARGEST_INPUT = 20_000


def generate(seed: int) -> tuple[Graph, list[Value]]:
    """A graph, and those of its values that it returns: the last one and some others."""
    rng = random.Random(seed)
    graph = _inputs(rng)
    given = len(graph.values)
    steps = rng.randint(5, 10)
    for _ in range(20 * steps):
        if len(graph.lines) == steps:
            break
        try:
            rng.choice(rng.choice([ELEMENTWISE, ELEMENTWISE, SHAPES, REDUCTIONS]))(rng, graph)
        except Rejected:
            continue
    made = graph.values[given:]
    results = [value for value in made[:-1] if rng.random() < 0.2] + made[-1:]
    return graph, results


def _inputs(rng: random.Random) -> Graph:
    shape = [rng.choice(SIZES if rng.random() < 0.7 else [1, 2, 3, 4, 5, 8]) for _ in range(rng.randint(1, 4))]
    while torch.Size(shape).numel() > LARGEST_INPUT:
        shape[shape.index(max(shape))] //= 2
    values = []
    for i in range(rng.randint(2, 4)):
        dtype = rng.choice([torch.float32, rng.choice(FLOATS), rng.choice([*INTEGERS, torch.bool])])
        left_out = rng.randrange(len(shape)) if rng.random() < 0.2 else 0
        dims = [1 if rng.random() < 0.15 else n for n in shape[left_out:]]
        tensor = _layout(rng, _numbers(rng, dims, dtype))
        values.append(Value("abcd"[i], tensor, 4.0, 2 if dtype.is_floating_point else 0))
    return Graph({value.name: value.tensor for value in values}, values)


def _numbers(rng: random.Random, shape: list[int], dtype: torch.dtype) -> torch.Tensor:
    """Quarters from -4 to 4, which every type of floats has, or whole numbers."""
    generator = torch.Generator().manual_seed(rng.randrange(2**31))
    quarters = torch.randint(-16, 17, shape, generator=generator)
    if dtype.is_floating_point:
        return (quarters / 4).to(dtype)
    whole = quarters // 4
    return whole > 0 if dtype == torch.bool else (whole.abs() if dtype == torch.uint8 else whole).to(dtype)


def _layout(rng: random.Random, tensor: torch.Tensor) -> torch.Tensor:
    """The same shape and elements, not always one after another in memory."""
    kind = rng.choice(["plain", "plain", "transposed", "gaps", "offset", "expanded", "last"])
    rank = tensor.dim()
    if kind == "transposed" and rank >= 2:
        order = rng.sample(range(rank), rank)
        back = [order.index(d) for d in range(rank)]
        return tensor.permute(order).contiguous().permute(back)
    if kind == "gaps" and rank:
        d = rng.randrange(rank)
        return torch.repeat_interleave(tensor, 2, d)[(slice(None),) * d + (slice(None, None, 2),)]
    if kind == "offset" and rank:
        return torch.cat([tensor[:1], tensor])[min(1, tensor.shape[0]) :]
    if kind == "expanded" and rank and tensor.shape[0]:
        return tensor[:1].expand(tensor.shape)
    if kind == "last" and rank == 4:
        return tensor.contiguous(memory_format=torch.channels_last)
    return tensor


@dataclass(frozen=True)
class Failure:
    """A graph whose compiled results differ, and how."""

    seed: int
    source: str
    reason: str

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.reason}\n{self.source}"


def check(seed: int, device: str, dynamic: bool | None = None) -> Failure | None:
    """Compiles the graph of `seed` for `device` and compares its results with those of the CPU."""
    graph, results = generate(seed)
    source = graph.source([value.name for value in results])
    namespace = {"torch": torch, "F": torch.nn.functional}
    exec(source, namespace)
    torch._dynamo.reset()
    backend = "inductor" if device == "cpu" else device
    compiled = torch.compile(namespace["graph"], backend=backend, dynamic=dynamic, fullgraph=True)
    try:
        ours = compiled(*(move(tensor, device) for tensor in graph.inputs.values()))
    except Exception as error:  # noqa: BLE001  the finding
        return Failure(seed, source, f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
    reasons = [difference(value, tensor.cpu()) for value, tensor in zip(results, ours, strict=True)]
    return next((Failure(seed, _with_inputs(graph, source), reason) for reason in reasons if reason), None)


def _with_inputs(graph: Graph, source: str) -> str:
    shapes = (f"{n}: {t.dtype} {tuple(t.shape)} strides {t.stride()}" for n, t in graph.inputs.items())
    return source + "".join(f"    # {line}\n" for line in shapes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--dynamic", action="store_true", help="compile for all sizes")
    parser.add_argument("--device", default="flagos", help="cpu: TorchInductor's own C++ backend")
    parser.add_argument("--seconds", type=float, default=1e9)
    arguments = parser.parse_args()
    import torch_fl  # noqa: F401  registers the device

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    end, done, failures = time.monotonic() + arguments.seconds, 0, 0
    for seed in range(arguments.first, arguments.first + arguments.count):
        if time.monotonic() > end:
            break
        done += 1
        if failure := check(seed, arguments.device, arguments.dynamic or None):
            failures += 1
            print(failure, flush=True)
    print(f"{done} graphs from seed {arguments.first} on, {failures} of them wrong")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
