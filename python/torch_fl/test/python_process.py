"""Fresh interpreters, for what a process does only once."""

from __future__ import annotations

import os
import subprocess
import sys


def run(code: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `code` in a new interpreter and returns what it wrote; AssertionError if it fails and `check` is set."""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, timeout=300
    )
    assert not check or done.returncode == 0, done.stderr
    return done
