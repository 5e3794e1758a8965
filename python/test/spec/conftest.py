"""A miniature package named ``triton`` around the real ``flagtree_spec``: its rules are tested without a build."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

TRUNK = Path(__file__).resolve().parents[2] / "triton"
MACHINERY = ("flagtree_spec.py", "_flagtree_spec.py", "_flagtree_overlay.py", "_flagtree_addons.py")


class Tree:
    """A ``triton`` package under ``root``; ``trunk`` and ``overlay`` write files, ``run`` executes code against it."""

    def __init__(self, root: Path, backend: str | None = "acme", overlay: bool = True):
        self.package = root / "triton"
        self.package.mkdir(parents=True)
        self.overlay_root = self.package / "backends" / str(backend) / "spec" / "triton"
        for name in MACHINERY:
            shutil.copy(TRUNK / name, self.package / name)
        self.trunk("__init__.py", "")
        if backend is not None:
            self.trunk(
                "_flagtree_backend.py", f"BACKEND = {backend!r}\nOVERLAY = {overlay!r}\nBACKENDS = ({backend!r},)\n"
            )
            self.trunk("backends/__init__.py", "from triton.flagtree_spec import activate\n\nactivate()\n")
            self.trunk(f"backends/{backend}/__init__.py", "")

    def trunk(self, path: str, text: str) -> Path:
        return _write(self.package / path, text)

    def overlay(self, path: str, text: str) -> Path:
        return _write(self.overlay_root / path, text)

    def specialised_package(self, name: str, body: str = "", **modules: str) -> None:
        """A trunk package that calls ``spec_path`` and then runs ``body``; ``modules`` are its files."""
        head = "from triton.flagtree_spec import spec_path\n\nspec_path(__path__)\n"
        self.trunk(f"{name}/__init__.py", head + textwrap.dedent(body))
        for module, text in modules.items():
            self.trunk(f"{name}/{module}.py", text)

    def run(self, code: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                sys.executable,
                "-S",
                "-c",
                f"import sys\nsys.path.insert(0, {str(self.package.parent)!r})\n" + textwrap.dedent(code),
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.package.parent,
        )

    def output(self, code: str) -> str:
        """What ``code`` prints; a failure of the code fails the test with its traceback."""
        done = self.run(code)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def error(self, code: str) -> str:
        """The traceback of ``code``, which must fail."""
        done = self.run(code)
        assert done.returncode != 0, f"expected a failure, got {done.stdout!r}"
        return done.stderr


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.fixture
def make_tree(tmp_path: Path):
    """Like ``tree``, with the folder, the backend's name and the marker chosen by the test."""

    def make(folder: str = "tree", **options) -> Tree:
        return Tree(tmp_path / folder, **options)

    return make
