"""flagtree cache: what counts as a kernel, what prune removes, and what happens when others use the folder."""

from __future__ import annotations

import argparse
import contextlib
import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from triton.cli import cache
from triton.runtime.cache import FileCacheManager, get_cache_manager

KEYS = [digit * 52 for digit in "ABCDEF"]
HOUR = 3600


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


def kernel(folder, key, size=1000, hours_old=1.0):
    (folder / key).mkdir()
    file = folder / key / "k.obj"
    file.write_bytes(b"x" * size)
    then = time.time() - hours_old * HOUR
    for path in (file, folder / key):
        os.utime(path, (then, then))
    return folder / key


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_path(flagtree, folder):
    assert flagtree("cache", "path").out == f"{folder}\n"
    assert flagtree("cache", "path", "--json").json == {
        "command": "cache path",
        "ok": True,
        "path": str(folder),
        "exists": True,
    }


def test_size_counts_kernels_only(flagtree, folder):
    kernel(folder, KEYS[0])
    kernel(folder, KEYS[1], 500)
    (folder / "notes").mkdir()
    found = flagtree("cache", "size", "--json").json
    assert (found["kernels"], found["bytes"], found["other_entries"]) == (2, 1500, 1)
    assert "2 kernels, 1.5 KiB" in flagtree("cache", "size").out


def test_a_key_of_the_runtime_is_a_kernel(flagtree, folder):
    manager = get_cache_manager("ab" * 32)
    manager.put(b"code", "k.obj")
    assert [os.path.basename(entry.path) for entry in cache.scan(str(folder))] == [os.path.basename(manager.cache_dir)]


def test_a_folder_that_is_not_there_is_empty(flagtree, folder):
    folder.rmdir()
    assert flagtree("cache", "size", "--json").json["kernels"] == 0
    assert flagtree("cache", "prune", "--max-size", "0").status == 0


def test_prune_by_age(flagtree, folder):
    kernel(folder, KEYS[0], hours_old=50)
    kernel(folder, KEYS[1], hours_old=2)
    assert flagtree("cache", "prune", "--older-than", "1d", "--json").json["removed"] == [KEYS[0]]
    assert left(folder) == [KEYS[1]]


def test_prune_by_size_removes_the_oldest_first(flagtree, folder):
    for hours, key in enumerate(KEYS, 1):
        kernel(folder, key, hours_old=hours)
    done = flagtree("cache", "prune", "--max-size", "2500", "--json").json
    assert left(folder) == KEYS[:2]
    assert (done["removed_bytes"], done["left_bytes"]) == (4000, 2000)


def test_reading_counts_as_use(flagtree, folder):
    path = kernel(folder, KEYS[0], hours_old=50)
    os.utime(path / "k.obj", (time.time() - HOUR, time.time() - 50 * HOUR))
    assert flagtree("cache", "prune", "--older-than", "1d", "--json").json["removed"] == []


def test_a_kernel_that_may_be_in_the_making_stays(flagtree, folder):
    kernel(folder, KEYS[0], hours_old=0.1)
    flagtree("cache", "prune", "--max-size", "0", "--older-than", "0s")
    assert left(folder) == [KEYS[0]]


def test_dry_run_removes_nothing(flagtree, folder):
    kernel(folder, KEYS[0])
    done = flagtree("cache", "prune", "--max-size", "0", "--dry-run")
    assert "would remove 1 of 1 kernels" in done.out and left(folder) == [KEYS[0]]


def test_only_kernels_are_removed(flagtree, folder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").touch()
    (folder / KEYS[1]).symlink_to(tmp_path / "elsewhere")
    (folder / "photos").mkdir()
    (folder / KEYS[2]).write_text("a file")
    kernel(folder, KEYS[0])
    flagtree("cache", "prune", "--max-size", "0")
    assert left(folder) == sorted([KEYS[1], KEYS[2], "photos"])
    assert (tmp_path / "elsewhere" / "file").exists()


def test_what_a_killed_prune_left_behind_goes(flagtree, folder):
    (folder / ".pruned-12").mkdir()
    (folder / ".pruned-12" / "file").touch()
    old, new = folder / ".tmp-old", folder / ".tmp-new"
    old.touch()
    new.touch()
    os.utime(old, (time.time() - HOUR, time.time() - HOUR))
    flagtree("cache", "prune", "--older-than", "1d")
    assert left(folder) == [".tmp-new"]


def test_a_kernel_used_since_it_was_chosen_stays(folder):
    path = kernel(folder, KEYS[0])
    (entry,) = cache.scan(str(folder))
    os.utime(path / "k.obj")
    assert not cache._remove(str(folder), entry)
    assert path.exists()


def test_a_kernel_that_another_prune_took_is_no_error(folder):
    path = kernel(folder, KEYS[0])
    (entry,) = cache.scan(str(folder))
    (path / "k.obj").unlink()
    path.rmdir()
    assert not cache._remove(str(folder), entry)


def test_prunes_and_readers_at_once(folder):
    """Every removal is counted once, and what a reader can open is whole."""
    for number in range(200):
        kernel(folder, cache_key(number), 10)
        FileCacheManager(cache_key(number)).put_group("k", {"k.obj": "k.obj"})
    # Far in the future, because what is read meanwhile would be spared.
    entries = [replace(entry, used=time.time() + HOUR) for entry in cache.scan(str(folder))]
    removed: list[str] = []
    contents: list[bytes] = []
    stop, started = threading.Event(), threading.Event()

    def read():
        while not stop.is_set():
            for number in range(0, 200, 7):
                group = FileCacheManager(cache_key(number)).get_group("k")
                with contextlib.suppress(FileNotFoundError):
                    contents.extend(Path(path).read_bytes() for path in (group or {}).values())
            started.set()

    def prune():
        removed.extend(entry.path for entry in entries if cache._remove(str(folder), entry))

    threads = [threading.Thread(target=prune) for _ in range(3)]
    reader = threading.Thread(target=read)
    reader.start()
    started.wait()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    reader.join()
    assert sorted(removed) == sorted(entry.path for entry in entries)
    assert left(folder) == []
    assert set(contents) == {b"x" * 10}


def cache_key(number: int) -> str:
    digits = "".join("ABCDEFGHIJ"[int(digit)] for digit in f"{number:04d}")
    return digits.rjust(52, "A")


def test_errors(flagtree, folder, tmp_path):
    outcome = flagtree("cache", "prune")
    assert outcome.status == 2 and "prune needs a limit" in outcome.err
    outcome = flagtree("cache", "size", "--dry-run")
    assert outcome.status == 2 and "belong to 'flagtree cache prune'" in outcome.err
    outcome = flagtree("cache", "prune", "--max-size", "many")
    assert outcome.status == 2 and "'many' is no size; write for example 500M" in outcome.err
    (tmp_path / "file").touch()
    outcome = flagtree("cache", "size", "--dir", tmp_path / "file")
    assert outcome.status == 2 and f"{tmp_path / 'file'} is a file" in outcome.err


@pytest.mark.parametrize(
    ("text", "value"), [("1500", 1500), ("2K", 2048), ("1.5MiB", 3 << 19), ("2g", 2 << 30), ("1TB", 1 << 40)]
)
def test_sizes(text, value):
    assert cache.parse_size(text) == value


@pytest.mark.parametrize(("text", "value"), [("90m", 5400), ("12h", 43200), ("1.5d", 129600), ("2W", 1209600)])
def test_ages(text, value):
    assert cache.parse_age(text) == value


@pytest.mark.parametrize("text", ["", "3", "-3d", "d", "3 days"])
def test_bad_ages(text):
    with pytest.raises(argparse.ArgumentTypeError):
        cache.parse_age(text)
