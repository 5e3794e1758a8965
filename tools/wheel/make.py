"""Makes wheels for publication: builds, repairs, checks and tests one per backend and Python.

    python tools/wheel/make.py                                    the default backends, every CPython from 3.10 to 3.14
    python tools/wheel/make.py --backend acme --python 3.12       one backend and its companions, one Python
    python tools/wheel/make.py --all-backends                     every backend that publishes wheels

The finished wheels lie in dist/BACKEND, everything else in build/wheels. The compiler is built once per set of backends
and shared by all Pythons. docs/wheels.md explains the steps.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "python")]

import steps  # noqa: E402 - found through the line above
from pythons import Python, find_pythons, select  # noqa: E402
from setup_tools.errors import BuildError  # noqa: E402
from setup_tools.registry import Selection, read_registry  # noqa: E402

STEPS = ("environment", "build", "repair", "check", "test")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse(argv)
    try:
        selections = _selections(arguments)
        pythons = _pythons(arguments)
        rows = [_make(job, arguments.keep_going) for job in _jobs(selections, pythons, arguments.out)]
    except (BuildError, LookupError, steps.StepError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(_table(rows))
    if arguments.times:
        arguments.times.write_text(_times(rows), encoding="utf-8")
    return 0 if all("failed" not in row for row in rows) else 1


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", action="append", default=[], metavar="NAME", help="repeatable")
    parser.add_argument("--all-backends", action="store_true", help="all that publish wheels for this machine")
    parser.add_argument("--python", action="append", default=[], metavar="3.12|cp312|PATH", help="repeatable")
    parser.add_argument("--ends", action="store_true", help="of the Pythons only the oldest and the newest")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="DIR", help="default: dist")
    parser.add_argument("--keep-going", action="store_true", help="make the other wheels where one fails")
    parser.add_argument("--times", type=Path, metavar="FILE", help="write 'name: seconds' for benchmarks/run.py")
    return parser.parse_args(argv)


def _selections(arguments: argparse.Namespace) -> list[Selection]:
    registry = read_registry(ROOT, os.environ)
    names: list[str | None] = [*arguments.backend]
    if arguments.all_backends:
        machine = platform.machine()
        names += [name for name, manifest in registry.manifests.items() if machine in manifest.wheel.architectures]
    chosen = {selection.primary.name: selection for selection in map(registry.select, names or [None])}
    return list(chosen.values())


def _pythons(arguments: argparse.Namespace) -> list[Python]:
    found, refused = find_pythons(os.environ)
    for reason in refused:
        print(f"note: {reason}")
    chosen = select(found, arguments.python) if arguments.python else found
    if not chosen:
        raise LookupError("no CPython from 3.10 to 3.14 with its headers was found; name one with --python PATH")
    if len(found) == 1 and not arguments.python:
        print(f"note: only one CPython from 3.10 to 3.14 was found, {found[0]}: wheels are made for it alone")
    return list(dict.fromkeys((chosen[0], chosen[-1]))) if arguments.ends else chosen


def _jobs(selections: Sequence[Selection], pythons: Sequence[Python], out: Path) -> list[steps.Job]:
    return [
        steps.Job(selection, python, out.resolve() / selection.primary.name)
        for selection in selections
        for python in pythons
    ]


def _make(job: steps.Job, keep_going: bool) -> dict[str, str]:
    """Makes one wheel. Returns its row of the table: its name and the seconds of each step."""
    processor_before = _processor_time()
    row: dict[str, str] = {"wheel": job.name, "backend": job.selection.primary.name, "tag": job.python.tag}
    total = 0.0

    def timed(step: str, function: Callable, *arguments: object):
        nonlocal total
        print(f"{job.name}: {step} ...", flush=True)
        start = time.monotonic()
        result = function(job, *arguments)
        row[step] = f"{time.monotonic() - start:.0f}"
        total += time.monotonic() - start
        return result

    try:
        environment = timed("environment", steps.make_environment)
        wheel = timed("build", steps.build, environment)
        wheel = timed("repair", steps.repair, environment, wheel)
        timed("check", steps.check, environment, wheel)
        timed("test", steps.test, wheel)
        row["wheel"] = os.path.relpath(steps.finish(job, wheel), ROOT)
    except steps.StepError as error:
        if not keep_going:
            raise
        print(f"error: {error}", file=sys.stderr)
        row["failed"] = "failed"
    row["all"] = f"{total:.0f}"
    row["processor"] = f"{_processor_time() - processor_before:.0f}"
    return row


def _processor_time() -> float:
    """Seconds that finished programs have computed: unlike the time that passed, it is the same on a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _table(rows: Sequence[dict[str, str]]) -> str:
    columns = [*STEPS, "all", "processor", "wheel"]
    lines = ["seconds: " + "  ".join(f"{column:>{len(column)}}" for column in columns)]
    lines += [
        "         "
        + "  ".join(f"{row.get(column, '-'):>{len(column)}}" for column in columns)
        + ("  failed" if "failed" in row else "")
        for row in rows
    ]
    return "\n".join(lines)


def _times(rows: Sequence[dict[str, str]]) -> str:
    """A line for each wheel: the first of a backend pays for the compiler that the others share."""
    seen: set[str] = set()
    lines = []
    for row in rows:
        title = "further Python" if row["backend"] in seen else "first Python"
        seen.add(row["backend"])
        note = f"build {row.get('build', '-')} s of it, {row['processor']} s of processor time"
        lines.append(f"{title}, {row['backend']} {row['tag']} ({note}): {row['all']}\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
