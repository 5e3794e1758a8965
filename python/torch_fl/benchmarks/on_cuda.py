"""Times compiled functions on `flagos` in CUDA memory, and on plain `cuda` in another process.

python on_cuda.py [--rounds 3] [names]: prints a table. The two devices cannot share a process: once `flagos` is
registered, torch runs no backward pass on `cuda`. Rounds alternate between them, each in a new process; a time is the
median of the rounds' medians, each measured by CUDA's events over calls whose inputs do not fit the cache.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

DEVICES = ("cuda", "flagos")
BF16 = 2
F32 = 4


@dataclass(frozen=True)
class Case:
    """A function of no arguments on a device; `bytes` it must move, or `flops` it must do. `by_clock`: the time of
    calls on the host is measured, not that of the work that they start.
    """

    title: str
    make: Callable[[str], Callable[[], Any]]
    bytes: float = 0
    flops: float = 0
    by_clock: bool = False


def _pointwise(device: str) -> Callable[[], Any]:
    x = torch.randn(1 << 27, device=device)
    function = torch.compile(lambda v: torch.sin(v) * 2 + torch.relu(v))
    return lambda: function(x)


def _softmax(device: str) -> Callable[[], Any]:
    x = torch.randn(32768, 4096, device=device)
    function = torch.compile(lambda v: torch.softmax(v, -1))
    return lambda: function(x)


def _layer_norm(device: str) -> Callable[[], Any]:
    x, weight = torch.randn(32768, 4096, device=device), torch.randn(4096, device=device)
    function = torch.compile(lambda v: torch.nn.functional.layer_norm(v, (4096,), weight, weight))
    return lambda: function(x)


def _step(model: torch.nn.Module, data: torch.Tensor) -> Callable[[], Any]:
    compiled = torch.compile(model)

    def step() -> None:
        compiled(data).float().square().mean().backward()
        model.zero_grad(set_to_none=True)

    return step


def _mlp(device: str) -> Callable[[], Any]:
    layers = torch.nn.Linear(2048, 8192), torch.nn.GELU(), torch.nn.Linear(8192, 2048)
    return _step(
        torch.nn.Sequential(*layers).to(device, torch.bfloat16),
        torch.randn(8192, 2048, device=device, dtype=torch.bfloat16),
    )


def _block(device: str) -> Callable[[], Any]:
    block = torch.nn.TransformerEncoderLayer(1024, 16, 4096, dropout=0.0, batch_first=True, norm_first=True)
    return _step(block.to(device, torch.bfloat16), torch.randn(16, 1024, 1024, device=device, dtype=torch.bfloat16))


def _layer_norm_step(device: str) -> Callable[[], Any]:
    data = torch.randn(65536, 1024, device=device, requires_grad=True)
    return _step(torch.nn.LayerNorm(1024).to(device), data)


def _odd_product(device: str) -> Callable[[], Any]:
    layer = torch.nn.Linear(4095, 4097).to(device, torch.bfloat16)
    x = torch.randn(8191, 4095, device=device, dtype=torch.bfloat16)
    function = torch.compile(layer)

    def call() -> torch.Tensor:
        with torch.no_grad():
            return function(x)

    return call


def _small(device: str) -> Callable[[], Any]:
    x = torch.randn(1024, device=device)
    function = torch.compile(lambda v: torch.sin(v) * 2 + torch.relu(v))
    return lambda: function(x)


def _copy(device: str) -> Callable[[], Any]:
    source = torch.randn(1 << 28, device=device)
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def _product(device: str) -> Callable[[], Any]:
    a, b = (torch.randn(8192, 8192, device=device, dtype=torch.bfloat16) for _ in range(2))
    return lambda: a @ b


_TOKENS = 16 * 1024
CASES = {
    "copy": Case("copy, 256 M (the floor's bandwidth)", _copy, bytes=2 * F32 * (1 << 28)),
    "product": Case("matmul bf16, 8192³ (the floor's rate)", _product, flops=2.0 * 8192**3),
    "pointwise": Case("sin, relu, 128 M", _pointwise, bytes=2 * F32 * (1 << 27)),
    "softmax": Case("softmax, 32768 × 4096", _softmax, bytes=2 * F32 * (1 << 27)),
    "layer_norm": Case("layer norm, 32768 × 4096", _layer_norm, bytes=2 * F32 * (1 << 27)),
    "layer_norm_step": Case("layer norm, 65536 × 1024, forward and backward", _layer_norm_step),
    "odd_product": Case("linear bf16, 8191 × 4095 × 4097", _odd_product, flops=2.0 * 8191 * 4095 * 4097),
    "mlp": Case("MLP bf16, forward and backward", _mlp, flops=3 * 2 * 2.0 * 8192 * 2048 * 8192),
    "block": Case(
        "transformer block bf16, forward and backward",
        _block,
        # Projections and the two layers; attention: two products forward, five backward.
        flops=3 * 2.0 * _TOKENS * (4 * 1024**2 + 2 * 1024 * 4096) + 7 * 2.0 * 16 * 1024**2 * 1024,
    ),
    "small": Case("sin, relu, 1024 (a call on the host)", _small, by_clock=True),
}


def _measure(device: str, names: list[str]) -> dict[str, float]:
    """Milliseconds of a call, by name."""
    from triton.testing import do_bench

    times = {}
    for name in names:
        torch.manual_seed(0)
        torch._dynamo.reset()
        call = CASES[name].make(device)
        call()
        torch.cuda.synchronize()
        times[name] = _by_clock(call) if CASES[name].by_clock else do_bench(call, 100, 400, return_mode="median")
        del call
        torch.cuda.empty_cache()
    return times


def _by_clock(call: Callable[[], Any], calls: int = 500, rounds_of_calls: int = 9) -> float:
    """Milliseconds of a call on the host, which runs ahead of the device by no more than `calls`."""
    rounds = []
    for _ in range(rounds_of_calls):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        rounds.append(time.perf_counter() - begin)
        torch.cuda.synchronize()
    return statistics.median(rounds) / calls * 1e3


def _in_new_process(device: str, names: list[str]) -> dict[str, float]:
    environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": str(int(device == "flagos"))}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, "--measure", device, *names],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def _table(rounds: dict[str, list[dict[str, float]]], names: list[str]) -> str:
    medians = {d: {n: statistics.median(r[n] for r in rounds[d]) for n in names} for d in DEVICES}
    best = {d: {n: min(r[n] for r in rounds[d]) for n in names} for d in DEVICES}
    bandwidth = CASES["copy"].bytes / best["cuda"]["copy"]
    rate = CASES["product"].flops / best["cuda"]["product"]
    lines = [
        "| what | floor, ms | flagos, ms | cuda, ms | flagos / cuda | spread of cuda's rounds |",
        "|---|---|---|---|---|---|",
    ]
    for name in names:
        case, ours, theirs = CASES[name], medians["flagos"][name], medians["cuda"][name]
        floor = max(case.bytes / bandwidth, case.flops / rate)
        spread = max(r[name] for r in rounds["cuda"]) / best["cuda"][name] - 1
        lines.append(
            f"| {case.title} | {f'{floor:.3f}' if floor else '–'} | {ours:.4f} | {theirs:.4f} | {ours / theirs:.3f} "
            f"| {100 * spread:.1f} % |"
        )
    about = f"{torch.cuda.get_device_name(0)}, torch {torch.__version__}: copies {bandwidth / 1e9:.2f} TB/s, "
    return "\n".join([about + f"products {rate / 1e9:.0f} TFLOP/s", "", *lines])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", choices=DEVICES, help="only this device, in this process")
    parser.add_argument("names", nargs="*", choices=[*CASES, []], help="cases; all if left out")
    arguments = parser.parse_args()
    names = arguments.names or list(CASES)
    if arguments.measure:
        print(json.dumps(_measure(arguments.measure, names)))
        return 0
    names = list(dict.fromkeys(["copy", "product", *names]))
    rounds: dict[str, list[dict[str, float]]] = {device: [] for device in DEVICES}
    for _ in range(arguments.rounds):
        for device in DEVICES:
            rounds[device].append(_in_new_process(device, names))
    print(_table(rounds, names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
