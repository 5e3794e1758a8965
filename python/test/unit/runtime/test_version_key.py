"""What the files of the installation hold is read once, then remembered until one of them changes."""

import os
import time

import pytest
from triton.runtime import version_key


@pytest.fixture
def files(tmp_path, fresh_cache):
    """Three files that nobody has touched for a while."""
    paths = [str(tmp_path / name) for name in ("a.py", "b.py", "c.py")]
    for path in paths:
        write(path, f"text of {os.path.basename(path)}")
    return paths


@pytest.fixture
def later(monkeypatch):
    """The clock of the process is ahead of the files by a minute: files that a test has just written are settled."""
    now = time.time_ns
    monkeypatch.setattr(version_key.time, "time_ns", lambda: now() + 60_000_000_000)


@pytest.fixture
def reads(monkeypatch):
    """The sets of files that were read."""
    made, real = [], version_key._content_digest
    monkeypatch.setattr(version_key, "_content_digest", lambda files: made.append(len(files)) or real(files))
    return made


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def memory(fresh_cache):
    return fresh_cache / version_key.MEMORY


def test_files_are_read_once(files, later, reads):
    first = version_key._digest(files)
    assert version_key._digest(files) == version_key._digest(files[::-1]) == first
    assert reads == [3]


def test_files_that_were_just_written_are_not_remembered(files, fresh_cache, reads):
    assert version_key._digest(files) == version_key._digest(files)
    assert reads == [3, 3] and not memory(fresh_cache).exists()


def edit(path):
    write(path, "an edit")


def same_size_and_time(path):
    status = os.stat(path)
    write(path, "TEXT OF b.py")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def other_file_of_that_name(path):
    write(path + "~", "another text")
    os.replace(path + "~", path)


@pytest.mark.parametrize("change", [edit, same_size_and_time, other_file_of_that_name])
def test_a_changed_file_is_noticed(files, later, reads, change):
    first = version_key._digest(files)
    change(files[1])
    assert version_key._digest(files) == version_key._content_digest(files) != first
    assert reads[:2] == [3, 3]


def test_a_new_and_a_missing_file_are_noticed(files, later):
    found = {version_key._digest(files[:count]) for count in (1, 2, 3)}
    assert len(found) == 3


def _flip(content):
    return content.replace(b"0", b"1", 1) if b"0" in content else content.replace(b"2", b"3", 1)


def _exchange_contents(content):
    state, _, check = content.split()
    return b" ".join((state, b"0" * 64, check))


DAMAGES = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "no text": lambda content: bytes(range(256)),
    "a digit": _flip,
    "another content": _exchange_contents,
    "words missing": lambda content: content.split()[0] + b" ",
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_memory_is_none_and_is_repaired(files, later, fresh_cache, reads, name):
    first = version_key._digest(files)
    path = memory(fresh_cache)
    path.write_bytes(DAMAGES[name](path.read_bytes()))
    assert version_key._digest(files) == first and reads == [3, 3]
    assert version_key._digest(files) == first and reads == [3, 3]


def test_a_memory_that_cannot_be_written_is_none(files, later, fresh_cache, reads):
    fresh_cache.mkdir(exist_ok=True)
    memory(fresh_cache).mkdir()
    assert version_key._digest(files) == version_key._digest(files)
    assert reads == [3, 3]


def test_the_memory_does_not_grow_without_end(files, later, fresh_cache, tmp_path):
    for number in range(40):
        write(files[0], str(number))
        version_key._digest(files)
    assert len(memory(fresh_cache).read_bytes().splitlines()) == version_key._MAX_REMEMBERED
