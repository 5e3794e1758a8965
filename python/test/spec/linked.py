"""The package as an editable installation for one backend sees it, made of links to this checkout: nothing is built."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
if str(ROOT / "python") not in sys.path:
    sys.path.insert(0, str(ROOT / "python"))
_KEPT_AWAY = ("TRITON_", "FLAGTREE_", "MUSA_")


class Installation:
    """``run`` executes code against the package, ``output`` returns what it prints."""

    def __init__(self, root: Path):
        self.root = root
        self.package = root / "python" / "triton"

    def run(self, code: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """The code runs from a file: kernels need their source."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_KEPT_AWAY)}
        file = self.root / "program.py"
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


def link_installation(root: Path, backend: str) -> Installation:
    """Selects `backend` of ``root/third_party`` (by default, this checkout's) in a package of links below ``root``."""
    from setup_tools.links import make_links
    from setup_tools.project import load_project

    trunk, copy = ROOT / "python" / "triton", root / "python" / "triton"
    root.mkdir(parents=True, exist_ok=True)
    if not (root / "third_party").exists():
        (root / "third_party").symlink_to(ROOT / "third_party")
    _link_entries(trunk, copy, "backends", "language", "__init__.py")
    (copy / "__init__.py").write_text((trunk / "__init__.py").read_text())  # real: it is the package's own place
    _link_entries(trunk / "backends", copy / "backends")
    _link_entries(trunk / "language", copy / "language", "extra")
    _link_entries(trunk / "language" / "extra", copy / "language" / "extra")
    make_links(load_project(root, {"FLAGTREE_BACKEND": backend}).assembly, lambda text: None)
    return Installation(root)


def _link_entries(source: Path, target: Path, *real: str) -> None:
    """Link every entry of ``source`` into the new folder ``target``, except links and those called ``real``."""
    target.mkdir(parents=True)
    for entry in source.iterdir():
        if not entry.is_symlink() and entry.name not in (*real, "_flagtree_backend.py", "__pycache__"):
            (target / entry.name).symlink_to(entry)
