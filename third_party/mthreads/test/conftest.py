"""The package as an installation for this backend sees it, made of links to this checkout: no build is needed."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "python"))


class Installation:
    """``run`` executes code against the package with this backend selected."""

    def __init__(self, python_path: Path):
        self.package = python_path / "triton"

    def run(self, code: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("TRITON_", "MUSA_"))}
        file = self.package.parent / "program.py"
        file.write_text(textwrap.dedent(code))
        return subprocess.run(
            [sys.executable, str(file), *arguments],
            env={**environment, "PYTHONPATH": str(self.package.parent), **env},
            capture_output=True,
            text=True,
            check=False,
        )

    def output(self, code: str, *arguments: str, **env: str) -> str:
        """What ``code`` prints; its failure fails the test."""
        done = self.run(code, *arguments, **env)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def _link_entries(source: Path, target: Path, *real: str) -> None:
    """Link every entry of ``source`` into the new folder ``target``, except links and the folders ``real``."""
    target.mkdir(parents=True)
    for entry in source.iterdir():
        if not entry.is_symlink() and entry.name not in (*real, "_flagtree_backend.py", "__pycache__"):
            (target / entry.name).symlink_to(entry)


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    from setup_tools.links import make_links
    from setup_tools.project import load_project

    root = tmp_path_factory.mktemp("mthreads")
    trunk, copy = ROOT / "python" / "triton", root / "python" / "triton"
    (root / "third_party").symlink_to(ROOT / "third_party")
    _link_entries(trunk, copy, "backends", "language")
    (copy / "__init__.py").unlink()
    (copy / "__init__.py").write_text((trunk / "__init__.py").read_text())
    _link_entries(trunk / "backends", copy / "backends")
    _link_entries(trunk / "language", copy / "language", "extra")
    _link_entries(trunk / "language" / "extra", copy / "language" / "extra")
    make_links(load_project(root, {"FLAGTREE_BACKEND": "mthreads"}).assembly, lambda text: None)
    return Installation(root / "python")


@pytest.fixture(scope="session")
def fake_musa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shared library with the driver functions of MUSA that writes its launches to a file."""
    library = tmp_path_factory.mktemp("musa") / "libmusa.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, HERE / "fake_musa.c"], check=True)
    return library
