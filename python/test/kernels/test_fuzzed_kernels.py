"""Kernels of random syntax: every compile ends, in code or in an error for users, and never ends the process."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .syntax_fuzzer import source_of

PROGRAM = Path(__file__).with_name("syntax_fuzzer.py")
SIZE = 40
# TEST_FUZZ_SEEDS=first:last hunts further. The default is the same on every run.
FIRST, LAST = map(int, os.environ.get("TEST_FUZZ_SEEDS", "0:160").split(":"))


@pytest.mark.parametrize("first", range(FIRST, LAST, SIZE))
def test_every_compile_ends(first, tmp_path):
    last = min(first + SIZE, LAST)
    command = [sys.executable, PROGRAM, str(first), str(last)]
    environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path)}
    child = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    # What kernels print while they are traced stands between the reports.
    reports = [json.loads(line) for line in child.stdout.splitlines() if line.startswith('{"seed": ')]
    ends = {report["seed"]: report for report in reports if "end" in report}
    if child.returncode != 0:
        seed = reports[-1]["seed"] if reports else first
        how = signal.Signals(-child.returncode).name if child.returncode < 0 else f"status {child.returncode}"
        pytest.fail(f"seed {seed} ended the process by {how}:\n{source_of(seed)}\n{child.stderr[-2000:]}")
    assert list(ends) == list(range(first, last))
    unclear = [report for report in ends.values() if not report["clean"]]
    assert not unclear, "\n\n".join(f"{source_of(r['seed'])}\n{r['end']}: {r['text']}" for r in unclear)
    # Of both kinds, or the generator no longer tests anything.
    assert {"code", "CompilationError"} <= {report["end"] for report in ends.values()}
