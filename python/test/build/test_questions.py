"""``python -m setup_tools``: questions about the build of this checkout."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from setup_tools.errors import BuildError
from setup_tools.preview import _check_place

from .conftest import ROOT, run


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


def ask(*words: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-m", "setup_tools", *words, cwd=ROOT / "python")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("tree", "here"), "tree takes no folder, 'here' was given"),
        (("tree", "--write"), "--write belongs to environment and schema, not to tree"),
        (("preview",), "preview needs the folder"),
        (("preview", ""), "preview needs the folder"),
    ],
    ids=" ".join,
)
def test_words_that_do_not_belong_together_are_refused(words, expected):
    done = ask(*words)
    assert done.returncode and expected in done.stdout and "Traceback" not in done.stdout


def test_a_preview_takes_no_place_that_is_in_use(tmp_path):
    """Neither a file, nor somebody's folder, nor a checkout, whose package would be linked to itself."""
    file = tmp_path / "file"
    file.touch()
    for place in (file, tmp_path, ROOT):
        with pytest.raises(BuildError, match="no empty folder and no earlier preview"):
            _check_place(place, place / "python" / "triton")
