"""Compares operators on the device with those on the CPU, for torch's own samples. Also a command: names of operators.

python opinfo.py [--compiled] [--dtype bfloat16] [names]
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

SAMPLES = 3


@dataclass(frozen=True)
class Outcome:
    """What became of one operator: `reason` is empty if it agrees. `kernels` counts those that Inductor generated."""

    name: str
    reason: str
    kernels: int = 0


def _move(value: Any, where: str) -> Any:
    from torch.utils._pytree import tree_map

    def move(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return leaf.detach().clone().to(where)
        return torch.device(where) if isinstance(leaf, torch.device) else leaf

    return tree_map(move, value)


def _run(function: Any, sample: Any, where: str) -> Any:
    torch.manual_seed(0)
    return function(_move(sample.input, where), *_move(sample.args, where), **_move(sample.kwargs, where))


def compiled(function: Any) -> Any:
    """`function` compiled for the device, with nothing left of what was compiled before."""
    torch._dynamo.reset()
    return torch.compile(function, backend="flagos")


def compare(op: Any, dtype: torch.dtype, device: str, wrap: Any = None, count: int = SAMPLES) -> Outcome:
    """Runs `op`, an OpInfo, on some of its samples on both devices. `wrap` makes what runs on the device of it."""
    from torch._inductor import metrics

    metrics.reset()
    name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
    function = op.get_op()
    try:
        samples = list(itertools.islice(op.sample_inputs("cpu", dtype), count))
    except Exception as error:  # noqa: BLE001  torch's sample, not ours
        return Outcome(name, f"no sample: {type(error).__name__}")
    for sample in samples:
        try:
            expected = _run(function, sample, "cpu")
        except Exception:  # noqa: BLE001  not an operator that the CPU runs
            return Outcome(name, "not on the CPU")
        try:
            result = _run(wrap(function) if wrap else function, sample, device)
            torch.testing.assert_close(_move(result, "cpu"), _move(expected, "cpu"), equal_nan=True)
        except Exception as error:  # noqa: BLE001  the outcome
            return Outcome(name, f"{type(error).__name__}: {str(error).strip().splitlines()[0][:150]}")
    return Outcome(name, "", metrics.generated_kernel_count)


def sweep(
    dtype: torch.dtype, names: list[str], device: str, wrap: Any = None, count: int = SAMPLES
) -> Iterator[Outcome]:
    """All operators of torch's database that have samples of `dtype`; only those of `names`, if there are any."""
    from torch.testing._internal.common_methods_invocations import op_db

    chosen = [op for op in op_db if dtype in op.dtypes and (not names or op.name in names)]
    return (compare(op, dtype, device, wrap, count) for op in chosen)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    import torch_fl  # noqa: F401  registers the device

    wrap = compiled if arguments.compiled else None
    agree, wrong, with_kernels = 0, 0, 0
    for outcome in sweep(getattr(torch, arguments.dtype), arguments.names, "flagos", wrap, arguments.samples):
        if outcome.reason == "not on the CPU":
            continue
        if outcome.reason:
            wrong += 1
            print(f"{outcome.name}: {outcome.reason}", flush=True)
        else:
            agree += 1
            with_kernels += outcome.kernels > 0
    kernels = f", {with_kernels} of them with a generated kernel" if arguments.compiled else ""
    print(f"{agree} of {agree + wrong} operators agree{kernels}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
