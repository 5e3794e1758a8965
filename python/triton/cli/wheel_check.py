"""Looks into wheels before they are published.

Backends, marker, FileCheck, RECORD, exported symbols, needed libraries, platform tag and size are checked.

Nothing of the wheel is run without --run, which installs it into a new virtual environment, imports it and runs a
kernel.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._binaries import check_binaries
from ._output import (
    NOTE,
    PROBLEM,
    CliError,
    Finding,
    add_json_option,
    has_problem,
    print_findings,
    print_json,
    print_table,
    size_text,
    summary,
    title,
)
from ._wheel import Wheel, check_content, note_size, sizes
from .cache import parse_size

HELP = "whether wheels are complete, clean and truly tagged"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("wheels", nargs="+", metavar="WHEEL", help="files to check")
    parser.add_argument(
        "--run", dest="try_it", action="store_true", help="install into a clean environment and run a kernel"
    )
    parser.add_argument("--python", metavar="PATH", help="the Python for --run; default: the running one")
    parser.add_argument(
        "--with",
        dest="beside",
        metavar="WHEEL",
        action="append",
        default=[],
        help="for --run: install this one first; repeatable. An add-on needs the FlagTree that it is for",
    )
    parser.add_argument(
        "--allow", action="append", default=[], metavar="LIB", help="a library it may need, or a pattern; repeatable"
    )
    parser.add_argument(
        "--max-size", metavar="SIZE", type=parse_size, help="the most that a wheel may have, such as 40M"
    )
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    for given, what in ((arguments.python, "--python is the interpreter"), (arguments.beside, "--with is a wheel")):
        if given and not arguments.try_it:
            raise CliError(f"{what} for --run: give both")
    beside = [Wheel.open(Path(name)) for name in arguments.beside]
    results: list[tuple[Wheel, list[Finding]]] = []
    for name in arguments.wheels:
        wheel = Wheel.open(Path(name))
        results.append((wheel, check_wheel(wheel, arguments, beside)))
    findings = [finding for _, found in results for finding in found]
    if arguments.json:
        print_json("wheel-check", not has_problem(findings), wheels=[_as_json(*result) for result in results])
        return 1 if has_problem(findings) else 0
    for wheel, found in results:
        title(wheel.path.name)
        print_findings(found)
        print_table(("part", "in the wheel", "unpacked"), _size_rows(wheel))
        print()
    return summary(
        findings, "fit to be published" if arguments.try_it else "nothing wrong was found; --run tries it, too"
    )


def check_wheel(wheel: Wheel, arguments: argparse.Namespace, beside: Sequence[Wheel]) -> list[Finding]:
    """All findings about one wheel; those `beside` are installed with it where it is run."""
    findings = [note_size(wheel, arguments.max_size)]
    try:
        findings += [*check_content(wheel), *check_binaries(wheel, arguments.allow)]
    except CliError as error:  # a damaged wheel; the others are still to be looked at
        findings.append(Finding(PROBLEM, "wheel", str(error), "build or fetch it again"))
    if arguments.try_it and wheel.addon_marker and not beside:
        text = "an add-on alone cannot run: name the wheel of FlagTree that it is for"
        findings.append(Finding(NOTE, "run", text, "--with flagtree-....whl"))
    elif arguments.try_it:
        from ._wheel_run import check_running

        findings += check_running(wheel, arguments.python, beside)
    return findings


def _size_rows(wheel: Wheel) -> list[tuple[str, str, str]]:
    return [(part, size_text(packed), size_text(unpacked)) for part, (packed, unpacked) in sizes(wheel).items()]


def _as_json(wheel: Wheel, findings: list[Finding]) -> dict[str, Any]:
    parts = {part: {"packed": packed, "unpacked": unpacked} for part, (packed, unpacked) in sizes(wheel).items()}
    return {
        "file": wheel.path,
        "ok": not has_problem(findings),
        "tags": wheel.tags,
        "backends": wheel.backends,
        "bytes": wheel.path.stat().st_size,
        "parts": parts,
        "findings": findings,
    }
