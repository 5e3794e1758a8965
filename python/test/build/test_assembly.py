"""What a selection puts into a wheel and an editable install."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from setup_tools import commands
from setup_tools.errors import BuildError
from setup_tools.links import make_links
from setup_tools.project import Project, load_project


@pytest.fixture
def two(tree):
    tree.write("third_party/host/language/host/__init__.py")
    tree.backend("host", 'always = true\nlanguage = "host"')
    tree.backend("acme", 'label = "acme3.6"\ndata = ["lib/*.bc"]', "spec/triton/tools/deep/a.py", "spec/triton/b.py")
    tree.backend("zenith")
    return tree


def project(tree, backend: str = "") -> Project:
    return load_project(tree.root, {"FLAGTREE_BACKEND": backend})


def test_packages_are_the_trunk_and_the_selected_backends(two):
    assert set(project(two, "acme").assembly.packages) == {
        "triton",
        "triton.backends",
        "triton.language",
        "triton.language.extra",
        "triton.language.extra.host",
        "triton.backends.host",
        "triton.backends.acme",
        "triton.backends.acme.spec.triton",
        "triton.backends.acme.spec.triton.tools.deep",
    }


def test_p13_other_backends_overlays_stay_out_even_when_linked(two):
    make_links(project(two, "acme").assembly, lambda text: None)
    assert not [name for name in project(two).assembly.packages if "acme" in name]


def test_a_wheel_takes_backends_from_their_real_place(two):
    assert project(two, "acme").assembly.wheel_package_dir == {
        "": "python",
        "triton.backends.acme": "third_party/acme/backend",
        "triton.backends.host": "third_party/host/backend",
        "triton.language.extra.host": "third_party/host/language/host",
    }


def test_an_editable_install_has_one_root(two):
    assert project(two, "acme").assembly.editable_package_dir == {"": "python"}


def test_data_files_come_from_the_manifest(two):
    assert project(two, "acme").assembly.package_data["triton.backends.acme"] == ["lib/*.bc"]


def test_entry_points(two):
    assert project(two, "acme").assembly.entry_points == {
        "triton.backends": ["acme = triton.backends.acme", "host = triton.backends.host"]
    }


@pytest.mark.parametrize(("backend", "overlay"), [("acme", True), ("", False)])
def test_p12_marker_is_a_module_that_names_the_backend(two, backend, overlay):
    values: dict = {}
    exec(project(two, backend).assembly.marker, values)
    assert values["BACKEND"] == (backend or "host")
    assert values["OVERLAY"] is overlay
    assert values["BACKENDS"] == ((backend, "host") if backend else ("host",))


def test_trees_of_different_selections_do_not_meet(two):
    assert project(two, "acme").build_base != project(two, "zenith").build_base
    assert project(two, "acme").build_base.is_relative_to(two.root / "build")


def test_links_lead_to_the_backends_and_can_be_imported_through(two):
    make_links(project(two, "acme").assembly, lambda text: None)
    link = two.root / "python/triton/backends/acme"
    assert not os.path.isabs(os.readlink(link))
    assert link.resolve() == two.root / "third_party/acme/backend"
    assert (two.root / "python/triton/language/extra/host/__init__.py").is_file()
    assert 'BACKEND = "acme"' in (two.root / "python/triton/_flagtree_backend.py").read_text()


def test_switching_the_backend_removes_the_others_links_and_says_so(two):
    make_links(project(two, "acme").assembly, lambda text: None)
    said: list[str] = []
    make_links(project(two, "zenith").assembly, said.append)
    assert not (two.root / "python/triton/backends/acme").is_symlink()
    assert (two.root / "python/triton/backends/zenith").is_symlink()
    assert "removed the link python/triton/backends/acme: not part of this build" in said
    assert 'BACKEND = "zenith"' in (two.root / "python/triton/_flagtree_backend.py").read_text()


def test_making_the_links_again_changes_nothing(two):
    make_links(project(two, "acme").assembly, lambda text: None)
    marker = two.root / "python/triton/_flagtree_backend.py"
    before = marker.stat().st_mtime_ns
    said: list[str] = []
    make_links(project(two, "acme").assembly, said.append)
    assert said == []
    assert marker.stat().st_mtime_ns == before


def test_a_real_folder_in_the_place_of_a_link_is_not_touched(two):
    two.write("python/triton/backends/acme/mine.py", "precious")
    with pytest.raises(BuildError, match="is in the way"):
        make_links(project(two, "acme").assembly, lambda text: None)
    assert Path(two.root, "python/triton/backends/acme/mine.py").read_text() == "precious"


def test_p6_p8_a_build_warns_of_copies_and_of_functions_that_nothing_asks_for(two):
    two.write(
        "python/triton/_utils.py", 'from triton.flagtree_spec import spec_func\nf = spec_func("apply_with_path")\n'
    )
    two.write("python/triton/tools/same.py", "x = 1\n")
    two.write("third_party/acme/backend/spec/triton/tools/same.py", "x = 1\n")
    two.write("third_party/acme/backend/spec/triton/__init__.py", "def aply_with_path(): pass\n")
    said = []
    commands._warn(said.append, project(two, "acme"))
    assert any("the trunk asks for no function 'aply_with_path'. Did you mean 'apply_with_path'?" in s for s in said)
    assert any("it equals the trunk's triton/tools/same.py" in s for s in said)
    said.clear()
    commands._warn(said.append, project(two))
    assert not any("acme" in s for s in said), "of a backend that is not built nothing is said"


def test_a_build_warns_of_data_that_matches_nothing(two):
    said = []
    commands._warn(said.append, project(two, "acme"))
    assert any("data = 'lib/*.bc' matches no file of " in s for s in said)
    two.write("third_party/acme/backend/lib/a.bc")
    said.clear()
    commands._warn(said.append, project(two, "acme"))
    assert not any("matches no file" in s for s in said)


def test_a_specialization_that_is_no_python_stops_the_build(two):
    two.write("third_party/acme/backend/spec/triton/__init__.py", "x = 1\ndef broken(:\n")
    with pytest.raises(BuildError, match=r"spec/triton/__init__.py:2: .*Correct the file"):
        commands._warn(lambda text: None, project(two, "acme"))
