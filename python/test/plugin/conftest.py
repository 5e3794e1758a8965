"""Packages of links in which a backend from elsewhere is selected, and programs that run with them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "backends"
sys.path.insert(0, str(ROOT / "python"))


def clean_environment(**env: str) -> dict[str, str]:
    """This process's environment without what would change a build or a launch."""
    dropped = ("FLAGTREE_", "TRITON_", "PYTHON", "PIP_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    kept["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), kept.get("PATH", "")])
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", **env}


def run(*command: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Runs ``command``; output and errors together in ``stdout``."""
    return subprocess.run(
        [os.fspath(part) for part in command],
        cwd=cwd,
        env=clean_environment(**env),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


def tracked_state() -> str:
    """Names and times of the files of the trunk and its backends, links included: building changes none of them."""
    folders = ("python", "third_party", "cmake", "include", "lib", "bin")
    files = (path for folder in folders for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts)
    return "\n".join(
        f"{path} {path.lstat().st_mtime_ns}" for path in sorted(files) if path.is_symlink() or not path.is_dir()
    )


@dataclass
class Package:
    """A folder for ``PYTHONPATH`` with a package ``triton``."""

    path: Path

    def run(self, *command: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
        return run(sys.executable, *command, cwd=cwd, PYTHONPATH=os.fspath(self.path), **env)

    def output(self, code: str, cwd: Path, **env: str) -> str:
        """What the program ``code`` prints; its failure fails the test. Kernels need their source, so it is a file."""
        file = cwd / "program.py"
        file.write_text(code)
        done = self.run(file, cwd=cwd, TRITON_CACHE_DIR=os.fspath(cwd / "cache"), **env)
        assert done.returncode == 0, done.stdout
        return done.stdout.strip()


@pytest.fixture(scope="session")
def preview(tmp_path_factory: pytest.TempPathFactory):
    """``preview(folder)`` is the package with the backend of that folder selected."""
    from setup_tools.preview import make_preview
    from setup_tools.project import load_project

    def make(folder: Path) -> Package:
        environ = {"FLAGTREE_BACKEND": folder.name, "TRITON_PLUGIN_DIRS": os.fspath(folder)}
        target = tmp_path_factory.mktemp(folder.name)
        return Package(make_preview(load_project(ROOT, environ), target, lambda text: None))

    return make


@pytest.fixture(scope="session")
def builder(tmp_path_factory: pytest.TempPathFactory):
    """An environment with flagtree-build."""
    from .environments import make_builder

    return make_builder(tmp_path_factory.mktemp("builder"))
