"""Another distribution that owns ``triton/`` is named before it is overwritten."""

from __future__ import annotations

from importlib.metadata import distributions
from pathlib import Path

import pytest
import triton.backends as backends
from setup_tools.conflicts import other_owners, warning


def install(folder: Path, name: str, version: str, *files: str) -> None:
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))


def test_owners_are_named_with_their_versions(tmp_path):
    install(tmp_path, "triton", "3.8.0", "triton/__init__.py")
    install(tmp_path, "flagtree", "3.6.0", "triton/__init__.py")
    install(tmp_path, "other", "1.0", "other/triton/x.py")
    owners = other_owners("FlagTree", distributions(path=[str(tmp_path)]))
    assert owners == ["triton 3.8.0"]
    assert "also belongs to triton 3.8.0" in warning("flagtree", owners)
    assert "pip uninstall triton" in warning("flagtree", owners)


def test_a_distribution_that_only_adds_a_backend_is_no_conflict(tmp_path):
    install(tmp_path, "flagtree-acme", "1.0", "triton/backends/acme/driver.py")
    assert other_owners("flagtree", distributions(path=[str(tmp_path)])) == []


def test_a_distribution_is_no_conflict_with_itself(tmp_path):
    install(tmp_path, "Flag_Tree", "3.6.0", "triton/__init__.py")
    assert other_owners("flag-tree", distributions(path=[str(tmp_path)])) == []


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Puts distributions with entry points for backends on the path."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("TRITON_BACKENDS_IN_TREE", raising=False)

    def add(name: str, version: str, *files: str) -> None:
        install(tmp_path, name, version, *files)
        # Any package that can be imported will do.
        points = f"[triton.backends]\n{name} = email\n"
        (tmp_path / f"{name}-{version}.dist-info" / "entry_points.txt").write_text(points)

    return add


def test_two_owners_are_named_when_backends_are_looked_for(site):
    site("triton", "3.8.0", "triton/__init__.py", "triton/backends/other/driver.py")
    site("flagtree", "3.6.0", "triton/__init__.py")
    with pytest.warns(
        UserWarning, match=r"flagtree-3\.6\.0 and triton-3\.8\.0 in .* both own the package triton"
    ) as seen:
        backends._discover()
    assert "Keep one: pip uninstall flagtree triton" in str(seen[0].message)


def test_an_owner_and_its_add_on_are_no_conflict(site):
    site("flagtree", "3.6.0", "triton/__init__.py")
    site("flagtree_acme", "1.0", "triton/backends/acme/driver.py")
    backends._discover()  # a warning would be an error
