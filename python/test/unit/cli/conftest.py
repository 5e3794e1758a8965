"""The command, called in this process, and checkouts in miniature for it to look at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from triton.cli import main

HOOKED = "from triton.flagtree_spec import spec_path\n\nspec_path(__path__)\n"


@dataclass
class Outcome:
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def findings(self, level: str) -> list[dict[str, str]]:
        return [finding for finding in self.json["findings"] if finding["level"] == level]


@pytest.fixture
def flagtree(capsys, monkeypatch):
    """``flagtree("cache", "size")`` runs the command."""
    for name in ("TRITON_PLUGIN_DIRS", "FLAGTREE_BACKEND", "TRITON_DEFAULT_BACKEND", "MAX_JOBS"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str | Path) -> Outcome:
        capsys.readouterr()
        try:
            status = main([str(word) for word in words])
        except SystemExit as exit:
            status = exit.code
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run


@dataclass
class Checkout:
    """A source tree whose trunk has a hooked package ``tools`` and a function hook ``apply``."""

    root: Path

    def write(self, path: str, text: str = "") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def trunk(self, path: str, text: str = "") -> Path:
        return self.write(f"python/triton/{path}", text)

    def spec(self, path: str, text: str = "", backend: str = "acme") -> Path:
        """A file of the specialization of `backend`."""
        return self.write(f"third_party/{backend}/backend/spec/{path}", text)

    def overlay(self, path: str, text: str = "", backend: str = "acme") -> Path:
        return self.spec(f"triton/{path}", text, backend)


@pytest.fixture
def checkout(tmp_path) -> Checkout:
    tree = Checkout(tmp_path / "source")
    tree.trunk("__init__.py", '__version__ = "3.6.0"\n')
    tree.trunk("backends/__init__.py")
    tree.trunk("_utils.py", 'from triton.flagtree_spec import spec_func\n\nf = spec_func("apply")\n')
    tree.trunk("tools/__init__.py", HOOKED)
    tree.trunk("tools/compile.py", "def compile_it(): pass\n")
    tree.write("third_party/acme/backend.toml")
    tree.write("third_party/acme/backend/driver.py")
    return tree


@pytest.fixture
def spec(flagtree, checkout):
    """``spec("check")`` runs ``flagtree spec check --json`` on the miniature checkout."""
    return lambda *words: flagtree("spec", *words, "--root", checkout.root, "--json")
