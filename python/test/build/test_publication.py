"""Wheels for publication (tools/wheel): Pythons, jobs, repair, index; and one compiler for several Pythons."""

from __future__ import annotations

import hashlib
import importlib
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from setup_tools.manifest import tomllib
from setup_tools.project import load_project
from setup_tools.registry import read_registry
from setup_tools.shared_core import build_tree, trees

from .conftest import ROOT, run

WHEEL_TOOLS = ROOT / "tools" / "wheel"


def tool(name: str):
    """A module of tools/wheel."""
    if str(WHEEL_TOOLS) not in sys.path:
        sys.path.insert(0, str(WHEEL_TOOLS))
    return importlib.import_module(name)


def pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


# -- Pythons -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def fake_python(tmp_path):
    """``fake_python("3.12.1")`` puts a program into pyenv's folder that answers as such a Python would."""

    def make(version: str, implementation: str = "CPython", free_threaded: bool = False, headers: bool = True) -> Path:
        program = tmp_path / "pyenv" / "versions" / version / "bin" / "python3"
        program.parent.mkdir(parents=True)
        facts = {
            "executable": str(program),
            "version": [int(part.rstrip("t")) for part in version.split(".")],
            "implementation": implementation,
            "free_threaded": free_threaded,
            "headers": headers,
        }
        program.write_text(f"#!/bin/sh\necho '{json.dumps(facts)}'\n")
        program.chmod(0o755)
        return program

    return make


def find(tmp_path: Path):
    found, refused = tool("pythons").find_pythons({"PATH": "", "PYENV_ROOT": str(tmp_path / "pyenv")})
    # An image may have interpreters at the places that no variable moves.
    inside = [python for python in found if python.executable.is_relative_to(tmp_path)]
    return inside, [reason for reason in refused if str(tmp_path) in reason]


def test_the_newest_of_each_supported_line_is_found(fake_python, tmp_path):
    for version in ("3.9.18", "3.10.2", "3.10.13", "3.10.4", "3.12.1", "3.14.0", "3.15.0"):
        fake_python(version)
    found, refused = find(tmp_path)
    assert [python.version for python in found] == [(3, 10, 13), (3, 12, 1), (3, 14, 0)]
    assert [python.tag for python in found] == ["cp310", "cp312", "cp314"]
    assert refused == []


def test_pythons_that_cannot_be_used_are_named_with_the_reason(fake_python, tmp_path):
    fake_python("3.11.1", headers=False)
    fake_python("3.13.0t", free_threaded=True)
    fake_python("3.12.0", implementation="PyPy")
    broken = fake_python("3.10.1")
    broken.write_text("#!/bin/sh\nexit 127\n")
    found, refused = find(tmp_path)
    assert found == []
    assert len(refused) == 2
    assert "3.11.1" in refused[0] and "Python.h is missing" in refused[0]
    assert "3.13.0" in refused[1] and "no GIL" in refused[1]


def test_pythons_are_selected_by_line_tag_or_path(fake_python, tmp_path):
    program = fake_python("3.12.1")
    fake_python("3.13.0")
    found, _ = find(tmp_path)
    select = tool("pythons").select
    assert [p.tag for p in select(found, ["3.13", "cp312", str(program)])] == ["cp313", "cp312", "cp312"]
    with pytest.raises(LookupError, match=r"no Python 3\.11 was found; there are 3\.12, 3\.13, cp312, cp313"):
        select(found, ["3.11"])
    with pytest.raises(LookupError, match="/nowhere/python is no Python that can be run"):
        select(found, ["/nowhere/python"])


# -- jobs and configuration --------------------------------------------------------------------------------------------


def test_jobs_follow_from_the_manifests(tree):
    tree.backend("acme_one", '[wheel]\narchitectures = ["x86_64", "aarch64"]')
    tree.backend("host")
    tree.backend("lab", "[wheel]\narchitectures = []")
    made = tool("matrix").jobs(read_registry(tree.root, {}).manifests.values())
    assert [(job["backend"], job["architecture"]) for job in made] == [
        ("acme_one", "x86_64"),
        ("acme_one", "aarch64"),
        ("host", "x86_64"),
    ]
    assert made[1]["runner"].endswith("-arm")
    assert made[1]["image"] == "flagtree-acme-one-manylinux_2_28_aarch64"
    assert len({job["artifact"] for job in made}) == len(made)


def test_the_matrix_is_one_line_of_json_with_the_default_backend():
    done = run(sys.executable, WHEEL_TOOLS / "matrix.py", cwd=ROOT)
    assert done.returncode == 0, done.stdout
    (line,) = done.stdout.splitlines()
    assert "cpu" in [job["backend"] for job in json.loads(line)["include"]]


def test_cibuildwheel_makes_wheels_for_the_pythons_that_the_script_looks_for():
    build = pyproject()["tool"]["cibuildwheel"]["build"]
    supported = tool("pythons").SUPPORTED
    assert build == [f"cp{major}{minor}-manylinux*" for major, minor in supported]
    assert pyproject()["project"]["requires-python"] == ">={}.{}".format(*supported[0])


def test_cibuildwheel_accepts_the_configuration():
    program = shutil.which("cibuildwheel", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("cibuildwheel is not installed: pip install --group lint")
    done = run(program, "--print-build-identifiers", "--platform", "linux", "--archs", "x86_64", ROOT, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    tags = [f"cp{major}{minor}" for major, minor in tool("pythons").SUPPORTED]
    assert done.stdout.split() == [f"{tag}-manylinux_x86_64" for tag in tags]


def test_both_lists_of_what_wheels_are_tested_with_are_the_same():
    assert list(tool("steps").TEST_REQUIREMENTS) == pyproject()["dependency-groups"]["wheel-test"]


def test_files_that_the_configuration_names_exist():
    settings = pyproject()["tool"]["cibuildwheel"]
    for command in (settings["repair-wheel-command"], settings["test-command"], settings["before-build"]):
        for word in command.replace("{project}/", "").split():
            if "/" in word or word.endswith(".txt"):
                assert (ROOT / word).is_file(), word


# -- repair ------------------------------------------------------------------------------------------------------------


def test_libraries_of_the_user_s_machine_come_from_the_manifests_of_the_selection(tree, monkeypatch):
    tree.backend("acme", 'companions = ["host"]\n[wheel]\nrepair_exclude = ["libacme*.so*"]')
    tree.backend("host", '[wheel]\nrepair_exclude = ["libhost.so.1"]')
    tree.backend("other", '[wheel]\nrepair_exclude = ["libother*.so*"]')
    monkeypatch.setattr(tool("repair"), "ROOT", tree.root)
    assert tool("repair").excluded_libraries("acme") == ["libacme*.so*", "libhost.so.1"]


AUDITWHEEL = """
import pathlib, sys, zipfile
mode = int({mode!r}, 8)
wheel, folder = pathlib.Path(sys.argv[-1]), pathlib.Path(sys.argv[sys.argv.index("-w") + 1])
folder.mkdir(parents=True, exist_ok=True)
(folder / "arguments").write_text(" ".join(sys.argv[1:]))
with zipfile.ZipFile(folder / wheel.name.replace("linux", "manylinux_2_36"), "w") as new:
    info = zipfile.ZipInfo("triton/FileCheck")
    info.external_attr = mode << 16
    new.writestr(info, "x")
"""


@pytest.fixture
def wheel_and_auditwheel(tmp_path, monkeypatch):
    """A wheel with one program, and a stand-in for auditwheel that gives it the mode it is told."""
    wheel = tmp_path / "demo-1-cp312-cp312-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        info = zipfile.ZipInfo("triton/FileCheck")
        info.external_attr = 0o100755 << 16
        archive.writestr(info, "x")

    def use(mode: str) -> Path:
        package = tmp_path / "fake" / "auditwheel"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "__main__.py").write_text(AUDITWHEEL.format(mode=mode))
        monkeypatch.setenv("PYTHONPATH", str(package.parent))
        return wheel

    return use


def test_repair_leaves_out_what_the_vendor_says(wheel_and_auditwheel, tmp_path):
    wheel, out = wheel_and_auditwheel("100755"), tmp_path / "out"
    repaired = tool("repair").repair(wheel, out, ["libacme*.so*", "libhost.so.1"])
    assert repaired.name == "demo-1-cp312-cp312-manylinux_2_36_x86_64.whl"
    arguments = (out / "arguments").read_text()
    assert arguments == f"repair --exclude libacme*.so* --exclude libhost.so.1 -w {out} {wheel}"


def test_a_program_that_repair_made_useless_stops_it(wheel_and_auditwheel, tmp_path):
    wheel = wheel_and_auditwheel("100644")
    with pytest.raises(RuntimeError, match="no longer executable after the repair: triton/FileCheck"):
        tool("repair").repair(wheel, tmp_path / "out", [])


# -- index -------------------------------------------------------------------------------------------------------------


def make_wheel(folder: Path, version: str) -> Path:
    """A wheel of the distribution demo-project without modules."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"demo_project-{version}-py3-none-any.whl"
    info = f"demo_project-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: demo-project\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", f"{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return wheel


def test_pip_takes_the_wheel_of_the_backend_whose_index_it_is_given(tmp_path):
    wheels = {label: make_wheel(tmp_path / "dist" / label, f"3.6.0+{label}") for label in ("acme", "zeta")}
    pages = tool("index").write_indexes(tmp_path / "dist")
    assert [page.parent.name for page in pages] == ["demo-project"] * 2
    assert hashlib.sha256(wheels["acme"].read_bytes()).hexdigest() in pages[0].read_text()
    command = ("pip", "download", "-q", "--no-deps", "-d", tmp_path / "got", "demo-project==3.6.0", "--index-url")
    address = (tmp_path / "dist" / "acme" / "simple").as_uri()
    # Settings of this machine may name further indexes.
    environment = {"PIP_CONFIG_FILE": "/dev/null", "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": ""}
    done = run(sys.executable, "-m", *command, address, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stdout
    assert [file.name for file in (tmp_path / "got").iterdir()] == [wheels["acme"].name]


def test_an_index_of_nothing_is_an_error(tmp_path):
    done = run(sys.executable, WHEEL_TOOLS / "index.py", tmp_path, cwd=tmp_path)
    assert done.returncode == 1
    assert f"error: {tmp_path} has no folder with wheels" in done.stdout


# -- one compiler for several Pythons ----------------------------------------------------------------------------------


def test_the_core_is_the_same_tree_for_all_pythons():
    project = load_project(ROOT, {"FLAGTREE_SHARED_CORE": "1"})
    core, module = trees(project, editable=False)
    assert core.defines == {"TRITON_MODULE": False}
    assert module.defines == {"TRITON_CORE_TREE": str(core.folder)}
    assert core.folder.name.endswith("-core") and sys.implementation.cache_tag not in core.folder.name
    assert sys.implementation.cache_tag in module.folder.name
    assert core.folder.parent == module.folder.parent == build_tree(project).parent


def test_build_types_do_not_share_a_core():
    release = load_project(ROOT, {"FLAGTREE_SHARED_CORE": "1"})
    debug = load_project(ROOT, {"FLAGTREE_SHARED_CORE": "1", "DEBUG": "1"})
    folders = {tree.folder for project in (release, debug) for tree in trees(project, editable=False)}
    assert len(folders) == 4


@pytest.mark.parametrize(("environment", "editable"), [({}, False), ({"FLAGTREE_SHARED_CORE": "1"}, True)])
def test_otherwise_one_tree_holds_everything(environment, editable):
    project = load_project(ROOT, environment)
    (tree,) = trees(project, editable)
    assert tree.folder == build_tree(project) and not tree.defines


def test_a_core_that_is_none_is_refused(tmp_path):
    done = subprocess.run(
        [*("cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path / "build"), f"-DTRITON_CORE_TREE={tmp_path}/nowhere"],
        capture_output=True,
        text=True,
        check=False,
    )
    message = " ".join(done.stderr.split())
    assert done.returncode != 0
    assert f"TRITON_CORE_TREE={tmp_path}/nowhere is no core" in message and "TRITON_MODULE=OFF" in message


def test_a_core_with_other_settings_is_refused(tmp_path):
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "TritonCore.cmake").write_text(
        'set(CORE_TRITON_BACKENDS "other")\nset(CORE_CMAKE_BUILD_TYPE "Release")\n'
    )
    done = subprocess.run(
        [*("cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path / "build"), f"-DTRITON_CORE_TREE={tmp_path}/core"],
        capture_output=True,
        text=True,
        check=False,
    )
    message = " ".join(done.stderr.split())
    assert done.returncode != 0
    assert "was built with TRITON_BACKENDS='other', this tree has 'cpu'" in message
