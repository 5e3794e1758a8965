"""Keeps `fork` away from the middle of a compile.

A child process has the locks as they were, but only the thread that forked. If another one was importing a module or
inside of the compiler just then, what it held stays locked for good in the child. So a fork waits for compiles of other
threads to end, and compiles that begin meanwhile wait for the fork.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator

# A compile takes less. One that waits for the thread that forks (a hook may do such things) would never end.
_PATIENCE = 10.0


class ForkGuard:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._compiling: dict[int, int] = {}  # depth by thread

    @contextlib.contextmanager
    def compiling(self) -> Iterator[None]:
        """No other thread forks inside of the context; this one may."""
        thread = threading.get_ident()
        with self._changed:
            self._compiling[thread] = self._compiling.get(thread, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._compiling[thread] -= 1
                if not self._compiling[thread]:
                    del self._compiling[thread]
                    self._changed.notify_all()

    def before_fork(self) -> None:
        self._changed.acquire()
        end = time.monotonic() + _PATIENCE
        while self._compiling.keys() - {threading.get_ident()} and time.monotonic() < end:
            self._changed.wait(_PATIENCE)

    def after_fork_in_parent(self) -> None:
        self._changed.release()

    def after_fork_in_child(self) -> None:
        thread = threading.get_ident()
        self._compiling = {thread: self._compiling[thread]} if thread in self._compiling else {}
        self._changed.release()


guard = ForkGuard()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=guard.before_fork,
        after_in_parent=guard.after_fork_in_parent,
        after_in_child=guard.after_fork_in_child,
    )
