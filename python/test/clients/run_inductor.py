"""Compiles `inductor_cases` with PyTorch Inductor, which makes Triton kernels for the CPU, and compares with eager.

    python python/test/clients/run_inductor.py [NAME ...]

Prints a line per case, and ends with 1 if any differs. All take some minutes, nearly all of it in Inductor.
"""

from __future__ import annotations

import copy
import sys
import time
from typing import Any

import torch
from inductor_cases import CASES, Case


class Kernels:
    """Counts the Triton kernels that are launched while it is entered."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __enter__(self) -> Kernels:
        from torch._inductor.runtime import triton_heuristics

        self._tuner = triton_heuristics.CachingAutotuner
        self._run = self._tuner.run
        names, run = self.names, self._run

        def counted(tuner: Any, *args: Any, **kwargs: Any) -> Any:
            names.append(tuner.fn.__name__)
            return run(tuner, *args, **kwargs)

        self._tuner.run = counted
        return self

    def __exit__(self, *_: Any) -> None:
        self._tuner.run = self._run


def _flat(value: Any) -> list[torch.Tensor]:
    return [value] if isinstance(value, torch.Tensor) else [tensor for item in value for tensor in _flat(item)]


def _step(function: Any, arguments: tuple, seed: int = 0) -> list[torch.Tensor]:
    """Results, followed by the gradients of their weighted sum where there are any."""
    torch.manual_seed(seed)
    arguments = tuple(a.detach().clone().requires_grad_(a.requires_grad) for a in arguments)
    results = _flat(function(*arguments))
    leaves = [a for a in arguments if a.requires_grad]
    if isinstance(function, torch.nn.Module):
        leaves += list(function.parameters())
    if leaves:
        loss = sum((r * torch.linspace(0.5, 1.5, r.numel()).view_as(r)).sum() for r in results)
        results += torch.autograd.grad(loss, leaves)
    return [r.detach() for r in results]


def _difference(actual: list[torch.Tensor], expected: list[torch.Tensor], case: Case) -> str:
    """What is wrong; empty if nothing is."""
    for index, (a, e) in enumerate(zip(actual, expected, strict=True)):
        if (a.shape, a.dtype) != (e.shape, e.dtype):
            return f"result {index} is {a.dtype}{list(a.shape)}, expected {e.dtype}{list(e.shape)}"
        if case.random:
            kept, wanted = ((x != 0).float().mean().item() for x in (a, e))
            if abs(kept - wanted) > 0.05:
                return f"{kept:.3f} of result {index} are not zero, expected about {wanted:.3f}"
        elif not torch.allclose(a.double(), e.double(), rtol=case.tolerance, atol=case.tolerance, equal_nan=True):
            return f"result {index} is off by up to {(a.double() - e.double()).abs().max().item():.3g}"
    return ""


def check(name: str) -> tuple[str, list[str]]:
    """What is wrong with case `name` (empty if nothing is), and the kernels that were launched."""
    case = CASES[name]
    torch.manual_seed(1)
    function, arguments = case.make()
    reference = copy.deepcopy(function) if isinstance(function, torch.nn.Module) else function
    torch._dynamo.reset()
    compiled = torch.compile(function, dynamic=True if case.sizes else None)
    if isinstance(function, torch.nn.Module):
        call = _Compiled(function, compiled)
    else:
        call = compiled
    with Kernels() as kernels:
        wrong = _difference(_step(call, arguments), _step(reference, arguments), case)
        for size in case.sizes:
            resized = tuple(a[:1].repeat(size, *[1] * (a.dim() - 1)) + torch.randn(size, 1) for a in arguments)
            wrong = wrong or _difference(_step(call, resized), _step(reference, resized), case)
    if not wrong and not kernels.names:
        wrong = "no Triton kernel was launched"
    return wrong, kernels.names


class _Compiled(torch.nn.Module):
    """A module whose forward is the compiled one."""

    def __init__(self, module: torch.nn.Module, compiled: Any):
        super().__init__()
        self.module = module
        self._call = [compiled]

    def forward(self, *args: Any) -> Any:
        return self._call[0](*args)


def configure() -> None:
    """Selects Triton for the CPU. Compile in this process, so that nothing is left to wait for."""
    from torch._inductor import config

    config.cpu_backend = "triton"
    config.compile_threads = 1


def main(names: list[str]) -> int:
    configure()
    failed = 0
    for name in names or CASES:
        start = time.perf_counter()
        try:
            wrong, kernels = check(name)
        except Exception as error:  # noqa: BLE001  (whatever it is, it belongs into the report)
            wrong, kernels = f"{type(error).__name__}: {error}", []
        failed += bool(wrong)
        made = f"{len(set(kernels))} kernels" if not wrong else wrong.strip().replace("\n", " | ")[-600:]
        print(f"{'FAIL' if wrong else 'ok':4} {name:22} {time.perf_counter() - start:5.1f} s  {made}", flush=True)
    print(f"{len(names or CASES) - failed} of {len(names or CASES)} agree with eager")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
