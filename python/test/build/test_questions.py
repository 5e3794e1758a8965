"""``python -m setup_tools``: questions about the build of this checkout."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from .conftest import ROOT


@pytest.mark.parametrize("question", ["environment", "tree", "schema"])
def test_a_reader_that_goes_away_is_no_error(question):
    """``python -m setup_tools environment | head -1``."""
    process = subprocess.Popen(
        [sys.executable, "-m", "setup_tools", question],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT / "python",
        env={name: value for name, value in os.environ.items() if not name.startswith("FLAGTREE_")},
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0
