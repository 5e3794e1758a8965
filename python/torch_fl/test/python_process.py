"""Fresh interpreters, for what a process does only once."""

from __future__ import annotations

import os
import subprocess
import sys

# What importing torch_fl sets where it is not set. A new interpreter has to do so itself.
_SET_BY_REGISTRATION = "TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER"


def run(code: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `code` in a new interpreter and returns what it wrote; AssertionError if it fails and `check` is set."""
    inherited = {name: value for name, value in os.environ.items() if name != _SET_BY_REGISTRATION}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**inherited, **environment}, capture_output=True, text=True, timeout=300
    )
    assert not check or done.returncode == 0, done.stderr
    return done
