"""Whether the active Triton is FlagTree, and for which backend it was built: folders that look like packages."""

from __future__ import annotations

import importlib

import pytest

pytest.importorskip("torch")


@pytest.fixture
def triton_in(tmp_path, monkeypatch):
    """Makes a package `triton` of files with texts the one that is found; returns a function that does."""
    import sys

    def make(**files: str):
        package = tmp_path / "triton"
        package.mkdir()
        for name, text in {"__init__": "", **files}.items():
            (package / f"{name}.py").write_text(text)
        for name in [name for name in sys.modules if name == "triton" or name.startswith("triton.")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.syspath_prepend(str(tmp_path))
        importlib.invalidate_caches()
        return tmp_path

    kept = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "triton"}
    yield make
    for name in [name for name in sys.modules if name.partition(".")[0] == "triton"]:
        del sys.modules[name]
    sys.modules.update(kept)


@pytest.mark.parametrize("marker", ["flagtree_spec", "_flagtree_spec"])
def test_a_marker_module_tells(triton_in, marker):
    from torch_fl import flagtree

    triton_in(**{marker: "", "_flagtree_backend": "BACKEND = 'acme'\n"})
    assert flagtree.is_flagtree()
    assert flagtree.backend_name() == "acme"


def test_another_triton_is_none_and_has_no_backend_of_ours(triton_in, monkeypatch):
    from torch_fl import flagtree

    triton_in()
    assert not flagtree.is_flagtree()
    assert flagtree.backend_name() is None
    monkeypatch.setenv(flagtree.ENVIRONMENT, "1")
    with pytest.raises(RuntimeError, match="is not FlagTree"):
        flagtree.assert_flagtree_if_asked()


def test_the_distribution_that_owns_the_folder_tells(triton_in):
    from torch_fl import flagtree

    folder = triton_in()
    metadata = folder / "flagtree-9.9.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: flagtree\nVersion: 9.9\n")
    (metadata / "RECORD").write_text("triton/__init__.py,,\n")
    assert flagtree.is_flagtree()


@pytest.mark.cpu_memory
def test_this_triton_is_flagtree_and_there_is_no_package_of_that_name():
    from torch_fl import flagtree

    assert flagtree.is_flagtree()
    assert importlib.util.find_spec("flagtree") is None
