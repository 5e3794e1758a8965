"""Compares operators on the device in CUDA memory with those on the CPU and, where they differ, with plain `cuda`.

python opinfo_on_cuda.py [--compiled] [--backward] [--dtype bfloat16] [--processes 15] [--journal FOLDER] [names]

CUDA adds in another order, draws other random numbers and lacks some operators. What differs from the CPU is therefore
compared with `cuda` itself, for the same samples and the same seed: first its eager operators, then what TorchInductor
makes of them. That happens in a process without `flagos` (`opinfo_plain_cuda.py`), where backward passes run.
"""

from __future__ import annotations

import argparse
import logging
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import opinfo_sample
import torch
from opinfo import Sweep, compare, compiled, title
from opinfo_close import difference
from opinfo_journal import Journal, Outcome
from opinfo_known import explanation, unwritten
from opinfo_plain_cuda import PlainCuda, attempt

CPU, KNOWN, CUDA = "the CPU's", "others for a known reason", "those of cuda, not of the CPU"
INDUCTOR, NOWHERE = "those of TorchInductor on cuda, of no eager operator", "of neither"
WHOSE = (CPU, KNOWN, CUDA, INDUCTOR, NOWHERE)
BROKEN = 3


def results_of(sweep: Sweep, op: Any) -> list[list[Any] | str]:
    """The results of each sample on the device, or the error that it raises."""
    run = opinfo_sample.backward if sweep.backward else opinfo_sample.forward
    function = op.get_op()
    return [
        attempt(run, compiled(function, sweep.device) if sweep.compiled else function, sample, sweep.device)
        for sample in sweep.inputs(op)
    ]


def differ(ours: list[list[Any] | str], theirs: list[list[Any] | str], values: bool) -> str:
    """How results differ from those of `cuda`; "" if they are close, or both raise the same kind of error."""
    for mine, other in zip(ours, theirs, strict=True):
        if isinstance(mine, str) or isinstance(other, str):
            if str(mine).split(":")[0] != str(other).split(":")[0]:
                return f"{mine if isinstance(mine, str) else 'a result'} (cuda: {str(other)[:80]})"
        elif found := difference(mine, other, None, values):
            return found.reason
    return ""


def whose(sweep: Sweep, op: Any, outcome: Outcome, plain: PlainCuda) -> tuple[str, str]:
    """Whose results those of an operator are, and in what they differ from the CPU's or from all."""
    if not outcome.reason:
        return CPU, ""
    if known := explanation(outcome, sweep.words()):
        return KNOWN, known
    ours, values = results_of(sweep, op), title(op) not in unwritten()
    wrong = differ(ours, plain.results(sweep, op, is_compiled=False), values)
    if not wrong:
        return CUDA, outcome.reason
    if sweep.compiled and not differ(ours, plain.results(sweep, op, is_compiled=True), values):
        return INDUCTOR, wrong
    return NOWHERE, wrong


def examine(sweep: Sweep, op: Any, plain: PlainCuda) -> Outcome:
    """What became of an operator; `elsewhere` says whose results it gives."""
    outcome = compare(sweep, op)
    if outcome.skipped:
        return outcome
    elsewhere, reason = whose(sweep, op, outcome, plain)
    return Outcome(outcome.name, reason, outcome.kernels, elsewhere=elsewhere)


def examine_part(sweep: Sweep, names: list[str], part: int, parts: int, journal: Journal, seconds: float) -> int:
    """Examines one operator in `parts`, as far as the time goes. BROKEN if an operator left CUDA unusable."""
    end = time.monotonic() + seconds
    with PlainCuda() as plain:
        for op in sweep.operators(names)[part::parts]:
            if title(op) in journal.outcomes:
                continue
            if time.monotonic() > end:
                return 0
            journal.begin(title(op))
            journal.end(examine(sweep, op, plain))
            if not _works():
                return BROKEN
    return 0


def _works() -> bool:
    try:
        torch.cuda.synchronize()
        return True
    except RuntimeError:
        return False


def report(found: list[Outcome], wanted: int) -> str:
    done = [outcome for outcome in found if not outcome.skipped]
    lines = [f"{o.name}: {o.elsewhere or NOWHERE}: {o.reason[:240]}" for o in done if o.elsewhere != CPU]
    counts = {kind: sum((o.elsewhere or NOWHERE) == kind for o in done) for kind in WHOSE}
    kernels = sum(o.kernels > 0 for o in done if o.elsewhere != NOWHERE)
    total = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count or kind in (CPU, NOWHERE))
    missing = wanted - len(found)
    return "\n".join(
        [*sorted(lines), f"{len(done)} operators: {total}; {kernels} with a kernel; {missing} not reached"]
    )


def _run_parts(arguments: argparse.Namespace, folder: Path) -> list[Outcome]:
    """All parts side by side. A part that dies, or says that CUDA is broken, goes on in a new process."""
    command = [sys.executable, __file__, *sys.argv[1:], "--journal", str(folder), "--part"]
    end = time.monotonic() + arguments.seconds
    running = {part: subprocess.Popen([*command, str(part)]) for part in range(arguments.processes)}
    while running:
        time.sleep(0.2)
        for part, process in list(running.items()):
            if process.poll() is None:
                continue
            del running[part]
            if process.returncode and time.monotonic() < end:
                left = str(end - time.monotonic())
                running[part] = subprocess.Popen([*command, str(part), "--seconds", left])
    return [
        outcome for part in range(arguments.processes) for outcome in Journal(_file(folder, part)).outcomes.values()
    ]


def _file(folder: Path, part: int) -> Path:
    return folder / f"{part}.jsonl"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--backward", action="store_true", help="gradients as well")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after the operators that are at work then")
    parser.add_argument("--journal", type=Path, help="a folder; what is there is not done again")
    parser.add_argument("--part", type=int, help="only this part, in this process")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    sweep = Sweep(
        getattr(torch, arguments.dtype),
        compiled=arguments.compiled,
        backward=arguments.backward,
        samples=arguments.samples,
    )
    if arguments.part is not None:
        import torch_fl  # noqa: F401  registers the device

        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        torch.backends.cudnn.allow_tf32 = False
        journal = Journal(_file(arguments.journal, arguments.part))
        return examine_part(sweep, arguments.names, arguments.part, arguments.processes, journal, arguments.seconds)
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.journal or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        found = _run_parts(arguments, folder)
    print(report(found, len(sweep.operators(arguments.names))))
    return int(any(o.elsewhere in ("", NOWHERE) and not o.skipped for o in found))


if __name__ == "__main__":
    sys.exit(main())
