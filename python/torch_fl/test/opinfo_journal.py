"""What a sweep has found so far, as lines of a file, so that it can go on after its time is up or its process died."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """What became of one operator: `reason` is empty if it agrees, or says why it does not.

    `kernels` counts those that Inductor generated. `skipped`: the operator has nothing to compare. `elsewhere`: what
    Inductor's own C++ backend made of the sample that failed. `error`: how often the error of the CPU's result the
    largest error of a result that is not close is, both against the next wider type.
    """

    name: str
    reason: str = ""
    kernels: int = 0
    skipped: bool = False
    elsewhere: str = ""
    error: float | None = None


class Journal:
    """Outcomes by the operator's name, kept in `path` if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.outcomes: dict[str, Outcome] = {}
        lines = path.read_text().splitlines() if path and path.exists() else []
        for line in lines:
            entry = json.loads(line)
            if "begun" in entry:
                self.outcomes[entry["begun"]] = Outcome(entry["begun"], "the process died")
            else:
                self.outcomes[entry["name"]] = Outcome(**entry)

    def begin(self, name: str) -> None:
        self._write({"begun": name})

    def end(self, outcome: Outcome) -> None:
        self.outcomes[outcome.name] = outcome
        self._write(asdict(outcome))

    def _write(self, entry: dict[str, object]) -> None:
        if self.path:
            with self.path.open("a") as file:
                file.write(json.dumps(entry) + "\n")
