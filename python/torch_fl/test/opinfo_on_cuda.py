"""Compares operators on the device in CUDA memory with those on the CPU and, where they differ, with plain `cuda`.

python opinfo_on_cuda.py [--compiled] [--dtype bfloat16] [--samples 3] [--processes 12] [--seconds 300] [names]

CUDA adds in another order, draws other random numbers and lacks some operators. What differs from the CPU is therefore
compared with `cuda` itself: the same operator, the same sample and the same seed in the same process, eagerly.
"""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
import time
import warnings
from typing import Any

import opinfo_sample
import torch
from opinfo import Sweep, compare, compiled, title
from opinfo_close import difference
from opinfo_known import unwritten

CPU, CUDA, NOWHERE = "the CPU's", "those of cuda, not of the CPU", "of neither"


def _attempt(function: Any, sample: Any, where: str) -> list[Any] | str:
    try:
        return opinfo_sample.forward(function, sample, where)
    except Exception as error:  # noqa: BLE001  the outcome
        return f"{type(error).__name__}: {' '.join(str(error).split())}"


def differs_from_cuda(sweep: Sweep, op: Any) -> str:
    """How results on the device differ from those on `cuda`; "" if they are close, or both raise the same error."""
    function = op.get_op()
    for sample in sweep.inputs(op):
        theirs = _attempt(function, sample, "cuda")
        ours = _attempt(compiled(function, sweep.device) if sweep.compiled else function, sample, sweep.device)
        if isinstance(ours, str) or isinstance(theirs, str):
            if str(ours).split(":")[0] != str(theirs).split(":")[0]:
                return f"{ours if isinstance(ours, str) else 'a result'} (cuda: {str(theirs)[:80]})"
        elif found := difference(ours, theirs, None, title(op) not in unwritten()):
            return found.reason
    return ""


def examine(sweep: Sweep, op: Any) -> dict[str, Any] | None:
    """Whose results one operator gives, and in what they differ; None if there is nothing to compare."""
    outcome = compare(sweep, op)
    if outcome.skipped:
        return None
    found = {"name": outcome.name, "whose": CPU, "kernels": outcome.kernels, "reason": outcome.reason}
    if outcome.reason:
        wrong = differs_from_cuda(sweep, op)
        found |= {"whose": NOWHERE, "reason": wrong} if wrong else {"whose": CUDA}
    return found


def examine_all(sweep: Sweep, names: list[str], part: int, parts: int, seconds: float) -> None:
    """Prints one line for every operator of a part."""
    end = time.monotonic() + seconds
    for op in sweep.operators(names)[part::parts]:
        if time.monotonic() > end:
            print(json.dumps({"late": title(op)}), flush=True)
        elif found := examine(sweep, op):
            print(json.dumps(found), flush=True)


def report(found: list[dict[str, Any]]) -> str:
    late = [entry for entry in found if "late" in entry]
    done = [entry for entry in found if "name" in entry]
    lines = [f"{entry['name']}: {entry['whose']}: {entry['reason'][:160]}" for entry in done if entry["whose"] != CPU]
    counts = {whose: sum(entry["whose"] == whose for entry in done) for whose in (CPU, CUDA, NOWHERE)}
    kernels = sum(entry["kernels"] > 0 for entry in done if entry["whose"] != NOWHERE)
    total = ", ".join(f"{count} {whose}" for whose, count in counts.items())
    return "\n".join(
        [*sorted(lines), f"{len(done)} operators, results: {total}; {kernels} with a kernel; {len(late)} not reached"]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--part", type=int, help="only this part, in this process")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.part is None:
        command = [sys.executable, __file__, *sys.argv[1:], "--part"]
        parts = [
            subprocess.Popen([*command, str(i)], stdout=subprocess.PIPE, text=True) for i in range(arguments.processes)
        ]
        outputs = [part.communicate()[0] for part in parts]
        found = [json.loads(line) for output in outputs for line in output.splitlines() if line.startswith("{")]
        died = sum(part.returncode != 0 for part in parts)
        print(report(found) + (f"; {died} processes died" if died else ""))
        return int(died > 0 or any(entry.get("whose") == NOWHERE for entry in found))
    import torch_fl  # noqa: F401  registers the device

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.backends.cudnn.allow_tf32 = False
    sweep = Sweep(getattr(torch, arguments.dtype), compiled=arguments.compiled, samples=arguments.samples)
    examine_all(sweep, arguments.names, arguments.part, arguments.processes, arguments.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
