"""Differences that are no fault of the device, with their reasons (`opinfo_known.json`).

An entry holds for the sweeps that have all its words in their description. One with `says` explains outcomes that say
so. One with `rounding` explains a result that is not close, if its error, against the next wider type, is not more than
that many times the error of the CPU's result. Each has one of the two, so that none explains a crash.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from opinfo_journal import Outcome


@dataclass(frozen=True)
class Known:
    reason: str
    operators: tuple[str, ...]
    sweeps: str = ""
    says: str = ""
    rounding: float | None = None

    def __post_init__(self) -> None:
        if bool(self.says) == (self.rounding is not None):
            raise ValueError(f"a known difference needs either 'says' or 'rounding': {self.reason}")

    def explains(self, outcome: Outcome, words: set[str]) -> bool:
        if outcome.name not in self.operators or not words.issuperset(self.sweeps.split()):
            return False
        if self.rounding is None:
            return self.says in outcome.reason
        return outcome.error is not None and outcome.error <= self.rounding


@cache
def _known() -> list[Known]:
    entries = json.loads(Path(__file__).with_name("opinfo_known.json").read_text())
    return [Known(**{**entry, "operators": tuple(entry["operators"])}) for entry in entries["known"]]


@cache
def unwritten() -> frozenset[str]:
    """Operators whose results nobody has written to: their values are not compared."""
    return frozenset(json.loads(Path(__file__).with_name("opinfo_known.json").read_text())["unwritten"])


def explanation(outcome: Outcome, words: set[str]) -> str:
    """Why `outcome` of the sweep that `words` describe is as it is; "" if nobody knows."""
    return next((known.reason for known in _known() if known.explains(outcome, words)), "")
