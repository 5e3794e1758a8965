"""The remote cache with a real Redis server, where one is installed: the program and the Python package."""

import shutil
import socket
import subprocess
import time

import pytest
from triton import knobs
from triton.runtime.cache import RedisRemoteCacheBackend, RemoteCacheManager

from .kernels import launch_scale

redis = pytest.importorskip("redis", reason="needs the Python package redis")
SERVER = shutil.which("redis-server")
pytestmark = pytest.mark.skipif(SERVER is None, reason="needs redis-server")


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def server(port, tmp_path, monkeypatch):
    """A client of an empty server of its own, which the knobs point to."""
    command = [SERVER, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    client = redis.Redis(host="127.0.0.1", port=port)
    try:
        for _ in range(200):
            try:
                client.ping()
                break
            except redis.ConnectionError:
                assert process.poll() is None, "redis-server ended"
                time.sleep(0.02)
        with knobs.redis.scope():
            knobs.redis.host, knobs.redis.port = "127.0.0.1", port
            knobs.cache.manager_class = RemoteCacheManager
            knobs.cache.remote_manager_class = RedisRemoteCacheBackend
            yield client
    finally:
        client.close()
        process.terminate()
        process.wait()


def test_another_machine_takes_the_kernel_from_the_server(server, hits, tmp_path, monkeypatch):
    launch_scale()
    names = {key.decode().rpartition(":")[2] for key in server.scan_iter()}
    assert {"scale.obj", "scale.json", "__grp__scale.json"} <= names
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "other"))
    launch_scale()
    assert hits == [False, True]


def test_incomplete_and_damaged_entries_are_compiled_again(server, hits, tmp_path, monkeypatch):
    launch_scale()
    (group,) = (key for key in server.scan_iter() if b"__grp__" in key)
    (binary,) = server.keys("*scale.obj")
    for number, damage in enumerate([lambda: server.delete(binary), lambda: server.set(group, b"no json")]):
        damage()
        monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / f"other{number}"))
        launch_scale()
    assert hits == [False, False, False]


def test_keys_follow_the_format(server, monkeypatch):
    knobs.redis.key_format = "kernels/{key}/{filename}"
    launch_scale()
    assert all(key.startswith(b"kernels/") for key in server.scan_iter())


def test_no_server_is_an_error_that_says_what_to_do(port):
    with knobs.redis.scope():
        knobs.redis.host, knobs.redis.port = "127.0.0.1", port
        with pytest.raises(RuntimeError, match=rf"127\.0\.0\.1:{port} failed: .*TRITON_REDIS_HOST"):
            RedisRemoteCacheBackend("key").get(["file"])
