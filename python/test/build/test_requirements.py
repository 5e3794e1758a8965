"""The list of build requirements is written twice: for pip's isolation and for builds without it."""

from __future__ import annotations

from setup_tools.manifest import tomllib

from .conftest import ROOT


def test_both_lists_are_the_same():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lines = (ROOT / "requirements-build.txt").read_text().splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == pyproject["build-system"]["requires"]
