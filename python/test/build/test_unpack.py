"""Archives that would write outside their folder are refused before anything of them is written."""

from __future__ import annotations

import os
import tarfile

import pytest
from setup_tools import unpack as module
from setup_tools.errors import BuildError
from setup_tools.unpack import UnsafeArchiveError, unpack

from .archives import link, member, write_archive


@pytest.fixture(params=["data", "fully_trusted"])
def python_filter(request, monkeypatch):
    """Releases of Python without filters trust every entry."""
    monkeypatch.setattr(module, "_FILTER", {"filter": request.param} if module._FILTER else {})


HARDLINK = tarfile.LNKTYPE


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ([member("../evil", b"x")], "'../evil' leads out of the archive"),
        ([member("a/../../evil", b"x")], "leads out of the archive"),
        ([member("a/../b", b"x")], "leads out of the archive"),
        ([member("/tmp/evil", b"x")], "'/tmp/evil' leads out of the archive"),
        ([link("a", "/etc")], "'a' is a link out of the archive, to '/etc'"),
        ([link("a", "..")], "is a link out of the archive"),
        ([link("d/a", "../../x")], "is a link out of the archive"),
        ([link("d/a", "../b/../c")], "is a link out of the archive"),
        ([link("a", "b"), member("a/evil", b"x")], "'a/evil' lies behind a link"),
        ([link("a", "b"), member("./a/evil", b"x")], "lies behind a link"),
        ([link("a", "b"), member("a", b"x")], "'a' lies behind a link"),
        ([link("a", "b"), link("a/c", "../..")], "lies behind a link"),
        ([member("a", type=HARDLINK, linkname="/etc/passwd")], "second name of '/etc/passwd', which is no file"),
        ([member("a", type=HARDLINK, linkname="../x")], "is a second name of"),
        ([link("l", "x"), member("a", type=HARDLINK, linkname="l")], "is a second name of 'l'"),
        ([member("a", type=tarfile.CHRTYPE)], "'a' is neither a file, a folder nor a link"),
        ([member("a", type=tarfile.BLKTYPE)], "neither a file"),
        ([member("a", type=tarfile.FIFOTYPE)], "neither a file"),
    ],
)
def test_entries_that_lead_out_are_refused(python_filter, tmp_path, members, reason):
    archive = write_archive(tmp_path / "evil.tar.gz", member("good", b"x"), *members)
    folder = tmp_path / "deep" / "folder"
    folder.mkdir(parents=True)
    with pytest.raises(UnsafeArchiveError) as caught:
        unpack(archive, folder)
    assert reason in str(caught.value) and str(archive) in str(caught.value)
    assert not any(folder.iterdir()), "nothing was unpacked"
    assert sorted(os.listdir(tmp_path)) == ["deep", "evil.tar.gz"]
    assert os.listdir(tmp_path / "deep") == ["folder"]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_usual_archives_are_unpacked_whatever_their_compression(python_filter, tmp_path, mode):
    archive = write_archive(
        tmp_path / "good",
        member("./", type=tarfile.DIRTYPE),
        member("./top/file", b"content", mode=0o600),
        link("./top/lib/here", "../file"),
        link("./top/lib/far", "../../top/file"),
        member("./top/twin", type=HARDLINK, linkname="./top/file"),
        mode=mode,
    )
    unpack(archive, tmp_path / "out")
    for name in ("file", "lib/here", "lib/far", "twin"):
        assert (tmp_path / "out" / "top" / name).read_bytes() == b"content"
    assert (tmp_path / "out" / "top" / "file").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_truncated_archive_is_an_error(tmp_path, mode):
    archive = write_archive(tmp_path / "cut", member("a", os.urandom(100_000)), mode=mode)
    with archive.open("r+b") as file:
        file.truncate(archive.stat().st_size // 2)
    with pytest.raises(BuildError, match=r"cut cannot be unpacked into"):
        unpack(archive, tmp_path / "out")
