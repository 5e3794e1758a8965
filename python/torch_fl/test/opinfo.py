"""Compares operators on the device with those on the CPU, for torch's own samples. Also a command: names of operators.

python opinfo.py [--compiled] [--dtype bfloat16] [names]
"""

from __future__ import annotations

import argparse
import itertools
import sys
from dataclasses import dataclass
from typing import Any

import torch

SAMPLES = 3


@dataclass(frozen=True)
class Outcome:
    """What became of one operator: `reason` is empty if it agrees."""

    name: str
    reason: str


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


def compare(op: Any, dtype: torch.dtype, device: str, wrap: Any = None) -> Outcome:
    """Runs `op`, an OpInfo, on some of its samples on both devices. `wrap` makes what runs on the device of it."""
    name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
    function = op.get_op()
    try:
        samples = list(itertools.islice(op.sample_inputs("cpu", dtype), SAMPLES))
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
    return Outcome(name, "")


def sweep(dtype: torch.dtype, names: list[str], device: str, wrap: Any = None) -> list[Outcome]:
    """All operators of torch's database that have samples of `dtype`; only those of `names`, if there are any."""
    from torch.testing._internal.common_methods_invocations import op_db

    chosen = [op for op in op_db if dtype in op.dtypes and (not names or op.name in names)]
    return [compare(op, dtype, device, wrap) for op in chosen]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    import torch_fl  # noqa: F401  registers the device

    def compiled(function: Any) -> Any:
        torch._dynamo.reset()
        return torch.compile(function, backend="flagos")

    wrap = compiled if arguments.compiled else None
    outcomes = sweep(getattr(torch, arguments.dtype), arguments.names, "flagos", wrap)
    relevant = [o for o in outcomes if o.reason != "not on the CPU"]
    wrong = [o for o in relevant if o.reason]
    for outcome in wrong:
        print(f"{outcome.name}: {outcome.reason}")
    print(f"{len(relevant) - len(wrong)} of {len(relevant)} operators agree")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
