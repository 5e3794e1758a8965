"""flagtree new-backend: skeletons that work unchanged, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import triton
from setup_tools.manifest import read_manifest
from triton.cli import main
from triton.cli._skeleton import TEMPLATES, backend_files, repository_files

from .conftest import ROOT

PLACEHOLDER = re.compile(r"@\w+@")


def new_backend(*words: str | Path) -> int:
    return main(["new-backend", *map(str, words)])


def files_below(folder: Path) -> dict[str, str]:
    return {f.relative_to(folder).as_posix(): f.read_text() for f in folder.rglob("*") if f.is_file()}


def test_a_skeleton_builds_and_passes_its_own_test_unchanged(preview, tmp_path, capsys):
    assert new_backend("my_chip", "--dir", tmp_path) == 0
    assert str(tmp_path / "my_chip" / "README.md") in capsys.readouterr().out
    package = preview(tmp_path / "my_chip")
    done = package.run("-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path / "my_chip" / "test", cwd=tmp_path)
    assert done.returncode == 0 and "3 passed" in done.stdout, done.stdout
    checked = package.run("-m", "triton.cli", "spec", "check", "--backend", "my_chip", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("cpp", [False, True])
def test_its_manifest_is_for_this_release(tmp_path, cpp):
    assert new_backend("ab_c9", "--dir", tmp_path, *["--cpp"] * cpp) == 0
    manifest = read_manifest(tmp_path / "ab_c9" / "backend.toml")
    assert triton.__version__.startswith(f"{manifest.backend.triton}.")
    assert bool(manifest.cpp_parts) == cpp


@pytest.mark.parametrize("name", ["a", "my_chip", "a__b_", "an_accelerator_with_a_rather_long_name_7"])
def test_nothing_of_the_templates_is_left(name):
    files = repository_files(name, "3.6", cpp=True)
    assert [path for path in files if PLACEHOLDER.search(path + files[path]) or path.endswith(".in")] == []
    assert {".gitignore", "pyproject.toml", f"{name}/triton_{name}.cc", f"{name}/backend/driver.py"} <= files.keys()
    for path, text in files.items():
        compile(text, path, "exec") if path.endswith(".py") else None


def test_cpp_follows_the_styles_width():
    files = backend_files("chip", "3.6", cpp=True)
    for path, text in files.items():
        if path.endswith((".cc", ".cpp", ".h")):
            assert max(map(len, text.splitlines())) <= 80, path
            assert len(text.splitlines()[0]) == 80, path


def test_the_templates_are_package_data(tmp_path):
    from setup_tools.project import load_project

    patterns = load_project(ROOT, {}).assembly.package_data["triton"]
    matched = {file for pattern in patterns for file in (ROOT / "python" / "triton").glob(pattern)}
    assert set(TEMPLATES.rglob("*.in")) <= matched


def test_json_names_the_files(tmp_path, capsys):
    import json

    assert new_backend("chip", "--dir", tmp_path, "--json") == 0
    content = json.loads(capsys.readouterr().out)
    assert content["folder"] == str(tmp_path / "chip")
    assert content["files"] == sorted(files_below(tmp_path / "chip"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("My-Chip", "Did you mean 'my_chip'?"),
        ("9chip", "Did you mean 'device_9chip'?"),
        ("class", "Did you mean 'class_device'?"),
        ("CPU", "Did you mean 'cpu_device'?"),
        ("chip/../x", "Did you mean 'chip_x'?"),
        ("", "is no name of a backend"),
        ("cpu", "taken by a backend of that name"),
        ("null", "taken by a backend of that name"),
        ("musa", "taken by backend 'mthreads', whose alias it is"),
        ("compiler", "taken by the module triton.backends.compiler"),
        ("passes", "taken by the module triton._C.libtriton.passes"),
        ("none", "taken by FLAGTREE_SPECIALIZATION"),
        ("double", "Did you mean 'double_device'?"),
        ("std", "Did you mean 'std_device'?"),
    ],
)
def test_names_that_cannot_be_are_refused(tmp_path, capsys, name, said):
    assert new_backend(name, "--dir", tmp_path) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_left_alone(tmp_path, capsys):
    (tmp_path / "chip").mkdir()
    (tmp_path / "chip" / "mine.txt").write_text("precious")
    assert new_backend("chip", "--dir", tmp_path) == 2
    assert "exists already" in capsys.readouterr().err
    assert files_below(tmp_path) == {"chip/mine.txt": "precious"}


def test_a_link_to_nowhere_counts_as_existing(tmp_path, capsys):
    (tmp_path / "chip").symlink_to(tmp_path / "nowhere")
    assert new_backend("chip", "--dir", tmp_path) == 2
    assert "exists already" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_named(tmp_path, capsys):
    assert new_backend("chip", "--dir", tmp_path / "nowhere") == 2
    assert f"--dir {tmp_path / 'nowhere'}: that is no folder" in capsys.readouterr().err


def test_nothing_half_written_is_left(tmp_path, capsys, monkeypatch):
    write, written = Path.write_text, []

    def fail_at_the_fourth(self, *args, **kwargs):
        written.append(self)
        if len(written) == 4:
            raise OSError(28, "No space left on device")
        return write(self, *args, **kwargs)

    monkeypatch.setattr(Path, "write_text", fail_at_the_fourth)
    assert new_backend("chip", "--dir", tmp_path) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert len(written) == 4 and list(tmp_path.iterdir()) == []
