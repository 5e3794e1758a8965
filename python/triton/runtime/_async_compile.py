"""Compiling in the background: inside of `AsyncCompileMode` a `warmup` returns a `FutureKernel` at once."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # importing it costs more than all of triton.runtime
    from concurrent.futures import Executor, Future

_active: ContextVar[AsyncCompileMode | None] = ContextVar("triton_async_compile_mode", default=None)


def active_mode() -> AsyncCompileMode | None:
    """The mode that compiles of the calling context go through, or None."""
    return _active.get()


class FutureKernel:
    """A kernel that is being compiled. Attributes of the `CompiledKernel` wait for it."""

    def __init__(self, finish: Callable[[Any], Any], future: Future):
        self._finish = finish
        self._future = future
        self._kernel: Any = None

    def result(self, ignore_errors: bool = False) -> Any:
        """The `CompiledKernel`, once. Raises the compile's error, or returns None for it with `ignore_errors`."""
        if self._kernel is None:
            try:
                kernel = self._future.result()
            except Exception:
                if ignore_errors:
                    return None
                raise
            self._kernel = self._finish(kernel)
        return self._kernel

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.result(), name)


class AsyncCompileMode:
    """Context in which compiles run on `executor`. Leaving it waits for all of them and raises the first error.

    With `ignore_errors` a kernel that does not compile is left to the launch that needs it.
    """

    def __init__(self, executor: Executor, *, ignore_errors: bool = False):
        self.executor = executor
        self.ignore_errors = ignore_errors
        self._pending: dict[tuple[int, str], FutureKernel] = {}
        self._token: Any = None

    def submit(self, fn: Any, key: str, compile: Callable[[], Any], finish: Callable[[Any], Any]) -> FutureKernel:
        """The future of a compile; the same one for the same kernel."""
        name = (id(fn), key)
        if name not in self._pending:
            self._pending[name] = FutureKernel(finish, self.executor.submit(compile))
        return self._pending[name]

    def __enter__(self) -> AsyncCompileMode:
        if _active.get() is not None:
            raise RuntimeError("AsyncCompileMode cannot be nested")
        self._token = _active.set(self)
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        _active.reset(self._token)
        if error is None:
            for future in self._pending.values():
                future.result(self.ignore_errors)
        self._pending.clear()
