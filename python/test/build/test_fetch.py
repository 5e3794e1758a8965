"""`flagtree fetch` and bundles, on a checkout in miniature and a mirror that is a folder."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from setup_tools.artifacts import ArtifactCache, Needed
from setup_tools.bundle import export_bundle, import_bundle
from setup_tools.errors import BuildError
from triton.cli import _toolchain
from triton.cli._tree import find_tree

from .archives import NOISE, artifact_of, manifest_lines, member, toolchain, write_archive
from .checkout import Checkout, make_checkout
from .conftest import ROOT, clean_environment, run


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Backend ``acme`` needs two artifacts, ``host`` one; all are in the mirror."""
    checkout = make_checkout(tmp_path / "checkout")
    mirror = tmp_path / "mirror" / "example.org" / "files"
    tools = toolchain(mirror / "tools.tar.gz")
    data = write_archive(mirror / "data.tar.xz", member("data/x", b"x"), mode="w:xz")
    lines = [manifest_lines(artifact_of(tools)), manifest_lines(artifact_of(data, name="data", root=""))]
    checkout.backend("acme", 'aliases = ["acme-gpu"]\n' + "".join(lines))
    common = write_archive(mirror / "common.tar", member("c", b"c"), mode="w")
    checkout.backend("host", "always = true\n" + manifest_lines(artifact_of(common, name="common", root="")))
    return checkout


def environment(folder: Path) -> dict[str, str]:
    return {
        **clean_environment(),
        "FLAGTREE_CACHE_DIR": str(folder / "cache"),
        "FLAGTREE_ARTIFACT_MIRROR": str(folder / "mirror"),
        "PYTHONPATH": str(ROOT / "python"),
    }


@pytest.fixture
def fetch(checkout, tmp_path):
    """Runs ``flagtree fetch --root checkout`` with these arguments; returns status and output."""

    def call(*arguments: str | Path, **env: str):
        command = (sys.executable, "-m", "triton.cli", "fetch", "--root", checkout.root, *arguments)
        done = run(*command, cwd=tmp_path, env={**environment(tmp_path), **env})
        return done.returncode, done.stdout

    return call


def test_the_default_is_what_a_build_would_need(fetch):
    status, output = fetch()
    assert status == 0 and "host/common" in output and "acme" not in output
    status, output = fetch(FLAGTREE_BACKEND="acme")
    assert status == 0 and "acme/tools" in output and "acme/data" in output


def test_backends_are_named_or_all_are_taken(fetch, tmp_path):
    status, output = fetch("acme-gpu")
    assert status == 0, output
    folders = dict(line.split("  ") for line in output.splitlines() if "  " in line)
    assert set(folders) == {"acme/tools", "acme/data", "host/common"}
    assert Path(folders["acme/tools"], "bin", "tool").is_file()
    status, output = fetch("--all")
    assert status == 0 and "fetching" not in output, "all of it is in the cache"


def test_an_unknown_backend_is_an_error_with_the_nearest(fetch):
    status, output = fetch("acm")
    assert status == 2 and "there is no such backend. Did you mean 'acme'?" in output


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--all", "acme"), "--all is every backend"),
        (("--platform", "win"), "'win' is not a platform such as 'linux-x86_64'"),
    ],
    ids=" ".join,
)
def test_requests_that_mean_nothing_are_refused(fetch, words, expected):
    status, output = fetch(*words)
    assert status == 2 and f"flagtree: error: {expected}" in output


def test_check_says_what_is_there_and_fetches_nothing(fetch, tmp_path):
    status, output = fetch("acme", "--check")
    assert status == 1 and "acme/tools" in output and "missing" in output
    assert not (tmp_path / "cache").exists()
    fetch("acme")
    status, output = fetch("acme", "--check", "--json")
    content = json.loads(output)
    assert status == 0 and content["ok"] and {row["state"] for row in content["artifacts"]} == {"ready"}


def test_json_is_one_object_on_standard_output(checkout, tmp_path):
    command = [sys.executable, "-m", "triton.cli", "fetch", "--root", os.fspath(checkout.root), "--json"]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, check=True)
    content = json.loads(done.stdout)
    assert content["command"] == "fetch" and content["artifacts"][0]["artifact"] == "host/common"
    assert done.stderr.startswith("fetching common")


def test_a_pipe_gets_no_progress_and_a_terminal_does(checkout, tmp_path):
    env = environment(tmp_path)
    command = [sys.executable, "-m", "triton.cli", "fetch", "--root", os.fspath(checkout.root), "acme"]
    leader, follower = pty.openpty()
    actions = [(os.POSIX_SPAWN_DUP2, follower, descriptor) for descriptor in (1, 2)]
    pid = os.posix_spawn(command[0], command, env, file_actions=actions)
    os.close(follower)
    output = b""
    while True:
        try:
            block = os.read(leader, 4096)
        except OSError:  # the terminal is gone with its last user
            break
        if not block:
            break
        output += block
    os.close(leader)
    assert os.waitpid(pid, 0)[1] == 0, output
    assert b"MiB of" in output and b"\r\x1b[K" in output
    done = run(*command, cwd=tmp_path, env={**env, "FLAGTREE_CACHE_DIR": str(tmp_path / "other")})
    assert done.returncode == 0 and "\r" not in done.stdout and "MiB of" not in done.stdout


def test_a_bundle_carries_everything_to_a_machine_without_network(fetch, tmp_path):
    bundle = tmp_path / "bundle.tar"
    status, output = fetch("acme", "--export", bundle)
    assert status == 0 and f"wrote {bundle}" in output
    away = {"FLAGTREE_CACHE_DIR": str(tmp_path / "away"), "FLAGTREE_ARTIFACT_MIRROR": "", "TRITON_OFFLINE_BUILD": "1"}
    status, output = fetch("acme", **away)
    assert status == 2 and "TRITON_OFFLINE_BUILD forbids fetching" in output
    status, output = fetch("--import", bundle, **away)
    assert status == 0 and output.count("imported acme/") == 2 and "imported host/common" in output
    status, output = fetch("acme", **away)
    assert status == 0 and "fetching" not in output


def test_outside_of_a_checkout_it_says_so(tmp_path):
    package = tmp_path / "installed" / "triton"
    package.parent.mkdir()
    package.symlink_to(ROOT / "python" / "triton")
    env = {"PYTHONPATH": str(package.parent)}
    done = run(sys.executable, "-m", "triton.cli", "fetch", cwd=tmp_path, env=env)
    assert done.returncode == 2 and "is an installed package and" in done.stdout and "--root" in done.stdout


@pytest.fixture
def packed(tmp_path):
    """A cache that holds one artifact, and the bundle of it."""
    archive = toolchain(tmp_path / "tools.tar.gz")
    artifact = artifact_of(archive)
    cache = ArtifactCache(tmp_path / "cache", lambda text: None)
    cache.provide(artifact, archive.as_uri(), lambda done, total: None)
    bundle = tmp_path / "bundle.tar"
    export_bundle(bundle, [Needed("acme", artifact), Needed("other", artifact)], cache)
    return artifact, bundle


def entries_of(bundle: Path) -> dict[str, bytes]:
    with tarfile.open(bundle) as tar:
        return {info.name: tar.extractfile(info).read() for info in tar}  # pyright: ignore


def rewrite(bundle: Path, entries: dict[str, bytes]) -> None:
    write_archive(bundle, *(member(name, content) for name, content in entries.items()), mode="w")


def test_an_archive_that_two_backends_share_is_in_the_bundle_once(packed):
    artifact, bundle = packed
    assert list(entries_of(bundle)) == ["bundle.json", artifact.sha256]


def test_the_same_artifacts_make_the_same_bundle(packed, tmp_path):
    artifact, bundle = packed
    cache = ArtifactCache(tmp_path / "cache", lambda text: None)
    export_bundle(tmp_path / "again.tar", [Needed("acme", artifact), Needed("other", artifact)], cache)
    assert (tmp_path / "again.tar").read_bytes() == bundle.read_bytes()


def test_a_bundle_takes_the_place_of_files_only(tmp_path):
    """A rename would put it in the place of a device such as /dev/null, too."""
    pipe, cache = tmp_path / "pipe", ArtifactCache(tmp_path / "cache", lambda text: None)
    os.mkfifo(pipe)
    for place in (pipe, tmp_path):
        with pytest.raises(BuildError, match=f"{place} is no file and is not replaced by one"):
            export_bundle(place, [], cache)
    assert pipe.is_fifo()


def test_an_archive_that_two_backends_list_is_imported_once(packed, tmp_path):
    artifact, bundle = packed
    entries = entries_of(bundle)
    index = json.loads(entries["bundle.json"])
    index["artifacts"] *= 2
    rewrite(bundle, {**entries, "bundle.json": json.dumps(index).encode()})
    cache = ArtifactCache(tmp_path / "new", lambda text: None)
    assert import_bundle(bundle, cache) == ["other/tools"] * 2
    assert cache.state(artifact).kind == "packed"


def flip(content: bytes) -> bytes:
    return content[:1000] + bytes([content[1000] ^ 1]) + content[1001:]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda sha, e: {**e, sha: flip(e[sha])}, "the archive of tools is damaged: its sha256 is"),
        (lambda sha, e: {**e, sha: e[sha][:-1]}, "is damaged: it has"),
        (lambda sha, e: {"bundle.json": e["bundle.json"]}, "lists tools, but lacks its archive"),
        (lambda sha, e: {**e, "../evil": b"x"}, "holds '../evil', which its bundle.json does not list"),
        (lambda sha, e: {sha: e[sha]}, "its first entry is not bundle.json"),
        (lambda sha, e: {**e, "bundle.json": b"{"}, "its bundle.json is damaged"),
        (lambda sha, e: {**e, "bundle.json": b"[" * 99999}, "its bundle.json is damaged"),
        (lambda sha, e: {**e, "bundle.json": b'{"format": 9, "artifacts": []}'}, "has format 9"),
        (lambda sha, e: {**e, "bundle.json": b'{"format": 1, "artifacts": [{}]}'}, "its bundle.json is damaged"),
        (
            lambda sha, e: {**e, "bundle.json": e["bundle.json"].replace(sha.encode(), b"../../evil")},
            "sha256 = '../../evil' is not 64",
        ),
    ],
)
def test_a_wrong_bundle_changes_nothing(packed, tmp_path, change, reason):
    artifact, bundle = packed
    rewrite(bundle, change(artifact.sha256, entries_of(bundle)))
    cache = ArtifactCache(tmp_path / "new", lambda text: None)
    with pytest.raises(BuildError) as caught:
        import_bundle(bundle, cache)
    assert reason in str(caught.value) and str(bundle) in str(caught.value)
    assert list(cache.root.iterdir()) == []


def test_a_truncated_bundle_changes_nothing(packed, tmp_path):
    _, bundle = packed
    with bundle.open("r+b") as file:
        file.truncate(len(NOISE) // 2)
    cache = ArtifactCache(tmp_path / "new", lambda text: None)
    with pytest.raises(BuildError):
        import_bundle(bundle, cache)
    assert list(cache.root.iterdir()) == []


def test_something_else_is_no_bundle(tmp_path):
    (tmp_path / "file").write_bytes(b"text")
    with pytest.raises(BuildError, match="cannot be read as a bundle of artifacts"):
        import_bundle(tmp_path / "file", ArtifactCache(tmp_path / "new", lambda text: None))


@pytest.mark.parametrize(("offline", "level"), [("", "note"), ("1", "problem")])
def test_doctor_says_what_has_not_been_fetched(checkout, tmp_path, monkeypatch, offline, level):
    mirror = str(tmp_path / "mirror")
    settings = {
        "FLAGTREE_BACKEND": "acme",
        "FLAGTREE_CACHE_DIR": str(tmp_path / "cache"),
        "TRITON_OFFLINE_BUILD": offline,
    }
    for name, value in {**settings, "TRITON_PLUGIN_DIRS": str(checkout.root / "third_party" / "acme")}.items():
        monkeypatch.setenv(name, value)
    tree = find_tree(str(ROOT))
    found = {finding.subject: finding for finding in _toolchain._selection(tree)}
    assert found["acme/tools"].level == level and found["acme/tools"].fix == "flagtree fetch acme"
    command = (sys.executable, "-m", "triton.cli", "fetch", "--root", ROOT)
    env = {**settings, "FLAGTREE_ARTIFACT_MIRROR": mirror, "TRITON_PLUGIN_DIRS": os.environ["TRITON_PLUGIN_DIRS"]}
    done = run(*command, cwd=tmp_path, env={**env, "PYTHONPATH": str(ROOT / "python")})
    assert done.returncode == 0, done.stdout
    found = {finding.subject: finding for finding in _toolchain._selection(tree)}
    assert found["acme/tools"].level == "ok" and "in the cache" in found["acme/tools"].text
