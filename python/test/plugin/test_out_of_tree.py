"""Backends outside of the checkout: they are built without a change to it, and run kernels."""

from __future__ import annotations

import os
import shutil

import pytest
from setup_tools.errors import BuildError
from setup_tools.preview import make_preview
from setup_tools.project import load_project

from .conftest import EXAMPLES, ROOT, Package, tracked_state

HELLO = EXAMPLES / "hello"


def project(folder, **environ: str):
    return load_project(ROOT, {"FLAGTREE_BACKEND": folder.name, "TRITON_PLUGIN_DIRS": os.fspath(folder), **environ})


def test_hello_passes_its_own_test(preview):
    done = preview(HELLO).run("-m", "pytest", "-q", "-p", "no:cacheprovider", HELLO / "test", cwd=HELLO)
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout


def test_adding_a_backend_touches_no_file_of_the_checkout(tmp_path):
    folder = shutil.copytree(HELLO, tmp_path / "elsewhere" / "hello")
    before = tracked_state()
    package = Package(make_preview(project(folder), tmp_path / "preview", lambda text: None))
    listed = package.run("-m", "triton.cli", "backends", cwd=tmp_path).stdout
    assert "hello" in listed and "selected" in listed
    assert tracked_state() == before


def test_a_backend_without_cpp_shares_the_compiled_library_of_the_default_build():
    assert project(HELLO).native_base == load_project(ROOT, {}).native_base
    assert project(HELLO).build_base != load_project(ROOT, {}).build_base


@pytest.mark.parametrize("part", ["CMakeLists.txt", "triton_hello.cc", "backend/spec/lib/A.cpp", "include/h.h"])
def test_a_backend_with_cpp_does_not(tmp_path, part):
    folder = shutil.copytree(HELLO, tmp_path / "hello")
    (folder / part).parent.mkdir(parents=True, exist_ok=True)
    (folder / part).write_text("")
    if part.startswith("include"):  # headers alone are compiled by nobody
        assert project(folder).native_base == load_project(ROOT, {}).native_base
        return
    assert project(folder).native_base == ROOT / "build" / "hello+cpu"


def test_a_preview_of_cpp_says_how_to_build_it(tmp_path):
    folder = shutil.copytree(HELLO, tmp_path / "hello")
    (folder / "CMakeLists.txt").write_text("")
    with pytest.raises(BuildError, match=r"has C\+\+ \(CMakeLists.txt\).*pip install --no-build-isolation -e"):
        make_preview(project(folder), tmp_path / "preview", lambda text: None)
    assert not (tmp_path / "preview").exists()


def test_a_preview_does_not_write_into_a_folder_of_something_else(tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(BuildError, match="is no empty folder and no earlier preview"):
        make_preview(project(HELLO), tmp_path, lambda text: None)
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.txt"]


def test_a_preview_can_be_made_again_for_another_backend(tmp_path):
    make_preview(project(HELLO), tmp_path, lambda text: None)
    path = make_preview(load_project(ROOT, {"FLAGTREE_BACKEND": "null"}), tmp_path, lambda text: None)
    code = "import triton.backends as b, triton.flagtree_spec as s; print(*b.backends, s.selected_backend())"
    assert Package(path).output(code, tmp_path) == "cpu null null"
