"""Which backends FLAGTREE_BACKEND selects, and the version that follows."""

from __future__ import annotations

import pytest
from setup_tools.errors import BuildError, ManifestError, UnknownBackendError
from setup_tools.project import load_project
from setup_tools.registry import read_registry
from setup_tools.version import distribution_version


@pytest.fixture
def three(tree):
    tree.backend("host", "always = true")
    tree.backend("acme", 'aliases = ["acme_gpu"]\nlabel = "acme3.6"\ncompanions = ["host"]')
    tree.backend("zenith")
    return tree


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (None, ("host",)),
        ("", ("host",)),
        ("host", ("host",)),
        ("acme", ("acme", "host")),
        ("acme_gpu", ("acme", "host")),
        ("zenith", ("zenith", "host")),
    ],
)
def test_selection(three, value, names):
    assert read_registry(three.root, {}).select(value).names == names


@pytest.mark.parametrize(("wrong", "nearest"), [("amce", "acme"), ("ACME", "acme"), ("acme_gpus", "acme_gpu")])
def test_unknown_backend_gives_the_list_and_the_nearest(three, wrong, nearest):
    with pytest.raises(UnknownBackendError) as caught:
        read_registry(three.root, {}).select(wrong)
    message = str(caught.value)
    assert f"FLAGTREE_BACKEND={wrong}: there is no such backend. Did you mean {nearest!r}?" in message
    assert "acme (also acme_gpu), host, zenith" in message


def test_a_name_like_nothing_gets_no_guess(three):
    with pytest.raises(UnknownBackendError, match=r"there is no such backend\. Backends are"):
        read_registry(three.root, {}).select("qqqq")


def test_two_backends_must_not_share_a_name(three):
    three.backend("other", 'aliases = ["acme"]')
    with pytest.raises(ManifestError, match=r"both claim the backend name 'acme'"):
        read_registry(three.root, {})


def test_two_backends_must_not_share_an_alias(three):
    three.backend("other", 'aliases = ["acme_gpu"]')
    with pytest.raises(ManifestError, match=r"both claim the backend name 'acme_gpu'"):
        read_registry(three.root, {})


def test_a_folder_without_manifest_is_named(three):
    three.write("third_party/bare/backend/driver.py")
    with pytest.raises(UnknownBackendError, match=r"third_party/bare has no backend\.toml"):
        read_registry(three.root, {}).select("bare")


def test_unknown_companion_is_an_error(three):
    three.backend("other", 'companions = ["hots"]')
    with pytest.raises(ManifestError, match=r"names 'hots', which is no backend\. Did you mean 'host'"):
        read_registry(three.root, {})


def test_out_of_tree_backends_are_found(three, tmp_path):
    three.backend("far")
    elsewhere = tmp_path / "elsewhere" / "far"
    elsewhere.parent.mkdir()
    (three.root / "third_party" / "far").rename(elsewhere)
    registry = read_registry(three.root, {"TRITON_PLUGIN_DIRS": str(elsewhere)})
    assert registry.select("far").names == ("far", "host")


def test_companions_have_companions(three):
    three.backend("first", 'companions = ["second", "zenith"]')
    three.backend("second", 'companions = ["acme", "first"]')
    assert read_registry(three.root, {}).select("first").names == ("first", "second", "acme", "host", "zenith")


def test_a_backend_that_is_named_twice_counts_once(three):
    folder = three.root / "third_party" / "zenith"
    registry = read_registry(three.root, {"TRITON_PLUGIN_DIRS": f"{folder};{folder}/"})
    assert list(registry.manifests) == ["acme", "host", "zenith"]


@pytest.mark.parametrize("entry", ["nowhere", "~nobody-of-that-name/acme"])
def test_wrong_plugin_dir_is_named(three, tmp_path, monkeypatch, entry):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BuildError, match=rf"TRITON_PLUGIN_DIRS( names|: there is no home folder for) {entry}"):
        read_registry(three.root, {"TRITON_PLUGIN_DIRS": entry})


def test_a_backend_must_not_hide_a_module_of_the_trunk(three):
    three.write("python/triton/backends/compiler.py")
    three.write("third_party/compiler/backend/compiler.py")
    three.backend("compiler")
    with pytest.raises(ManifestError, match=r"name = 'compiler', .* triton\.backends\.compiler\. Choose another"):
        read_registry(three.root, {})


def test_a_language_must_not_hide_a_module_of_the_trunk(three):
    three.write("python/triton/language/extra/functions.py")
    three.write("third_party/other/language/functions/__init__.py")
    three.backend("other", 'language = "functions"')
    with pytest.raises(ManifestError, match=r"language = 'functions', .* triton\.language\.extra\.functions"):
        read_registry(three.root, {})


def test_a_build_has_one_language_package_of_a_name(three):
    for name in ("first", "second"):
        three.write(f"third_party/{name}/language/both/__init__.py")
    three.backend("first", 'language = "both"')
    three.backend("second", 'language = "both"\ncompanions = ["first"]')
    assert read_registry(three.root, {}).select("first").names == ("first", "host")
    with pytest.raises(BuildError, match=r"first and .*second both have|second .*first .*language package 'both'"):
        read_registry(three.root, {}).select("second")


@pytest.mark.parametrize(("backend", "version"), [(None, "3.6.0"), ("acme", "3.6.0+acme3.6"), ("zenith", "3.6.0")])
def test_version_has_the_label_of_the_selected_backend(three, backend, version):
    assert distribution_version(three.root, read_registry(three.root, {}).select(backend)) == version


def test_a_backend_of_another_triton_line_is_refused(three):
    three.write("python/triton/__init__.py", '__version__ = "3.7.1"\n')
    with pytest.raises(BuildError, match=r"Backend 'host' is for Triton 3\.6, this is Triton 3\.7"):
        load_project(three.root, {})


@pytest.mark.parametrize("name", ["my wheel", "-triton", "triton!", "../triton"])
def test_a_name_that_no_distribution_can_have_is_refused(three, name):
    with pytest.raises(BuildError, match="cannot be the name of a distribution"):
        load_project(three.root, {"FLAGTREE_WHEEL_NAME": name})
