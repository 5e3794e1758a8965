"""backend.toml: what is read, and what is said about a wrong one."""

from __future__ import annotations

import pytest
from setup_tools.errors import ManifestError
from setup_tools.manifest import read_manifest

from .conftest import ROOT

ARTIFACT = f"[[artifacts]]\nname = 't'\nurl = 'https://e.org/t.tar'\nsha256 = '{'0' * 64}'\nsize = 1\n"


def error_of(tree, extra: str, name: str = "acme") -> str:
    folder = tree.backend(name, extra)
    with pytest.raises(ManifestError) as caught:
        read_manifest(folder / "backend.toml")
    message = str(caught.value)
    assert str(folder / "backend.toml") in message
    return message


def test_every_manifest_of_this_checkout_is_valid():
    files = sorted(ROOT.glob("third_party/*/backend.toml"))
    assert len(files) >= 2
    for file in files:
        assert read_manifest(file).name == file.parent.name


def test_all_keys_are_read(tree):
    tree.write("third_party/acme/language/acme/__init__.py")
    folder = tree.backend(
        "acme",
        """
        label = "acme3.6"
        aliases = ["acme_gpu"]
        companions = ["host"]
        always = true
        language = "acme"
        data = ["lib/*.bc"]
        [cmake]
        ACME_SDK = "/opt/acme"
        [[artifacts]]
        name = "toolchain"
        url = "https://example.org/t.tar.gz"
        sha256 = "%s"
        size = 12
        [[environment]]
        name = "ACME_HOME"
        type = "path"
        meaning = "Root of the runtime"
        [wheel]
        architectures = ["x86_64", "aarch64"]
        repair_exclude = ["libacme*.so*"]
        """
        % ("0123456789abcdef" * 4),
    )
    manifest = read_manifest(folder / "backend.toml")
    assert manifest.backend.label == "acme3.6"
    assert manifest.backend.aliases == ("acme_gpu",)
    assert manifest.backend.always is True
    assert manifest.cmake == {"ACME_SDK": "/opt/acme"}
    assert manifest.artifacts[0].size == 12
    assert manifest.environment[0].type == "path"
    assert manifest.language_dir == folder / "language" / "acme"
    assert manifest.wheel.architectures == ("x86_64", "aarch64")
    assert manifest.wheel.repair_exclude == ("libacme*.so*",)


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("aliasses = []", "[backend] has no key 'aliasses'. Keys are name, "),
        ("aliasses = []", "Did you mean 'aliases'?"),
        ("[artefacts]", "unknown table [artefacts]. Tables are backend, cmake, artifacts, environment, wheel. "),
        ("[artefacts]", "Did you mean 'artifacts'?"),
        ("aliases = 'x'", "[backend] aliases = 'x' must be a list"),
        ("aliases = [1]", "[backend] aliases = 1 must be of type str, not int"),
        ("always = 1", "[backend] always = 1 must be of type bool, not int"),
        ("label = 'Acme 3'", "label = 'Acme 3' is not a normalised local version label"),
        ("label = 'acme-3'", "label = 'acme-3' is not a normalised local version label"),
        ("language = 'acme'", "is no folder"),
        ("[cmake]\nA = 1", "[cmake] A = 1 must be of type str, not int"),
        ("[[environment]]\nname = 'A'", "[[environment]] needs the key 'meaning'"),
        ("[[environment]]\nname = 'A'\nmeaning = ''\ntype = 'paht'", "Did you mean 'path'?"),
        ("[wheel]\nrepair_exclude = ['acme']", "'acme' is no pattern of a library's file name"),
        ("[wheel]\narchitectures = ['x64']", "'x64' is none of x86_64, aarch64. Did you mean 'x86_64'?"),
        ("[environment]", "must be an array of tables, each headed by [[environment]]"),
        ("[[artifacts]]\nname='t'\nurl='https://e.org'\nsha256='12'\nsize=1", "is not 64 lower-case hex digits"),
        (f"[[artifacts]]\nname='t'\nurl='http://e.org'\nsha256='{'0' * 64}'\nsize=1", "is not an https address"),
        (ARTIFACT.replace("'t'", "'T 1'"), "name = 'T 1' is not a lower-case identifier"),
        (ARTIFACT.replace("/t.tar", "/"), "does not end with the name of a file"),
        (ARTIFACT + "platform = 'here'\n", "platform = 'here' is not a platform such as 'linux-x86_64'"),
        (ARTIFACT + "root = '../up'\n", "root = '../up' is not a folder inside the archive"),
        (ARTIFACT + "sha265 = ''\n", "Did you mean 'sha256'?"),
        (ARTIFACT.replace("size = 1", "size = 'big'"), "[[artifacts]] size = 'big' must be of type int, not str"),
        (ARTIFACT.replace("size = 1", "size = 0"), "size = 0 is not positive"),
        (ARTIFACT + ARTIFACT, "[[artifacts]] describes t (every platform) twice"),
        (ARTIFACT + ARTIFACT + "platform = 'linux-x86_64'\n", "[[artifacts]] describes t twice"),
        ("[[environment]]\nname = 'A'\nmeaning = ''\n" * 2, "[[environment]] describes A twice"),
        ("aliases = ['a', 'b', 'a']", "[backend] aliases names 'a' twice"),
        ("aliases = ['acme']", "[backend] aliases names 'acme' twice, once as the backend's own name"),
        ("aliases = ['Acme']", "aliases = 'Acme' is not a word of lower-case letters"),
        ("companions = ['acme']", "companions names 'acme' twice, once as the backend's own name"),
        ("language = 'a-b'", "language = 'a-b' is not a lower-case Python identifier"),
        ("data = ['../x']", "data = '../x' lies outside the folder backend"),
        ("data = ['lib/a.bc']", "data names 'lib/a.bc', but "),
        ("data = ['']", "is no file. Correct the name, or add the file"),
        ("x = = 1", "is not valid TOML"),
        ("x = " + "[" * 9999 + "]" * 9999, "is not valid TOML: its values are nested too deeply"),
        ("[cmake]\n'A B' = ''", "[cmake] 'A B' is not the name of a cache entry"),
        ("[[environment]]\nname = 'A|B'\nmeaning = ''", "name = 'A|B' is not the name of a variable"),
        ("[[environment]]\nname = 'A'\nmeaning = \"1\\n2\"", "meaning of 'A' is more than one line"),
        (ARTIFACT.replace("e.org", "[::1"), "is not an address: Invalid IPv6 URL"),
        (ARTIFACT.replace("e.org", "e.org:99999"), "is not an address: Port out of range"),
    ],
)
def test_wrong_manifests_name_file_and_key(tree, extra, expected):
    assert expected in error_of(tree, extra)


@pytest.mark.parametrize("line", ["3", "three", "3.6.0", ""])
def test_a_bad_triton_version_is_shown_with_a_good_one(tree, line):
    folder = tree.backend("acme")
    file = folder / "backend.toml"
    file.write_text(file.read_text().replace('triton = "3.6"', f'triton = "{line}"'))
    with pytest.raises(ManifestError, match=rf"triton = '{line}' is not a release line such as '3.6'"):
        read_manifest(file)


@pytest.mark.parametrize("name", ["class", "none"])
def test_a_name_with_another_meaning_is_refused(tree, name):
    assert f"name = '{name}' has another meaning already" in error_of(tree, "", name)


def test_artifacts_of_different_platforms_may_share_a_name(tree):
    platforms = [ARTIFACT + f"platform = 'linux-{machine}'\n" for machine in ("x86_64", "aarch64")]
    folder = tree.backend("acme", "".join(platforms))
    assert [a.platform for a in read_manifest(folder / "backend.toml").artifacts] == ["linux-x86_64", "linux-aarch64"]


def test_missing_key_is_named(tree):
    tree.backend("acme")
    file = tree.write("third_party/acme/backend.toml", '[backend]\nname = "acme"\n')
    with pytest.raises(ManifestError, match=r"\[backend\] needs the key 'summary'"):
        read_manifest(file)


def test_missing_table_is_named(tree):
    with pytest.raises(ManifestError, match=r"the table \[backend\] is missing"):
        read_manifest(tree.write("third_party/acme/backend.toml", ""))


def test_name_must_be_that_of_the_folder(tree):
    folder = tree.backend("acme")
    folder = folder.rename(folder.with_name("other"))
    with pytest.raises(ManifestError, match="its folder is called 'other'"):
        read_manifest(folder / "backend.toml")


def test_compiler_and_driver_must_exist(tree):
    folder = tree.backend("acme")
    (folder / "backend" / "driver.py").unlink()
    with pytest.raises(ManifestError, match=r"the backend has no .*driver\.py"):
        read_manifest(folder / "backend.toml")
