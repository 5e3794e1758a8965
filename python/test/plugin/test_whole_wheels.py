"""flagtree-build as users meet it: in an isolated build, beside a real wheel, and with a checkout for a whole wheel."""

from __future__ import annotations

import os
import shutil
import tarfile
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from .conftest import EXAMPLES, ROOT, run, tracked_state
from .environments import Environment, build_wheel, make_environment, make_repository

ISOLATED = ("setuptools", "packaging")  # what an add-on is really built with
UNUSED = {"scikit-build-core": "1.0", "pybind11": "3.1", "cmake": "4.0", "ninja": "1.13", "filelock": "3.20"}


def repack(name: str, folder: Path) -> None:
    """A wheel of what is installed of distribution ``name``."""
    installed = distribution(name)
    version = installed.version
    with zipfile.ZipFile(folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl", "w") as archive:
        for file in installed.files or ():
            if ".." not in file.parts and file.suffix != ".pyc" and file.locate().is_file():
                archive.write(file.locate(), str(file))


def stand_in(name: str, version: str, folder: Path) -> None:
    """An empty wheel: pip wants it, the build does not."""
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", f"{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


def test_an_isolated_build_needs_nothing_else(builder, tmp_path):
    index = tmp_path / "index"
    index.mkdir()
    for name in ISOLATED:
        repack(name, index)
    for name, version in UNUSED.items():
        stand_in(name, version, index)
    (wheel,) = (builder.folder.parent / "flagtree-build").glob("*.whl")
    os.link(wheel, index / wheel.name)
    repository = make_repository(tmp_path, "acme")
    plain = make_environment(tmp_path / "plain")
    plain.pip(
        *("wheel", "-q", "--no-index", "--find-links", index, "--no-deps", "-w", tmp_path / "dist", "."), cwd=repository
    )
    (built,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        assert "triton/backends/acme/_flagtree_addon.py" in archive.namelist()


def test_its_requirements_are_those_of_the_build():
    from setup_tools.manifest import tomllib

    content = tomllib.loads((ROOT / "python" / "setup_tools" / "pyproject.toml").read_text())
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert content["project"]["dependencies"] == whole["build-system"]["requires"]


def test_its_sdist_makes_the_same_wheel(builder, tmp_path):
    code = "import setuptools.build_meta as b, sys; b.build_sdist(sys.argv[1])"
    done = run(builder.python, "-c", code, tmp_path, cwd=ROOT / "python" / "setup_tools")
    assert done.returncode == 0, done.stdout
    (archive,) = tmp_path.glob("*.tar.gz")
    builder.pip("wheel", "-q", "--no-build-isolation", "--no-deps", "-w", tmp_path, archive)
    (first,) = (builder.folder.parent / "flagtree-build").glob("*.whl")
    (second,) = tmp_path.glob("*.whl")
    with tarfile.open(archive) as sources:
        kept = sources.extractfile(f"{archive.name.removesuffix('.tar.gz')}/trunk.json")
        assert kept is not None
        description = kept.read()
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())
        assert other.read("flagtree_build/trunk.json") == description


@pytest.fixture(scope="module")
def flagtree(builder, tmp_path_factory) -> Path:
    """The default wheel of this checkout."""
    return built_here(builder, tmp_path_factory.mktemp("flagtree"))[0]


def built_here(builder: Environment, dist: Path, **env: str) -> tuple[Path, str]:
    """A wheel of this checkout, and what pip printed."""
    printed = builder.pip("wheel", "-v", "--no-build-isolation", "--no-deps", "-w", dist, ".", cwd=ROOT, **env)
    (wheel,) = dist.glob("*.whl")
    return wheel, printed


@pytest.mark.slow
def test_a_backend_without_cpp_compiles_nothing_and_touches_no_file(builder, flagtree, tmp_path):
    assert flagtree.is_file()  # was built before
    backend = shutil.copytree(EXAMPLES / "hello", tmp_path / "hello")
    before = tracked_state()
    chosen = {"TRITON_PLUGIN_DIRS": os.fspath(backend), "FLAGTREE_BACKEND": "hello"}
    wheel, printed = built_here(builder, tmp_path / "dist", **chosen)
    assert "ninja: no work to do" in printed and "Building CXX object" not in printed
    assert tracked_state() == before
    site = make_environment(tmp_path / "venv")
    site.pip("install", "-q", "--no-index", wheel)
    own_tests(site, backend, tmp_path, "2 passed")


@pytest.mark.slow
def test_beside_a_real_wheel(builder, flagtree, tmp_path):
    repository = make_repository(tmp_path, "acme")
    addon = build_wheel(builder, repository)
    site = make_environment(tmp_path / "venv")
    site.pip("install", "-q", "--no-index", flagtree)
    before = site.triton_files()
    site.pip("install", "-q", "--no-index", addon)
    own_tests(site, repository / "acme", tmp_path, "3 passed")
    site.pip("uninstall", "-q", "-y", "flagtree-acme")
    assert site.triton_files() == before
    site.pip("install", "-q", "--no-index", addon)
    site.pip("uninstall", "-q", "-y", "flagtree")
    assert all(name.startswith("backends/acme/") for name in site.triton_files())


@pytest.mark.slow
def test_a_whole_wheel_with_cpp_from_a_checkout_that_is_only_read(builder, tmp_path):
    before = tracked_state()
    repository = make_repository(tmp_path, "acme", "--cpp")
    # In the checkout's folder for builds the compiler cache knows most of it already.
    here = {"FLAGTREE_SOURCE": os.fspath(ROOT), "FLAGTREE_WORKSPACE": os.fspath(ROOT)}
    wheel = build_wheel(builder, repository, **here)
    assert tracked_state() == before
    assert run("git", "status", "--short", cwd=repository).stdout == ""
    assert wheel.name.startswith("flagtree_acme-0.1-cp")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[2] for name in names if name.startswith("triton/backends/") and name.count("/") > 2} == {
        "acme",
        "cpu",
    }
    site = make_environment(tmp_path / "venv")
    site.pip("install", "-q", "--no-index", wheel)
    own_tests(site, repository / "acme", tmp_path, "4 passed")


def own_tests(site: Environment, backend: Path, cwd: Path, said: str) -> None:
    done = run(site.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", backend / "test", cwd=cwd)
    assert done.returncode == 0 and said in done.stdout, done.stdout
