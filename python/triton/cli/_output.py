"""What the commands print: findings and tables for people, JSON for programs, and the one exception for failures."""

from __future__ import annotations

import difflib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

OK, NOTE, PROBLEM = "ok", "note", "problem"
_MARKS = {OK: "ok", NOTE: "note", PROBLEM: "PROBLEM"}
_COLOURS = {OK: "32", NOTE: "33", PROBLEM: "31;1", "title": "1", "fix": "36"}


class CliError(Exception):
    """A command that cannot be carried out. The message names the thing and says what to do."""


@dataclass(frozen=True)
class Finding:
    """One result of a check. `level` is OK, NOTE (worth knowing, nothing is wrong) or PROBLEM.

    `subject` is what was looked at, `text` what was found, `fix` a command or an instruction; empty where nothing is
    to be done.
    """

    level: str
    subject: str
    text: str
    fix: str = ""


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.5) -> str:
    """`` Did you mean 'x'?`` for the known name nearest to `name`, else an empty text."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), by_lower, 1, cutoff)
    return f" Did you mean {by_lower[close[0]]!r}?" if close else ""


def add_json_option(parser: Any) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object, for programs")


def print_json(command: str, ok: bool, **content: Any) -> None:
    """One object: ``command``, ``ok`` and what the command found."""
    print(json.dumps({"command": command, "ok": ok, **content}, indent=2, default=_plain))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def coloured() -> bool:
    """Colours are for terminals whose user did not switch them off."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def paint(text: str, style: str) -> str:
    return f"\033[{_COLOURS[style]}m{text}\033[0m" if coloured() else text


def title(text: str) -> None:
    print(paint(text, "title"))


def print_findings(findings: Iterable[Finding]) -> None:
    """A line per finding, and one below it with its fix."""
    rows = list(findings)
    width = max((len(row.subject) for row in rows), default=0)
    for row in rows:
        mark = paint(f"{_MARKS[row.level]:<8}", row.level)
        print(f"  {mark}{row.subject:<{width}}  {row.text}".rstrip())
        if row.fix:
            print(f"  {'':<8}{'':<{width}}  {paint('-> ' + row.fix, 'fix')}")


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns, two blanks apart; nothing is cut."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths)).rstrip()

    title(line(header))
    for row in rows:
        print(line(row))


def summary(findings: Sequence[Finding], good: str) -> int:
    """Prints how many problems there are, or `good`; returns the exit status."""
    count = sum(finding.level == PROBLEM for finding in findings)
    print(paint(good, OK) if count == 0 else paint(f"{count} problem{'s' * (count != 1)}", PROBLEM))
    return 1 if count else 0


def has_problem(findings: Iterable[Finding]) -> bool:
    return any(finding.level == PROBLEM for finding in findings)


def size_text(size: float) -> str:
    """`size` bytes in the largest unit that leaves a number of at least one."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
