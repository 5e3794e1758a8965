"""What is in a source distribution: whatever is needed to build it again and to test it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("setuptools", "77", reason="the build needs it")
PROJECT = Path(__file__).parents[1]
FOLDERS = ("benchmarks", "csrc", "flagos_triton", "test", "torch_fl")
WRITTEN_BY_A_BUILD = "torch_fl/_built_for.py"


def files_of_the_project() -> set[str]:
    found = {path for name in FOLDERS for path in (PROJECT / name).rglob("*") if path.is_file()}
    sources = {path for path in found if "__pycache__" not in path.parts and path.suffix != ".so"}
    return {path.relative_to(PROJECT).as_posix() for path in sources} - {WRITTEN_BY_A_BUILD}


def test_it_holds_every_file_and_nothing_of_a_build(tmp_path):
    command = [sys.executable, "setup.py", "--quiet", "egg_info", "--egg-base", str(tmp_path)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    listed = set((tmp_path / "torch_fl.egg-info" / "SOURCES.txt").read_text().splitlines())
    assert files_of_the_project() <= listed, files_of_the_project() - listed
    assert {"README.md", "MANIFEST.in", "pyproject.toml", "setup.py"} <= listed
    assert WRITTEN_BY_A_BUILD not in listed and not [name for name in listed if name.endswith(".so")]
