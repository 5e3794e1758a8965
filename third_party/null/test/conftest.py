"""The package with this backend selected, made of links: nothing is built."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from setup_tools.preview import make_preview
    from setup_tools.project import load_project

    project = load_project(ROOT, {"FLAGTREE_BACKEND": "null"})
    return make_preview(project, tmp_path_factory.mktemp("null"), lambda text: None)


@pytest.fixture
def output(package: Path, tmp_path: Path) -> Callable[..., str]:
    """``output(code, NAME="value")`` is what the code prints; its failure fails the test."""

    def run(code: str, **env: str) -> str:
        file = tmp_path / "program.py"
        file.write_text(textwrap.dedent(code))
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRITON_", "FLAGTREE_"))}
        kept |= {"PYTHONPATH": str(package), "TRITON_CACHE_DIR": str(tmp_path / "cache"), **env}
        done = subprocess.run([sys.executable, str(file)], env=kept, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
