"""Compares operators on the device with those on the CPU, for torch's own samples. Also a command: names of operators.

python opinfo.py [--compiled] [--backward] [--dtype bfloat16] [--journal FILE] [names]
"""

from __future__ import annotations

import argparse
import itertools
import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import opinfo_sample
import torch
from opinfo_close import Difference, difference
from opinfo_journal import Journal, Outcome
from opinfo_known import explanation, unwritten

SAMPLES = 3


@dataclass(frozen=True)
class Sweep:
    """What to compare: `compiled` or eager, results or also gradients, the first `samples` of each operator."""

    dtype: torch.dtype
    device: str = "flagos"
    compiled: bool = False
    backward: bool = False
    dynamic: bool | None = None
    noncontiguous: bool = False
    samples: int = SAMPLES

    def operators(self, names: list[str]) -> list[Any]:
        """Those of torch's database that have samples of the type; only those of `names`, if there are any."""
        from torch.testing._internal.common_methods_invocations import op_db

        return [op for op in op_db if self._supports(op) and (not names or op.name in names or title(op) in names)]

    def _supports(self, op: Any) -> bool:
        if self.backward:
            return op.supports_autograd and self.dtype in op.supported_backward_dtypes("cpu")
        return self.dtype in op.dtypes

    def words(self) -> set[str]:
        """What entries of known differences name the sweep by."""
        kind = {"compiled" if self.compiled else "eager", "backward" if self.backward else "forward"}
        sizes = {"dynamic"} if self.dynamic else set()
        return kind | sizes | {str(self.dtype).removeprefix("torch."), self.device}

    def inputs(self, op: Any) -> list[Any]:
        torch.manual_seed(0)
        samples = op.sample_inputs("cpu", self.dtype, requires_grad=self.backward)
        chosen = list(itertools.islice(samples, self.samples))
        return [sample.noncontiguous() for sample in chosen] if self.noncontiguous else chosen


def title(op: Any) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def compiled(function: Any, device: str, dynamic: bool | None = None) -> Any:
    """`function` compiled for `device`, with nothing left of what was compiled before."""
    torch._dynamo.reset()
    # Random numbers are then those of the device's eager operators, which are those of the CPU.
    options = {"fallback_random": True}
    backend = device if device == "flagos" else "inductor"
    return torch.compile(function, backend=backend, dynamic=dynamic, options=options)


def compare(sweep: Sweep, op: Any) -> Outcome:
    """Runs `op`, an OpInfo, on some of its samples on both devices."""
    from torch._inductor import metrics

    metrics.reset()
    found = Outcome(title(op))
    try:
        samples = sweep.inputs(op)
    except Exception as error:  # noqa: BLE001  torch's sample, not ours
        return replace(found, reason=f"no sample: {type(error).__name__}", skipped=True)
    run = opinfo_sample.backward if sweep.backward else opinfo_sample.forward
    compared = 0
    for sample in samples:
        expected = _attempt(run, op.get_op(), sample, "cpu")
        if expected is None:
            continue
        compared += 1
        if wrong := _mismatch(sweep, run, op, sample, expected, sweep.device):
            elsewhere = _elsewhere(sweep, run, op, sample, expected)
            return replace(found, reason=wrong.reason, error=wrong.error, elsewhere=elsewhere)
    if not compared:
        return replace(found, reason="not on the CPU", skipped=True)
    return replace(found, kernels=metrics.generated_kernel_count)


def _attempt(run: Callable[..., list[Any]], *arguments: Any) -> list[Any] | None:
    try:
        return run(*arguments)
    except Exception:  # noqa: BLE001  not an operator that the CPU runs on this sample
        return None


def _mismatch(sweep: Sweep, run: Any, op: Any, sample: Any, expected: list[Any], device: str) -> Difference | None:
    """How the sample's result on `device` differs from `expected`."""
    function = compiled(op.get_op(), device, sweep.dynamic) if sweep.compiled else op.get_op()
    values = title(op) not in unwritten()
    try:
        results = run(function, sample, device)
    except Exception as error:  # noqa: BLE001  the outcome
        return Difference(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
    if not difference(results, expected, None, values):
        return None
    exact = _attempt(run, op.get_op(), sample, "cpu", opinfo_sample.wider)
    return difference(results, expected, exact, values)


def _elsewhere(sweep: Sweep, run: Any, op: Any, sample: Any, expected: list[Any]) -> str:
    """What the C++ backend of TorchInductor makes of a sample that failed; "" if it agrees, or nothing was compiled."""
    wrong = _mismatch(sweep, run, op, sample, expected, "cpu") if sweep.compiled else None
    return wrong.reason if wrong else ""


def outcomes(sweep: Sweep, names: list[str], journal: Journal | None = None, seconds: float = 1e9) -> Iterator[Outcome]:
    """One outcome for each operator that is not in `journal` yet, until the time is up."""
    journal = journal or Journal(None)
    end = time.monotonic() + seconds
    for op in sweep.operators(names):
        if title(op) in journal.outcomes:
            continue
        if time.monotonic() > end:
            return
        journal.begin(title(op))
        outcome = compare(sweep, op)
        journal.end(outcome)
        yield outcome


def unexplained(sweep: Sweep, found: Iterable[Outcome]) -> list[Outcome]:
    """Outcomes that are wrong for no reason that is known."""
    words = sweep.words()
    return [o for o in found if o.reason and not o.skipped and not explanation(o, words)]


def report(sweep: Sweep, found: list[Outcome]) -> str:
    compared = [outcome for outcome in found if not outcome.skipped]
    agree = [outcome for outcome in compared if not outcome.reason]
    kernels = sum(outcome.kernels > 0 for outcome in agree)
    return (
        f"{len(agree)} of {len(compared)} operators agree"
        + (f", {kernels} of them with a generated kernel" if sweep.compiled else "")
        + f"; {len(unexplained(sweep, found))} of the others for no known reason"
    )


def line(sweep: Sweep, outcome: Outcome) -> str:
    """What is wrong with an operator, and why if that is known."""
    error = f" (its error is {outcome.error:.2g} of the CPU's)" if outcome.error is not None else ""
    also = f" [C++ backend: {outcome.elsewhere}]" if outcome.elsewhere else ""
    known = explanation(outcome, sweep.words())
    return f"{outcome.name}: {outcome.reason}{error}{also}" + (f" BECAUSE {known}" if known else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiled", action="store_true", help="compiled for the device, rather than eagerly")
    parser.add_argument("--backward", action="store_true", help="gradients as well")
    parser.add_argument("--noncontiguous", action="store_true", help="samples that are views with gaps")
    parser.add_argument("--dynamic", choices=["yes", "no"], help="torch.compile's dynamic=; its default if left out")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--journal", type=Path, help="outcomes are kept there, and what is there is not done again")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after the operator that is at work then")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    import torch_fl  # noqa: F401  registers the device

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    sweep = Sweep(
        dtype=getattr(torch, arguments.dtype),
        compiled=arguments.compiled,
        backward=arguments.backward,
        dynamic={"yes": True, "no": False}.get(arguments.dynamic),
        noncontiguous=arguments.noncontiguous,
        samples=arguments.samples,
    )
    journal = Journal(arguments.journal)
    for outcome in outcomes(sweep, arguments.names, journal, arguments.seconds):
        if outcome.reason and not outcome.skipped:
            print(line(sweep, outcome), flush=True)
    found = list(journal.outcomes.values())
    print(report(sweep, found))
    return bool(unexplained(sweep, found))


if __name__ == "__main__":
    sys.exit(main())
