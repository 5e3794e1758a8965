"""Questions to a child process: what may crash, hang or change this process must not take the command with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

_SECONDS = 120
# The child imports what this process would: the same path, in the same order.
_HEAD = "import sys; sys.path[:] = {path!r}\n"


@dataclass(frozen=True)
class Answer:
    """What a child printed. `status` is its exit status, negative for the signal that ended it, None for a timeout."""

    status: int | None
    out: str
    err: str

    @property
    def crash(self) -> str:
        """How it ended, if not by itself; else empty."""
        if self.status is None:
            return f"gave no answer within {_SECONDS} seconds"
        if self.status < 0:
            try:
                return f"was killed by {signal.Signals(-self.status).name}"
            except ValueError:
                return f"was killed by signal {-self.status}"
        return ""

    @property
    def last_line(self) -> str:
        """The end of its errors: of a traceback, the exception."""
        lines = [line.strip() for line in self.err.splitlines() if line.strip()]
        return lines[-1] if lines else f"exit status {self.status}"


def ask(code: str, *arguments: str, path: Sequence[str] | None = None) -> Answer:
    """Runs `code` in another Python. `path` is its `sys.path`; default: this process's."""
    text = _HEAD.format(path=[os.path.abspath(entry) for entry in (sys.path if path is None else path)]) + code
    try:
        done = subprocess.run(
            [sys.executable, "-c", text, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(None, "", "")
    return Answer(done.returncode, done.stdout, done.stderr)
