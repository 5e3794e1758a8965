"""Artifacts in the cache: fetched once, verified at each use, made again where damaged."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest
from setup_tools.artifacts import ArtifactCache, address, cache_root, needed_artifacts
from setup_tools.environment import Environment
from setup_tools.errors import BuildError
from setup_tools.registry import read_registry

from .archives import artifact_of, manifest_lines, member, toolchain, write_archive


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """A folder that holds the archive as a mirror does; its address is the source of the tests."""
    return toolchain(tmp_path / "mirror" / "example.org" / "files" / "tools.tar.gz")


class Recorder:
    def __init__(self) -> None:
        self.said: list[str] = []
        self.progress: list[tuple[int, int]] = []

    def __call__(self, text: str) -> None:
        self.said.append(text)

    def step(self, done: int, total: int) -> None:
        self.progress.append((done, total))


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def cache(tmp_path: Path, recorder: Recorder) -> ArtifactCache:
    return ArtifactCache(tmp_path / "cache", recorder)


def test_it_is_fetched_verified_and_unpacked(cache, mirror, recorder):
    artifact = artifact_of(mirror)
    folder = cache.provide(artifact, mirror.as_uri(), recorder.step)
    assert folder == cache.root / "unpacked" / artifact.sha256 / "tree" / "tools-1"
    assert (folder / "bin/tool").read_bytes() == b"#!/bin/sh\n"
    assert (folder / "lib/liba.so").resolve() == folder / "lib/liba.so.1"
    assert stat.S_IMODE((folder / "bin/tool").stat().st_mode) == 0o755, "set-user-id is not carried over"
    assert recorder.progress[-1] == (artifact.size, artifact.size)
    assert [text.split()[0] for text in recorder.said] == ["fetching", "unpacking"]


def test_the_second_time_nothing_is_done(cache, mirror, recorder):
    artifact = artifact_of(mirror)
    first = cache.provide(artifact, mirror.as_uri(), recorder.step)
    mirror.unlink()
    recorder.said.clear()
    assert cache.provide(artifact, mirror.as_uri(), recorder.step) == first
    assert recorder.said == []


def test_a_wrong_digest_names_both_and_keeps_nothing(cache, mirror, recorder):
    artifact = artifact_of(mirror)
    content = bytearray(mirror.read_bytes())
    content[1000] ^= 1
    mirror.write_bytes(content)
    with pytest.raises(BuildError, match=f"its sha256 is [0-9a-f]{{64}} instead of {artifact.sha256}"):
        cache.provide(artifact, mirror.as_uri(), recorder.step)
    assert not list((cache.root / "archives").iterdir())
    assert not (cache.root / "unpacked").exists()


@pytest.mark.parametrize(("change", "what"), [(b"x", "longer than"), (b"", "instead of")], ids=["long", "short"])
def test_a_wrong_size_is_named(cache, mirror, recorder, change, what):
    artifact = artifact_of(mirror)
    mirror.write_bytes(mirror.read_bytes() + change if change else mirror.read_bytes()[:-1])
    with pytest.raises(BuildError) as caught:
        cache.provide(artifact, mirror.as_uri(), recorder.step)
    assert what in str(caught.value) or "the transfer broke off" in str(caught.value)
    assert not cache.archive(artifact).exists()


def damage_archive_bit(cache, artifact):
    content = bytearray(cache.archive(artifact).read_bytes())
    content[5000] ^= 1
    cache.archive(artifact).write_bytes(content)
    shutil.rmtree(cache.root / "unpacked")


def damage_archive_end(cache, artifact):
    with cache.archive(artifact).open("r+b") as file:
        file.truncate(artifact.size // 2)
    shutil.rmtree(cache.root / "unpacked")


def damage_file(cache, artifact):
    with (cache.folder(artifact) / "lib/liba.so.1").open("r+b") as file:
        file.truncate(10)


def damage_content(cache, artifact):
    (cache.folder(artifact) / "bin/tool").write_bytes(b"#!/bin/ls\n")  # of the same size


def damage_link(cache, artifact):
    link = cache.folder(artifact) / "lib/liba.so"
    link.unlink()
    link.symlink_to("/etc/passwd")


def damage_deleted(cache, artifact):
    (cache.folder(artifact) / "bin/tool").unlink()


def damage_record(cache, artifact):
    (cache.root / "unpacked" / artifact.sha256 / "record").write_text("{")


@pytest.mark.parametrize(
    ("damage", "refetched"),
    [
        (damage_archive_bit, True),
        (damage_archive_end, True),
        (damage_file, False),
        (damage_content, False),
        (damage_link, False),
        (damage_deleted, False),
        (damage_record, False),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_damage_in_the_cache_is_noticed_and_repaired(cache, mirror, recorder, damage, refetched):
    artifact = artifact_of(mirror)
    folder = cache.provide(artifact, mirror.as_uri(), recorder.step)
    damage(cache, artifact)
    recorder.said.clear()
    assert cache.provide(artifact, mirror.as_uri(), recorder.step) == folder
    assert (folder / "bin/tool").read_bytes() == b"#!/bin/sh\n"
    assert os.readlink(folder / "lib/liba.so") == "liba.so.1"
    assert any("is damaged" in text and "fetching it again" in text for text in recorder.said) is refetched
    assert any(text.startswith("unpacking") for text in recorder.said)


def test_leftovers_of_a_killed_process_do_not_matter(cache, mirror, recorder):
    artifact = artifact_of(mirror)
    half = cache.root / "unpacked" / f".{artifact.sha256}.new" / "tree"
    half.mkdir(parents=True)
    (half / "stray").touch()
    part = cache.root / "archives" / f"{artifact.sha256}.part"
    part.parent.mkdir()
    part.write_bytes(b"rubbish of an interrupted transfer")
    folder = cache.provide(artifact, mirror.as_uri(), recorder.step)
    assert not (folder.parent / "stray").exists() and not part.exists() and not half.parent.exists()


def test_a_root_that_the_archive_lacks_is_named(cache, mirror, recorder):
    with pytest.raises(BuildError, match=r"holds no folder 'tools-2', which the manifest names as its root"):
        cache.provide(artifact_of(mirror, root="tools-2"), mirror.as_uri(), recorder.step)


def test_an_archive_of_another_kind_is_refused(cache, tmp_path, recorder):
    file = tmp_path / "tools.zip"
    file.write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(BuildError, match="It must be a tar archive"):
        cache.provide(artifact_of(file), file.as_uri(), recorder.step)
    assert not list((cache.root / "unpacked").iterdir())


def test_a_missing_file_of_a_mirror_is_named_with_the_way_out(cache, mirror, recorder):
    artifact = artifact_of(mirror)
    mirror.unlink()
    with pytest.raises(BuildError, match=r"tools\.tar\.gz could not be fetched: .*FLAGTREE_ARTIFACT_MIRROR"):
        cache.provide(artifact, mirror.as_uri(), recorder.step)


def test_a_cache_that_cannot_be_written_is_named(mirror, tmp_path, recorder):
    (tmp_path / "file").touch()
    with pytest.raises(BuildError, match=r"file/cache/locks.* cannot be locked"):
        ArtifactCache(tmp_path / "file" / "cache", recorder).provide(
            artifact_of(mirror), mirror.as_uri(), recorder.step
        )


@pytest.mark.parametrize(
    ("mirror", "expected"),
    [
        ("", "https://example.org/files/a.tar"),
        ("https://mirror.test/base/", "https://mirror.test/base/example.org/files/a.tar"),
        ("file:///srv/mirror", "file:///srv/mirror/example.org/files/a.tar"),
        ("/srv/my mirror", "file:///srv/my%20mirror/example.org/files/a.tar"),
    ],
)
def test_where_an_artifact_is_fetched_from(tmp_path, mirror, expected):
    artifact = artifact_of(write_archive(tmp_path / "a.tar", member("a"), mode="w"))
    assert address(artifact, mirror) == expected


def test_where_the_cache_is():
    assert cache_root(Environment({"FLAGTREE_CACHE_DIR": "/a/b"})) == Path("/a/b")
    assert cache_root(Environment({"XDG_CACHE_HOME": "/x"})) == Path("/x/flagtree")
    assert cache_root(Environment({})) == Path.home() / ".cache" / "flagtree"
    with pytest.raises(BuildError, match=r"FLAGTREE_CACHE_DIR: there is no home folder for ~nobody-here/x"):
        cache_root(Environment({"FLAGTREE_CACHE_DIR": "~nobody-here/x"}))


def test_only_artifacts_of_this_platform_are_needed(tree, mirror):
    artifact = artifact_of(mirror)
    text = "".join(manifest_lines(artifact) + f"platform = '{name}'\n" for name in ("linux-x86_64", "linux-aarch64"))
    other = manifest_lines(artifact_of(mirror, name="data"))
    tree.backend("acme", text + other)
    manifests = read_registry(tree.root, {}).manifests.values()
    found = needed_artifacts(manifests, "linux-aarch64")
    assert [(n.label, n.artifact.platform) for n in found] == [("acme/tools", "linux-aarch64"), ("acme/data", "")]
    assert found[0].cmake_entry == "TRITON_ARTIFACT_DIR_acme_tools"
