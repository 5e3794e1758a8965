"""Which specialization is active where add-ons were installed beside the package."""

from __future__ import annotations

import pytest

from .conftest import Tree

SHOW = "from triton.flagtree_spec import *; print(selected_backend(), spec('who'))"


def add_on(tree: Tree, name: str, overlay: bool = True, **values: object) -> None:
    """An add-on as ``flagtree-build`` makes it, with a function ``who``."""
    content = {
        "BACKEND": name,
        "DISTRIBUTION": f"flagtree-{name}",
        "TRITON": "3.6",
        "OVERLAY": overlay,
        "ALIASES": {},
        **values,
    }
    folder = f"backends/{name}"
    tree.trunk(f"{folder}/__init__.py", "")
    tree.trunk(f"{folder}/_flagtree_addon.py", "".join(f"{key} = {value!r}\n" for key, value in content.items()))
    if overlay:
        tree.trunk(f"{folder}/spec/triton/__init__.py", f"def who(): return 'by {name}'\n")


@pytest.fixture
def plain(make_tree) -> Tree:
    """A package that was built for a backend without a specialization."""
    tree = make_tree(overlay=False)
    tree.trunk("__init__.py", "__version__ = '3.6.1'\n")
    return tree


def test_the_only_specialization_is_active(plain):
    add_on(plain, "zenith")
    assert plain.output(SHOW) == "zenith by zenith"


def test_an_add_on_without_specialization_changes_nothing(plain):
    add_on(plain, "zenith", overlay=False)
    assert plain.output(SHOW) == "acme None"


def test_two_need_a_choice(plain):
    add_on(plain, "zenith")
    add_on(plain, "nadir")
    error = plain.error(SHOW)
    assert "2 backends specialize this installation" in error
    assert "nadir (add-on flagtree-nadir), zenith (add-on flagtree-zenith)" in error
    assert "Set FLAGTREE_SPECIALIZATION to one of them or to 'none'" in error


@pytest.mark.parametrize(("choice", "shown"), [("nadir", "nadir by nadir"), ("none", "acme None")])
def test_the_variable_chooses(plain, monkeypatch, choice, shown):
    add_on(plain, "zenith")
    add_on(plain, "nadir")
    monkeypatch.setenv("FLAGTREE_SPECIALIZATION", choice)
    assert plain.output(SHOW) == shown


def test_a_choice_that_is_not_there_is_an_error(plain, monkeypatch):
    add_on(plain, "zenith")
    monkeypatch.setenv("FLAGTREE_SPECIALIZATION", "zenit")
    error = plain.error(SHOW)
    assert "FLAGTREE_SPECIALIZATION=zenit: no backend of that name" in error and "It has: zenith." in error


def test_an_add_on_beside_a_built_in_specialization_needs_a_choice(tree, monkeypatch):
    tree.overlay("__init__.py", "def who(): return 'by acme'\n")
    add_on(tree, "zenith")
    assert "acme (built in), zenith (add-on flagtree-zenith)" in tree.error(SHOW)
    monkeypatch.setenv("FLAGTREE_SPECIALIZATION", "acme")
    assert tree.output(SHOW) == "acme by acme"
    monkeypatch.setenv("FLAGTREE_SPECIALIZATION", "none")
    assert tree.output(SHOW) == "acme None"


@pytest.mark.parametrize(("made_for", "fits"), [("3.6", True), ("3.5", False), ("3.60", False), ("3", True)])
def test_an_add_on_for_another_release_line_is_refused(plain, made_for, fits):
    add_on(plain, "zenith", TRITON=made_for)
    if fits:
        assert plain.output(SHOW) == "zenith by zenith"
        return
    error = plain.error(SHOW)
    assert f"'flagtree-zenith' is for Triton {made_for}, but this is Triton 3.6.1" in error


@pytest.mark.parametrize("text", ["BACKEND = (", "BACKEND = 'zenith'\n", "BACKEND = nothing\n"])
def test_a_damaged_add_on_is_named(plain, text):
    add_on(plain, "zenith")
    plain.trunk("backends/zenith/_flagtree_addon.py", text)
    error = plain.error(SHOW)
    assert "backends/zenith/_flagtree_addon.py, which describes an add-on, is damaged" in error


def test_aliases_of_add_ons_are_names_of_their_backends(plain):
    add_on(plain, "zenith", ALIASES={"zn": "zenith"})
    assert plain.output("from triton.flagtree_spec import *; print(backend_aliases())") == "{'zn': 'zenith'}"


def test_without_an_add_on_nothing_is_imported_for_them(plain):
    code = "import sys, triton.flagtree_spec as s; s.activate(); print('importlib.util' in sys.modules)"
    assert plain.output(code) == "False"
