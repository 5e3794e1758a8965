"""Add-on wheels from repositories outside of the checkout, installed beside a FlagTree."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from .conftest import EXAMPLES, run
from .environments import Environment, build_wheel, install_default_selection, make_environment, make_repository

KERNEL = """
import numpy as np
import triton
import triton.language as tl
from triton.flagtree_spec import selected_backend

@triton.jit
def add(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n)
    tl.store(out + i, {sum}, i < n)

x = np.arange(1000, dtype=np.float32)
out = np.zeros_like(x)
kernel = add[(8,)](x, out, 1000, BLOCK=128)
np.testing.assert_array_equal(out, 2 * x)
print(selected_backend(), kernel.metadata.target.backend)
"""
PLAIN, SPECIALIZED = KERNEL.format(sum="v + v"), KERNEL.format(sum="tl.twice(v)")


@pytest.fixture(scope="module")
def acme(builder: Environment, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A repository and its wheel."""
    repository = make_repository(tmp_path_factory.mktemp("acme"), "acme")
    return repository, build_wheel(builder, repository)


@pytest.fixture(scope="module")
def zenith(builder: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(builder, make_repository(tmp_path_factory.mktemp("zenith"), "zenith"))


@pytest.fixture
def site(tmp_path: Path) -> Environment:
    """An environment with an installed FlagTree."""
    environment = make_environment(tmp_path / "venv")
    install_default_selection(environment)
    return environment


def read(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (found,) = (entry for entry in archive.namelist() if entry.endswith(name))
        return archive.read(found).decode()


def test_it_holds_the_backend_and_nothing_else(acme):
    _, wheel = acme
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert wheel.name == "flagtree_acme-0.1-py3-none-any.whl"
    assert {name for name in names if ".dist-info/" not in name} == {
        "triton/backends/acme/__init__.py",
        "triton/backends/acme/_flagtree_addon.py",
        "triton/backends/acme/compiler.py",
        "triton/backends/acme/driver.py",
        "triton/backends/acme/spec/triton/__init__.py",
        "triton/backends/acme/spec/triton/language/acme.py",
    }


def test_it_requires_a_trunk_with_the_hooks_that_it_was_checked_against(acme):
    _, wheel = acme
    assert "Requires-Dist: flagtree==3.6.*,>=3.6.0\n" in read(wheel, "METADATA")
    assert read(wheel, "entry_points.txt").split() == ["[triton.backends]", "acme", "=", "triton.backends.acme"]


def test_its_marker_says_what_it_is(acme):
    _, wheel = acme
    values: dict = {}
    exec(read(wheel, "_flagtree_addon.py"), values)
    wanted = {"BACKEND": "acme", "DISTRIBUTION": "flagtree-acme", "TRITON": "3.6", "OVERLAY": True, "ALIASES": {}}
    assert {name: values[name] for name in wanted} == wanted


def test_wheel_check_knows_add_ons(acme, tmp_path, capsys):
    from triton.cli import main

    assert main(["wheel-check", str(acme[1])]) == 0
    assert "an add-on, with acme" in capsys.readouterr().out
    spoilt = tmp_path / acme[1].name
    with zipfile.ZipFile(acme[1]) as good, zipfile.ZipFile(spoilt, "w") as bad:
        for info in good.infolist():
            data = good.read(info).replace(b"Requires-Dist: flagtree==3.6.*,>=3.6.0\n", b"")
            bad.writestr(info, data)
        bad.writestr("triton/backends/__init__.py", "")
        bad.writestr("triton/jit.py", "")
    assert main(["wheel-check", str(spoilt)]) == 1
    printed = capsys.readouterr().out
    assert "PROBLEM requires" in printed
    for name in ("triton/jit.py", "triton/backends/__init__.py"):
        assert f"{name} belongs to the package itself" in printed


def test_building_leaves_the_repository_clean(acme):
    repository, _ = acme
    assert run("git", "status", "--short", cwd=repository).stdout == ""


def test_beside_an_installed_flagtree(acme, site, tmp_path):
    before = site.triton_files()
    assert site.output(PLAIN, tmp_path) == "cpu cpu"
    site.pip("install", "-q", "--no-index", acme[1])
    assert site.output(SPECIALIZED, tmp_path) == "acme acme"
    tested = run(site.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", acme[0] / "acme" / "test", cwd=tmp_path)
    assert tested.returncode == 0 and "3 passed" in tested.stdout, tested.stdout
    checked = run(site.python, "-m", "triton.cli", "spec", "check", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    site.pip("uninstall", "-q", "-y", "flagtree-acme")
    assert site.triton_files() == before
    assert site.output(PLAIN, tmp_path) == "cpu cpu"


def test_two_side_by_side(acme, zenith, site, tmp_path):
    site.pip("install", "-q", "--no-index", acme[1], zenith)
    refused = site.program(PLAIN, tmp_path)
    assert refused.returncode != 0
    assert "acme (add-on flagtree-acme), zenith (add-on flagtree-zenith)" in refused.stdout
    for name in ("acme", "zenith"):
        chosen = {"FLAGTREE_SPECIALIZATION": name, "TRITON_DEFAULT_BACKEND": name}
        assert site.output(SPECIALIZED, tmp_path, **chosen) == f"{name} {name}"
    # The device and the specialization are two choices.
    apart = {"FLAGTREE_SPECIALIZATION": "acme", "TRITON_DEFAULT_BACKEND": "zenith"}
    assert site.output(SPECIALIZED, tmp_path, **apart) == "acme zenith"
    assert site.output(PLAIN, tmp_path, FLAGTREE_SPECIALIZATION="none", TRITON_DEFAULT_BACKEND="cpu") == "cpu cpu"
    site.pip("uninstall", "-q", "-y", "flagtree-acme")
    assert site.output(SPECIALIZED, tmp_path) == "zenith zenith"


def test_pip_does_not_install_it_beside_another_release(acme, site):
    (metadata,) = site.site.glob("flagtree-*.dist-info/METADATA")
    metadata.write_text(metadata.read_text().replace("Version: 3.6.0", "Version: 3.7.0"))
    metadata.parent.rename(metadata.parent.with_name("flagtree-3.7.0.dist-info"))
    done = site.try_pip("install", "--no-index", acme[1])
    assert done.returncode != 0 and "flagtree==3.6.*,>=3.6.0" in done.stdout


def test_a_forced_installation_beside_another_release_says_so(acme, site, tmp_path):
    package = site.site / "triton" / "__init__.py"
    package.write_text(package.read_text().replace('__version__ = "3.6.0"', '__version__ = "3.7.0"'))
    site.pip("install", "-q", "--no-index", "--no-deps", acme[1])
    done = site.program(PLAIN, tmp_path)
    assert done.returncode != 0
    assert "backend 'acme' of distribution 'flagtree-acme' is for Triton 3.6, but this is Triton 3.7.0" in done.stdout


def test_a_deleted_module_is_gone_from_the_next_wheel(builder, tmp_path):
    repository = make_repository(tmp_path, "acme")
    extra = repository / "acme" / "backend" / "extra.py"
    extra.write_text("")
    assert read(build_wheel(builder, repository), "backends/acme/extra.py") == ""
    extra.unlink()
    with zipfile.ZipFile(build_wheel(builder, repository)) as archive:
        assert not [name for name in archive.namelist() if "extra" in name]


def test_an_sdist_makes_the_same_wheel(builder, acme, tmp_path):
    code = "import setuptools.build_meta as b, sys; print(b.build_sdist(sys.argv[1]))"
    done = run(builder.python, "-c", code, tmp_path, cwd=acme[0])
    assert done.returncode == 0, done.stdout
    (archive,) = tmp_path.glob("*.tar.gz")
    listed = subprocess.run(["tar", "tf", archive], capture_output=True, text=True, check=True).stdout
    assert "flagtree_acme-0.1/acme/backend.toml\n" in listed and "acme/test/test_acme_backend.py" in listed
    builder.pip("wheel", "-q", "--no-build-isolation", "--no-deps", "-w", tmp_path, archive)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(acme[1]) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


def test_a_setup_py_may_name_the_folder_instead(builder, tmp_path):
    repository = make_repository(tmp_path, "acme")
    (repository / "pyproject.toml").unlink()
    (repository / "setup.py").write_text(
        'from setuptools import setup\nsetup(name="acme-for-triton", version="2", flagtree_backend="acme")\n'
    )
    wheel = build_wheel(builder, repository)
    assert wheel.name == "acme_for_triton-2-py3-none-any.whl"
    assert "DISTRIBUTION = 'acme-for-triton'" in read(wheel, "_flagtree_addon.py")
    assert "Requires-Dist: flagtree" in read(wheel, "METADATA")
    assert "triton.backends.acme" in read(wheel, "entry_points.txt")


def test_pip_shows_what_is_wrong(builder, tmp_path):
    repository = make_repository(tmp_path, "acme", "--cpp")
    command = ("wheel", "--no-build-isolation", "--no-deps", "-w", tmp_path / "dist", ".")
    done = builder.try_pip(*command, cwd=repository)
    assert done.returncode != 0
    text = " ".join(done.stdout.split())
    assert "it has C++ (CMakeLists.txt, triton_acme.cc), which are part of the compiler library" in text
    assert "set FLAGTREE_SOURCE" in text
    assert not (tmp_path / "dist").exists() or not list((tmp_path / "dist").iterdir())


def test_it_cannot_be_installed_in_place(builder, acme):
    done = builder.try_pip("install", "--no-build-isolation", "--no-deps", "-e", ".", cwd=acme[0])
    assert done.returncode != 0
    assert "a repository of a backend cannot be installed in place" in " ".join(done.stdout.split())


def test_other_projects_are_left_alone(builder, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "plain"\nversion = "1"\n')
    (tmp_path / "plain.py").write_text("")
    wheel = build_wheel(builder, tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        assert "plain.py" in archive.namelist()


def test_the_command_says_what_to_do_where_the_choice_is_open(acme, zenith, site, tmp_path):
    site.pip("install", "-q", "--no-index", acme[1], zenith)

    def flagtree(*words: str, **env: str):
        return run(site.python, "-m", "triton.cli", *words, cwd=tmp_path, **env)

    listed = flagtree("backends")
    assert listed.returncode == 2
    assert "flagtree: error: 2 backends specialize this installation" in listed.stdout
    assert "see 'flagtree doctor'" in flagtree("--version").stdout
    examined = flagtree("doctor", "--no-build")
    assert examined.returncode == 1 and examined.stdout.count("Set FLAGTREE_SPECIALIZATION to one of them") == 1
    assert "-> export FLAGTREE_SPECIALIZATION=acme" in examined.stdout and "\n1 problem\n" in examined.stdout
    checked = flagtree("spec", "check")
    assert checked.returncode == 0, "each is tried as if it were the active one\n" + checked.stdout
    assert "(backend acme)" in flagtree("--version", FLAGTREE_SPECIALIZATION="acme").stdout
    listed = flagtree("backends", FLAGTREE_SPECIALIZATION="acme", TRITON_DEFAULT_BACKEND="acme")
    assert listed.returncode == 0 and "selected" in listed.stdout


def test_beside_a_checkout_it_is_skipped_aloud(acme, preview, tmp_path):
    """A package triton that lies elsewhere than the add-on does not have it."""
    package = preview(EXAMPLES / "hello")
    environment = make_environment(tmp_path / "venv")
    environment.pip("install", "-q", "--no-index", "--no-deps", acme[1])
    done = environment.program(
        "import triton.backends as b; print(*b.backends)", tmp_path, PYTHONPATH=str(package.path)
    )
    assert done.stdout.splitlines()[-1] == "cpu hello"
    assert "backend 'acme' is skipped" in done.stdout
    assert f"add-ons belong into {package.path}/triton/backends" in done.stdout
