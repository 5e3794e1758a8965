"""Checks wheels of one backend before they are published: python tools/wheel/check.py BACKEND WHEEL ...

Runs `flagtree wheel-check` on all of them, allowing the libraries that the manifests of the backend and its companions
leave to the user's machine. `twine check`, `check-wheel-contents` and `pydistcheck` run, too, where they are installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from repair import ROOT, excluded_libraries

_OPTIONAL = (
    ("twine", "check", "--strict"),
    ("check-wheel-contents",),
    ("pydistcheck", "--max-allowed-size-compressed", "100M"),
)


def commands(backend: str, wheels: Sequence[str]) -> list[list[str]]:
    """What is to be run, with this interpreter and what is on the path."""
    allowed = [part for pattern in excluded_libraries(backend) for part in ("--allow", pattern)]
    chosen = [[sys.executable, "-m", "triton.cli", "wheel-check", *allowed, *wheels]]
    return chosen + [[program, *options, *wheels] for program, *options in _OPTIONAL if shutil.which(program)]


def main(argv: Sequence[str]) -> int:
    if len(argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    sys.path.insert(0, str(ROOT / "python"))
    wheels = [os.path.abspath(name) for name in argv[1:]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = [subprocess.run(command, env=environment, check=False) for command in commands(argv[0], wheels)]
    return max(abs(one.returncode) for one in done)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
