"""Fresh interpreters, for what a process does only once."""

from __future__ import annotations

import os
import subprocess
import sys

# What importing torch_fl sets where it is not set. A new interpreter has to do so itself.
_SET_BY_REGISTRATION = "TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER"
# What Inductor sets at its first compile, to a folder in its own cache. With another cache it is another folder.
_SET_BY_INDUCTOR = "TRITON_CACHE_DIR"


def run(code: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `code` in a new interpreter and returns what it wrote; AssertionError if it fails and `check` is set."""
    dropped = {_SET_BY_REGISTRATION, _SET_BY_INDUCTOR if "TORCHINDUCTOR_CACHE_DIR" in environment else ""}
    inherited = {name: value for name, value in os.environ.items() if name not in dropped}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**inherited, **environment}, capture_output=True, text=True, timeout=300
    )
    assert not check or done.returncode == 0, done.stderr
    return done
