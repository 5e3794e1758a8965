"""Trains models on `flagos` in CUDA memory and on plain `cuda`: losses of twenty steps, and the time of a step.

python models_on_cuda.py [--steps 20] [names]: prints a table. Each model is trained four times from the same start, by
eager and compiled steps on each device, each device in a process of its own. Models of torchvision, timm and
transformers take part where those packages are installed.
"""

from __future__ import annotations

import argparse
import importlib.util
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


@dataclass(frozen=True)
class Case:
    """`make` returns a model with ten classes and a batch, on the CPU. `needs`: a package."""

    make: Callable[[], tuple[torch.nn.Module, Any]]
    needs: str = "torch"


class LastOutput(torch.nn.Module):
    """Classes from the last output of recurrent cells."""

    def __init__(self) -> None:
        super().__init__()
        self.cells, self.head = torch.nn.LSTM(64, 256, 2, batch_first=True), torch.nn.Linear(256, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.cells(x)[0][:, -1])


class Causal(torch.nn.Module):
    """Classes from the last position of a language model of transformers."""

    def __init__(self) -> None:
        from transformers import GPT2Config, GPT2LMHeadModel

        super().__init__()
        sizes = {"n_layer": 4, "n_embd": 256, "n_head": 4, "vocab_size": 1000, "n_positions": 128}
        self.model = GPT2LMHeadModel(GPT2Config(**sizes, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.model(tokens).logits[:, -1, :10]


def _mlp() -> tuple[torch.nn.Module, Any]:
    layers = torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.LayerNorm(1024), torch.nn.Linear(1024, 10)
    return torch.nn.Sequential(*layers), torch.randn(512, 256)


def _convolutions() -> tuple[torch.nn.Module, Any]:
    layers: list[torch.nn.Module] = []
    for before, after in ((3, 32), (32, 64)):
        layers += [torch.nn.Conv2d(before, after, 3), torch.nn.BatchNorm2d(after), torch.nn.ReLU()]
        layers.append(torch.nn.MaxPool2d(2))
    return torch.nn.Sequential(*layers, torch.nn.Flatten(), torch.nn.Linear(2304, 10)), torch.randn(128, 3, 32, 32)


def _transformer() -> tuple[torch.nn.Module, Any]:
    block = torch.nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
    return torch.nn.Sequential(block, torch.nn.Flatten(), torch.nn.Linear(64 * 256, 10)), torch.randn(32, 64, 256)


def _bag() -> tuple[torch.nn.Module, Any]:
    layers = torch.nn.EmbeddingBag(5000, 64, mode="mean"), torch.nn.Linear(64, 10)
    return torch.nn.Sequential(*layers), torch.randint(0, 5000, (256, 20))


def _resnet() -> tuple[torch.nn.Module, Any]:
    from torchvision.models import resnet18

    return resnet18(num_classes=10), torch.randn(32, 3, 96, 96)


def _vision_transformer() -> tuple[torch.nn.Module, Any]:
    import timm

    return timm.create_model("vit_tiny_patch16_224", num_classes=10), torch.randn(16, 3, 224, 224)


CASES = {
    "mlp": Case(_mlp),
    "convolutions": Case(_convolutions),
    "transformer": Case(_transformer),
    "lstm": Case(lambda: (LastOutput(), torch.randn(64, 32, 64))),
    "bag": Case(_bag),
    "resnet18": Case(_resnet, "torchvision"),
    "vit_tiny": Case(_vision_transformer, "timm"),
    "gpt2_small": Case(lambda: (Causal(), torch.randint(0, 1000, (16, 128))), "transformers"),
}


def _train(case: Case, device: str, is_compiled: bool, steps: int) -> tuple[list[float], float]:
    """The losses, and the median of the milliseconds of a step of the second half."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, batch = case.make()
    wanted = torch.randint(0, 10, (batch.shape[0],)).to(device)
    model, batch = model.to(device), batch.to(device)
    run = torch.compile(model) if is_compiled else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses, times = [], []
    for _ in range(steps):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(run(batch), wanted)
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
        losses.append(loss.item())
    return losses, statistics.median(times[steps // 2 :]) * 1e3


def _measure(device: str, names: list[str], steps: int) -> None:
    """Prints the losses and the time of a step as lines of JSON, eager and compiled."""
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True
    for name in names:
        for is_compiled in (False, True):
            try:
                found: Any = _train(CASES[name], device, is_compiled, steps)
            except Exception as error:  # noqa: BLE001  the outcome
                found = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            print(json.dumps({"name": name, "compiled": is_compiled, "found": found}), flush=True)


def _in_new_process(device: str, names: list[str], steps: int) -> dict[tuple[str, bool], Any]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, "--measure", device, "--steps", str(steps), *names],
        env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": str(int(device == "flagos"))},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name"')]
    return {(line["name"], line["compiled"]): line["found"] for line in lines}


def _line(name: str, ours: dict[tuple[str, bool], Any], theirs: dict[tuple[str, bool], Any]) -> str:
    runs = [ours[name, False], ours[name, True], theirs[name, False], theirs[name, True]]
    if errors := [run for run in runs if isinstance(run, str)]:
        return f"| {name} | {errors[0]} |"
    expected = runs[2][0]
    worst = [max(abs(a - b) for a, b in zip(run[0], expected, strict=True)) for run in runs]
    times = [f"{run[1]:.2f}" for run in runs]
    return (
        f"| {name} | {expected[0]:.4f} → {expected[-1]:.4f} | {worst[0]:.1e} | {worst[1]:.1e} | {worst[3]:.1e} "
        f"| {times[0]} | {times[2]} | {times[1]} | {times[3]} |"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--measure", choices=DEVICES, help="only this device, in this process")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(CASES)}; all if left out")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(CASES):
        parser.error(f"no such model: {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    names = [name for name in arguments.names or CASES if importlib.util.find_spec(CASES[name].needs)]
    if arguments.measure:
        _measure(arguments.measure, names, arguments.steps)
        return 0
    theirs, ours = (_in_new_process(device, names, arguments.steps) for device in DEVICES)
    print(f"{torch.cuda.get_device_name(0)}, torch {torch.__version__}; differences from the losses of eager cuda")
    print(
        "| model | loss | flagos, eager | flagos, compiled | cuda, compiled | ms: flagos, eager | cuda, eager ", end=""
    )
    print("| flagos, compiled | cuda, compiled |\n|---|---|---|---|---|---|---|---|---|")
    for name in names:
        print(_line(name, ours, theirs))
    return int(any(isinstance(found, str) for found in ours.values()))


if __name__ == "__main__":
    sys.exit(main())
