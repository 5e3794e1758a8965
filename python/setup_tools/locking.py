"""Locks between processes. The operating system releases them when their holder dies, however it dies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from .errors import BuildError


@contextmanager
def exclusive(file: Path, what: str, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock ``file`` in the block. Where another process has it, ``say`` so, naming ``what``, and wait."""
    owner = file.with_name(f"{file.name}.owner")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(file)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            say(f"another process ({_holder(owner)}) is busy with {what}: waiting until it is done")
            lock.acquire()
    except OSError as error:
        raise BuildError(f"{file} cannot be locked: {error.strerror}. Make its folder writable.") from error
    try:
        owner.write_text(f"process {os.getpid()}", encoding="ascii")
        yield
    finally:
        owner.unlink(missing_ok=True)
        lock.release()


def _holder(owner: Path) -> str:
    """Who holds the lock; it may have been given back a moment ago."""
    try:
        return owner.read_text(encoding="ascii") or "just started"
    except OSError:
        return "just started"
