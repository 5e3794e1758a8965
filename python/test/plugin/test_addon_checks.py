"""What keeps a repository from becoming an add-on, and what is said about it. Nothing is built here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from setup_tools import plugin
from setup_tools.trunk import describe, load_trunk, parse, text_of
from setuptools import Distribution
from setuptools.errors import SetupError

from .conftest import ROOT
from .environments import make_repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("FLAGTREE_SOURCE", "FLAGTREE_WHEEL_NAME", "FLAGTREE_BACKEND", "TRITON_PLUGIN_DIRS"):
        monkeypatch.delenv(name, raising=False)
    return make_repository(tmp_path, "acme")


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def set_up(repository: Path) -> Distribution:
    distribution = Distribution({"src_root": str(repository)})
    plugin.finalize(distribution)
    return distribution


def error_of(repository: Path) -> str:
    with pytest.raises(SetupError) as caught:
        set_up(repository)
    return str(caught.value)


def test_a_good_one_is_set_up(repository):
    distribution = set_up(repository)
    assert distribution.packages == [
        "triton.backends.acme",
        "triton.backends.acme.spec.triton",
        "triton.backends.acme.spec.triton.language",
    ]
    assert distribution.package_dir == {"triton.backends.acme": "acme/backend"}
    assert distribution.install_requires == ["flagtree>=3.6.0,==3.6.*"]


@pytest.mark.parametrize(
    ("table", "said"), [("[tool.flagtre]", "but [tool.flagtre]. Correct its name."), ("", "Add it; it may be empty.")]
)
def test_a_table_that_is_missing_is_missed(repository, table, said):
    """Else setuptools would make a wheel of whatever packages it finds."""
    change(repository / "pyproject.toml", "[tool.flagtree]", table)
    change(repository / "pyproject.toml", 'backend = "acme"\n', "")
    assert "the build requires flagtree-build, and there is no table [tool.flagtree]" in error_of(repository)
    assert error_of(repository).endswith(said)
    (repository / "setup.py").touch()  # it may have the keyword
    set_up(repository)


def test_what_editors_leave_does_not_matter(repository):
    (repository / "acme" / "backend" / "spec" / "triton" / ".#__init__.py").symlink_to("somebody@somewhere.1234")
    set_up(repository)


def test_a_language_and_data_files_belong_to_it(repository):
    (repository / "acme" / "language" / "acme" / "deep").mkdir(parents=True)
    for folder in ("", "deep"):
        (repository / "acme" / "language" / "acme" / folder / "__init__.py").write_text("")
    change(repository / "acme" / "backend.toml", "target =", 'language = "acme"\ndata = ["lib/*.bc"]\ntarget =')
    distribution = set_up(repository)
    assert {"triton.language.extra.acme", "triton.language.extra.acme.deep"} <= set(distribution.packages or ())
    assert (distribution.package_dir or {})["triton.language.extra.acme"] == "acme/language/acme"
    assert distribution.package_data == {"triton.backends.acme": ["lib/*.bc"]}


def test_its_version_may_be_the_trunks(repository):
    change(repository / "pyproject.toml", 'version = "0.1"\n', "")
    change(repository / "pyproject.toml", '"scripts"', '"scripts", "version"')
    assert set_up(repository).metadata.version == "3.6.0"


def test_with_a_checkout_it_becomes_a_whole_wheel(repository, monkeypatch):
    change(repository / "pyproject.toml", 'version = "0.1"\n', "")
    change(repository / "pyproject.toml", '"scripts"', '"scripts", "version"')
    change(repository / "pyproject.toml", 'backend = "acme"', f'backend = "acme"\nsource = "{ROOT}"')
    (repository / "acme" / "CMakeLists.txt").write_text("")
    distribution: Any = set_up(repository)
    assert {"triton", "triton.backends.acme", "triton.backends.cpu"} <= set(distribution.packages)
    assert distribution.package_dir[""] == str(ROOT / "python")
    assert distribution.package_dir["triton.backends.acme"] == "acme/backend"
    assert distribution.metadata.version == "3.6.0+acme3.6"
    assert distribution.has_ext_modules() and not distribution.install_requires
    assert distribution.flagtree_project.build_base == repository / "build" / "acme+cpu"
    assert distribution.flagtree_project.native_base == repository / "build" / "acme+cpu"
    monkeypatch.setenv("FLAGTREE_WORKSPACE", str(ROOT))
    distribution = set_up(repository)
    assert distribution.flagtree_project.native_base == ROOT / "build" / "acme+cpu"
    assert distribution.package_dir["triton.backends.acme"] == "acme/backend"


def test_a_whole_wheel_has_the_command(repository, monkeypatch):
    monkeypatch.setenv("FLAGTREE_SOURCE", str(ROOT))
    change(repository / "pyproject.toml", '"scripts", ', "")
    assert "dynamic must name 'scripts'" in error_of(repository)


def test_the_trunk_may_be_called_otherwise(repository, monkeypatch):
    monkeypatch.setenv("FLAGTREE_WHEEL_NAME", "triton")
    assert set_up(repository).install_requires == ["triton>=3.6.0,==3.6.*"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('triton = "3.6"', 'triton = "3.5"', "it is for Triton 3.5. Port it and change triton"),
        ('target = "acme"', 'target = "acme"\naliases = ["musa"]', "'musa' is taken by backend 'mthreads'"),
        ('companions = ["cpu"]', 'companions = ["cpuu"]', "is no backend of the trunk. Did you mean 'cpu'?"),
        ('target = "acme"', 'target = "acme"\nalways = true', "always = true is for backends in the trunk's own"),
        ("[[environment]]", '[cmake]\nA = "1"\n[[environment]]', "it has [cmake], which are part of the compiler"),
        ('summary = "', 'sumary = "', "Did you mean 'summary'?"),
    ],
)
def test_manifests(repository, old, new, said):
    change(repository / "acme" / "backend.toml", old, new)
    message = error_of(repository)
    assert said in message and str(repository / "acme" / "backend.toml") in message


def test_a_name_of_the_trunk(repository):
    change(repository / "acme" / "backend.toml", 'name = "acme"', 'name = "null"')
    (repository / "acme").rename(repository / "null")
    change(repository / "pyproject.toml", 'backend = "acme"', 'backend = "null"')
    assert "the name 'null' is taken by backend 'null'" in error_of(repository)


def test_a_language_of_the_trunk(repository):
    (repository / "acme" / "language" / "cpu").mkdir(parents=True)
    change(repository / "acme" / "backend.toml", 'target = "acme"', 'target = "acme"\nlanguage = "cpu"')
    assert "language = 'cpu' is a package of the trunk" in error_of(repository)


def test_a_function_that_the_trunk_never_asks_for(repository):
    change(repository / "acme/backend/spec/triton/__init__.py", "def language_extend", "def langauge_extend")
    assert (
        "the trunk asks for no function 'langauge_extend_globals'. Did you mean 'language_extend_globals'?"
        in error_of(repository)
    )


def test_a_copy_of_a_trunk_file(repository):
    copy = repository / "acme/backend/spec/triton/tools/mxfp.py"
    copy.parent.mkdir()
    copy.write_bytes((ROOT / "python/triton/tools/mxfp.py").read_bytes())
    assert f"{copy}: it equals the trunk's triton/tools/mxfp.py. Delete it" in error_of(repository)


def test_all_problems_are_said_at_once(repository):
    change(repository / "acme" / "backend.toml", 'triton = "3.6"', 'triton = "3.5"')
    (repository / "acme" / "CMakeLists.txt").write_text("")
    message = error_of(repository)
    assert "it is for Triton 3.5" in message and "it has C++ (CMakeLists.txt)" in message


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"entry-points", ', "", "[project] dynamic must name 'entry-points'"),
        (', "dependencies"', "", "Add 'flagtree>=3.6.0,==3.6.*' to [project] dependencies"),
        (
            'backend = "acme"',
            'bakend = "acme"',
            "has no key 'bakend'. Keys are backend, source. Did you mean",
        ),
        ('backend = "acme"', "backend = 1", "[tool.flagtree] backend = 1 must be a string"),
        ('backend = "acme"', 'backend = "acne"', "acne/backend.toml does not exist"),
        ('backend = "acme"', 'source = "nowhere"', "nowhere is no checkout of FlagTree"),
    ],
)
def test_projects(repository, old, new, said):
    change(repository / "pyproject.toml", old, new)
    assert said in error_of(repository)


def test_dependencies_of_ones_own_may_be_static(repository):
    change(repository / "pyproject.toml", ', "dependencies"]', ']\ndependencies = ["numpy", "FlagTree~=3.6"]')
    assert not set_up(repository).install_requires


def test_the_only_folder_with_a_manifest_needs_no_name(repository):
    change(repository / "pyproject.toml", 'backend = "acme"', "")
    assert set_up(repository).package_dir == {"triton.backends.acme": "acme/backend"}
    (repository / "other").mkdir()
    (repository / "other" / "backend.toml").write_text("")
    assert "must name the folder of the backend" in error_of(repository) and "are: acme, other." in error_of(repository)


def test_a_checkout_of_another_version_is_refused(repository, tmp_path, monkeypatch):
    package = tmp_path / "checkout" / "python" / "triton"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "3.7.0"\n')
    monkeypatch.setenv("FLAGTREE_SOURCE", str(tmp_path / "checkout"))
    message = error_of(repository)
    assert "is FlagTree 3.7.0, but this is flagtree-build 3.6.0" in message and "pip install" in message


def test_another_backend_cannot_be_selected(repository, monkeypatch):
    monkeypatch.setenv("FLAGTREE_SOURCE", str(ROOT))
    monkeypatch.setenv("FLAGTREE_BACKEND", "cpu")
    assert "FLAGTREE_BACKEND=cpu, but this repository's backend is 'acme'" in error_of(repository)


def test_the_keyword_and_the_table_exclude_each_other(repository):
    with pytest.raises(SetupError, match="say the same. Keep one of them"):
        plugin.backend_keyword(Distribution({"src_root": str(repository)}), "flagtree_backend", "acme")


def test_a_project_without_the_table_is_left_alone(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    distribution = set_up(tmp_path)
    assert not distribution.packages and not hasattr(distribution, "flagtree_assembly")


def test_the_description_of_the_trunk_is_read_as_it_was_written():
    trunk = load_trunk()
    assert parse(text_of(trunk)) == trunk == describe(ROOT)
    assert "language_extend_globals" in trunk.hooks
    assert "backends/cpu/driver.py" not in trunk.files and "backends/driver.py" in trunk.files
