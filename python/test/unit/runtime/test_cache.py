"""The file cache: atomic, shared by processes, harmless when it cannot be written."""

import base64
import errno
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import triton
from triton import knobs
from triton.runtime import cache, version_key

from .kernels import launch_scale, scale

REPOSITORY_TESTS = Path(__file__).parents[3]


def test_layout(fresh_cache):
    kernel = launch_scale()
    folder = fresh_cache / cache._base32(kernel.hash)
    names = {path.name for path in folder.iterdir()}
    assert names == {"scale.ttir", "scale.tcir", "scale.llir", "scale.obj", "scale.json", "__grp__scale.json"}
    assert [path for path in fresh_cache.iterdir() if path.name != version_key.MEMORY] == [folder]
    metadata = json.loads((folder / "scale.json").read_text())
    assert metadata["hash"] == kernel.hash and metadata["target"]["backend"] == "cpu"
    for path in folder.iterdir():  # only json files may hold absolute paths
        assert path.suffix == ".json" or str(fresh_cache).encode() not in path.read_bytes()


def test_second_compile_is_a_hit_and_the_same(hits):
    first, second = launch_scale(), launch_scale()
    assert hits == [False, True]
    assert first is not second and first.hash == second.hash
    assert first.metadata == second.metadata
    assert dict(first.asm.items()) == dict(second.asm.items())


def test_options_without_effect_share_the_entry(hits):
    launch_scale()
    kernel = scale[(4,)](np.zeros(50, "f4"), np.zeros(50, "f4"), 50, 3.0, BLOCK=16, num_warps=16)
    assert hits == [False, True]
    assert kernel.metadata.num_warps == 16


def test_moved_cache_still_hits(fresh_cache, hits, tmp_path, monkeypatch):
    launch_scale()
    fresh_cache.rename(tmp_path / "moved")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "moved"))
    launch_scale()
    assert hits == [False, True]


@pytest.mark.parametrize("name", ["scale.obj", "scale.json", "__grp__scale.json"])
@pytest.mark.parametrize("damage", [b"", b"\x00" * 100, None], ids=["empty", "zeros", "missing"])
def test_damaged_entry_is_compiled_again(fresh_cache, hits, name, damage):
    kernel = launch_scale()
    path = fresh_cache / cache._base32(kernel.hash) / name
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    launch_scale()
    launch_scale()
    assert hits == [False, False, True]


def test_flipped_byte_in_the_binary_is_noticed(fresh_cache, hits):
    kernel = launch_scale()
    path = fresh_cache / cache._base32(kernel.hash) / "scale.obj"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    launch_scale()
    assert hits == [False, False]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_cache_that_cannot_be_written_is_a_warning(fresh_cache, monkeypatch, number):
    def fail(*args):
        raise OSError(number, os.strerror(number), "somewhere")

    monkeypatch.setattr(cache.os, "replace", fail)
    with pytest.warns(RuntimeWarning, match=r"cannot write somewhere.*TRITON_CACHE_DIR"):
        launch_scale()
    assert not [p for p in fresh_cache.rglob("*") if p.is_file()]  # nothing is left behind
    launch_scale()  # warns once only: warnings are errors here
    monkeypatch.undo()
    launch_scale()


def test_full_disk(hits, monkeypatch):
    """A real one, if this machine lets us make it."""
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    real = os.fdopen

    def full(descriptor, mode):
        os.close(descriptor)
        return real(os.open("/dev/full", os.O_WRONLY), mode)

    monkeypatch.setattr(cache.os, "fdopen", full)
    cache._warned.clear()
    with pytest.warns(RuntimeWarning, match="No space left.*free space"):
        launch_scale()
    monkeypatch.undo()
    launch_scale()
    launch_scale()
    assert hits == [False, False, True]


def test_cache_folder_that_is_a_file(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="cannot write"):
        launch_scale()


def test_always_compile(hits):
    launch_scale()
    knobs.compilation.always_compile = True
    launch_scale()
    assert hits == [False, False]


def test_store_binary_only(fresh_cache):
    knobs.compilation.store_binary_only = True
    kernel = launch_scale()
    folder = fresh_cache / cache._base32(kernel.hash)
    assert {p.name for p in folder.iterdir()} == {"scale.obj", "scale.json", "__grp__scale.json"}


def test_changed_setting_is_another_entry(hits):
    first = launch_scale()
    knobs.compilation.disable_line_info = True
    assert launch_scale().hash != first.hash


def test_dump_and_override(tmp_path, hits):
    knobs.cache.dump_dir = str(tmp_path / "dump")
    knobs.compilation.dump_ir = True
    launch_scale()
    (folder,) = (tmp_path / "dump").iterdir()
    assert {p.suffix for p in folder.iterdir()} == {".ttir", ".tcir", ".llir", ".obj"}
    knobs.compilation.dump_ir = False
    override = tmp_path / "override" / folder.name
    override.mkdir(parents=True)
    text = (folder / "scale.ttir").read_text()
    assert "arith.mulf" in text
    (override / "scale.ttir").write_text(text.replace("arith.mulf", "arith.addf"))
    knobs.cache.override_dir = str(tmp_path / "override")
    knobs.compilation.override = True
    knobs.compilation.always_compile = True
    scale.device_caches.clear()
    x, out = np.arange(50, dtype=np.float32), np.zeros(50, np.float32)
    scale[(4,)](x, out, 50, 3.0, BLOCK=16)
    assert (out == x + 3).all()


class MemoryCache(cache.CacheManager):
    """A cache manager of one's own."""

    files: dict[str, dict[str, str]] = {}

    def __init__(self, key, override=False, dump=False):
        self.folder = Path(knobs.cache.home_dir) / key

    def get_file(self, filename):
        path = self.folder / filename
        return str(path) if path.exists() else None

    def put(self, data, filename, binary=True):
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / filename
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return str(path)

    def get_group(self, filename):
        return self.files.get(f"{self.folder}/{filename}")

    def put_group(self, filename, group):
        self.files[f"{self.folder}/{filename}"] = group
        return ""


def test_custom_cache_manager(tmp_path, hits, monkeypatch):
    monkeypatch.setenv("TRITON_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("TRITON_CACHE_MANAGER", f"{__name__}:MemoryCache")
    launch_scale()
    launch_scale()
    assert hits == [False, True]
    assert (tmp_path / "own").exists()


def test_bad_cache_manager_names_the_variable(monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "no.such:Thing")
    with pytest.raises(ValueError, match="TRITON_CACHE_MANAGER='no.such:Thing'"):
        launch_scale()


SCRIPT = """
    import sys
    import numpy as np
    from python.test.unit.runtime.kernels import scale
    x, out = np.arange(50, dtype=np.float32), np.zeros(50, np.float32)
    kernel = scale[(4,)](x, out, 50, 3.0, BLOCK=16)
    assert (out == 3 * x).all()
    print(kernel.hash)
"""


def start(script, **env):
    repository = REPOSITORY_TESTS.parents[1]
    paths = os.pathsep.join([str(repository), str(Path(triton.__file__).parents[1])])
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": paths, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_eight_processes_compile_the_same_kernel(fresh_cache):
    processes = [start(SCRIPT) for _ in range(8)]
    outputs = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, outputs
    assert len({out for out, _ in outputs}) == 1
    (folder,) = (path for path in fresh_cache.iterdir() if path.is_dir())
    assert not [path for path in folder.iterdir() if path.name.startswith(".tmp")]
    assert launch_scale().hash + "\n" == outputs[0][0]


KILLED = (
    """
    import os, signal
    from triton.runtime import cache
    real = os.replace
    written = []
    def replace(source, target):
        if len(written) == int(os.environ["KILL_AFTER"]):
            os.kill(os.getpid(), signal.SIGKILL)
        written.append(target)
        real(source, target)
    cache.os.replace = replace
"""
    + SCRIPT
)


@pytest.mark.parametrize("after", range(6))
def test_killed_writer_leaves_no_broken_entry(fresh_cache, hits, after):
    process = start(KILLED, KILL_AFTER=str(after))
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    launch_scale()
    launch_scale()
    assert hits == [False, True]


@pytest.mark.parametrize("key", ["00", "ff" * 32, "0123456789abcdef" * 4])
def test_folders_are_named_in_base32(key):
    assert cache._base32(key) == base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")
