"""Files of compiled kernels: ``<cache dir>/<base32 of the key>/<file>``.

Every file appears under its name only when it is complete: it is written beside its place and moved there. So
processes that compile the same kernel at once, a killed process and a full disk leave no half-written file. A cache
that cannot be written is a warning, not an error: the kernel in memory works.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from .. import knobs
from .version_key import compiler_key

triton_key = compiler_key  # the name by which other software asks for the key of the whole installation

__all__ = [
    "CacheManager",
    "FileCacheManager",
    "RedisRemoteCacheBackend",
    "RemoteCacheBackend",
    "RemoteCacheManager",
    "get_cache_key",
    "get_cache_manager",
    "get_dump_manager",
    "get_override_manager",
    "triton_key",
]


class CacheManager(ABC):
    """Files of one key. `put` and `get` name a file, `put_group` and `get_group` a set of files."""

    def __init__(self, key: str, override: bool = False, dump: bool = False):
        """`key` is a hex digest."""

    @abstractmethod
    def get_file(self, filename: str) -> str | None:
        """Path of `filename` if it is there."""

    @abstractmethod
    def put(self, data: bytes | str, filename: str, binary: bool = True) -> str:
        """Stores `data` and returns the path of the file."""

    @abstractmethod
    def get_group(self, filename: str) -> dict[str, str] | None:
        """Names and paths of the files of group `filename`; None unless all of them are there."""

    @abstractmethod
    def put_group(self, filename: str, group: dict[str, str]) -> str:
        """Records `group`, names and paths. Called after its files were stored."""


def write_atomically(path: str, data: bytes) -> None:
    """OSError when it fails; `path` is then as it was before, and nothing is left beside it."""
    import tempfile  # and its many imports: not for those who only read

    descriptor, temporary = tempfile.mkstemp(prefix=".tmp-", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    global _UMASK
    if _UMASK is None:
        _UMASK = os.umask(0)
        os.umask(_UMASK)
    return _UMASK


_UMASK: int | None = None
_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_warned: set[str] = set()


def warn_unwritable(path: str, error: OSError) -> None:
    """One warning per folder and cause. Compiled kernels are used all the same."""
    folder = knobs.cache.dir
    cause = errno.errorcode.get(error.errno or 0, "error")
    if f"{folder}:{cause}" in _warned:
        return
    _warned.add(f"{folder}:{cause}")
    advice = "free space there" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "make it writable"
    warnings.warn(
        f"triton: cannot write {path}: {error.strerror or error}. Kernels are compiled again in every process until "
        f"this is repaired: {advice}, or set TRITON_CACHE_DIR to another folder",
        RuntimeWarning,
        stacklevel=2,
    )


class FileCacheManager(CacheManager):
    """The files of one key in the folder of `knobs.cache.dir` that bears its name.

    With `override` or `dump` the folder is in `override_dir` or `dump_dir` instead.
    """

    def __init__(self, key: str, override: bool = False, dump: bool = False):
        self.key = key
        root = knobs.cache.override_dir if override else knobs.cache.dump_dir if dump else knobs.cache.dir
        if not root:
            raise RuntimeError("triton: no cache folder; set TRITON_CACHE_DIR or HOME")
        self.cache_dir = os.path.join(root, key)
        if dump:
            os.makedirs(self.cache_dir, exist_ok=True)

    def _path(self, filename: str) -> str:
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename: str) -> bool:
        return os.path.exists(self._path(filename))

    def get_file(self, filename: str) -> str | None:
        path = self._path(filename)
        return path if os.path.exists(path) else None

    def put(self, data: bytes | str, filename: str, binary: bool = True) -> str:
        path = self._path(filename)
        content = data if isinstance(data, bytes) else str(data).encode("utf-8")
        os.makedirs(self.cache_dir, exist_ok=True)
        try:
            write_atomically(path, content)
        except FileNotFoundError:  # another process removed the folder in between
            os.makedirs(self.cache_dir, exist_ok=True)
            write_atomically(path, content)
        return path

    def get_group(self, filename: str) -> dict[str, str] | None:
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        try:
            with open(path, encoding="utf-8") as file:
                names = list(json.load(file)["child_paths"])
        except (OSError, ValueError, KeyError, TypeError):
            return None  # not ours, or damaged: the kernel is compiled again
        # The folder may have been moved since, so only the names count.
        paths = {name: self._path(name) for name in names}
        return paths if all(map(os.path.exists, paths.values())) else None

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


class RemoteCacheBackend(ABC):
    """A store of files outside of this machine, for `RemoteCacheManager`."""

    def __init__(self, key: str):
        """`key` is the name of the folder that the files would have locally."""

    @abstractmethod
    def get(self, filenames: list[str]) -> dict[str, bytes]:
        """The contents of those of `filenames` that are there."""

    @abstractmethod
    def put(self, filename: str, data: bytes) -> None:
        """Stores a file."""


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """Files in a Redis server, under the keys that `knobs.redis.key_format` makes of a kernel's key and a file's name.

    Needs the Python package redis. RuntimeError, with address and cause, when the server does not answer or refuses.
    """

    def __init__(self, key: str):
        try:
            import redis
        except ImportError as error:
            message = "triton: RedisRemoteCacheBackend needs the Python package redis: pip install redis"
            raise RuntimeError(message) from error
        self._key = key
        self._key_format = knobs.redis.key_format
        self._address = f"{knobs.redis.host}:{knobs.redis.port}"
        self._errors = redis.RedisError
        self._client = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)

    def _name(self, filename: str) -> str:
        return self._key_format.format(key=self._key, filename=filename)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except self._errors as error:
            raise RuntimeError(
                f"triton: the remote cache at redis server {self._address} failed: {error}. Start the server, set "
                "TRITON_REDIS_HOST and TRITON_REDIS_PORT, or unset TRITON_CACHE_MANAGER"
            ) from error

    def get(self, filenames: list[str]) -> dict[str, bytes]:
        with self._explained():
            contents = self._client.mget([self._name(name) for name in filenames]) if filenames else []
        return {name: data for name, data in zip(filenames, contents) if data is not None}

    def put(self, filename: str, data: bytes) -> None:
        with self._explained():
            self._client.set(self._name(filename), data)


class RemoteCacheManager(CacheManager):
    """Files of a remote store, copied to the local cache when they are read."""

    def __init__(self, key: str, override: bool = False, dump: bool = False):
        backend = knobs.cache.remote_manager_class
        if backend is None:
            raise RuntimeError("triton: RemoteCacheManager needs TRITON_REMOTE_CACHE_BACKEND=module:Class")
        self._remote = backend(key)
        self._local = FileCacheManager(key, override=override, dump=dump)

    def get_file(self, filename: str) -> str | None:
        found = self._remote.get([filename])
        return self._local.put(found[filename], filename) if filename in found else None

    def put(self, data: bytes | str, filename: str, binary: bool = True) -> str:
        content = data if isinstance(data, bytes) else str(data).encode("utf-8")
        self._remote.put(filename, content)
        return self._local.put(content, filename, binary)

    def get_group(self, filename: str) -> dict[str, str] | None:
        index = self._remote.get([f"__grp__{filename}"]).get(f"__grp__{filename}")
        if index is None:
            return None
        try:
            names = list(json.loads(index)["child_paths"])
        except (ValueError, KeyError, TypeError):
            return None  # not ours, or damaged: the kernel is compiled again
        found = self._remote.get(names)
        if set(found) != set(names):
            return None
        return {name: self._local.put(data, name) for name, data in found.items()}

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


def _base32(key: str) -> str:
    """The folder name of a hex digest, as `base64.b32encode` writes it, without padding and without its imports."""
    count = -(-4 * len(key) // 5)
    number = int(key, 16) << 5 * count - 4 * len(key)
    return "".join(_BASE32[number >> 5 * place & 31] for place in reversed(range(count)))


def get_cache_manager(key: str) -> CacheManager:
    return knobs.cache.manager_class(_base32(key))


def get_override_manager(key: str) -> CacheManager:
    return knobs.cache.manager_class(_base32(key), override=True)


def get_dump_manager(key: str) -> CacheManager:
    return knobs.cache.manager_class(_base32(key), dump=True)


def get_cache_key(src: Any, backend: Any, backend_options: Any, env_vars: Any) -> str:
    """Text whose sha256 names a compiled kernel: compiler, source, backend, options, settings."""
    settings = sorted(env_vars.items()) if isinstance(env_vars, dict) else env_vars
    compiler = compiler_key(type(backend).__module__)
    return f"{compiler}-{src.hash()}-{backend.hash()}-{backend_options.hash()}-{settings}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
