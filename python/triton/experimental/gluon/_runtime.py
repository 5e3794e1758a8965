"""`gluon.jit` and what it makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from triton.errors import TritonError
from triton.runtime.jit import JITFunction

T = TypeVar("T")


class GluonUnsupportedError(TritonError, NotImplementedError):
    """A Gluon kernel was to run on a device whose backend does not compile Gluon."""


class GluonJITFunction(JITFunction[T]):
    """A function of Gluon. It has the attributes of a `triton.jit` function, but cannot be launched."""

    def is_gluon(self) -> bool:
        return True

    def run(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises GluonUnsupportedError."""
        raise GluonUnsupportedError(
            f"{self.fn.__module__}.{self.fn.__name__}: this kernel is written in Gluon, for the threads and memories "
            f"of one kind of GPU, and the backend {_selected_backend()!r} does not compile Gluon. Use the variant "
            "of the kernel that is written with triton.jit, which libraries choose by the device's kind."
        )

    def __getitem__(self, grid: Any) -> Callable[..., NoReturn]:
        return self.run


def _selected_backend() -> str:
    from triton.runtime import driver

    return driver.active.get_current_target().backend


def jit(
    fn: Callable | None = None,
    *,
    version: Any = None,
    repr: Callable[[Any], str] | None = None,
    launch_metadata: Callable | None = None,
    do_not_specialize: Any = None,
    do_not_specialize_on_alignment: Any = None,
    debug: bool | None = None,
    noinline: bool | None = None,
) -> Any:
    """Decorator: `fn` is a function of Gluon. The arguments are those of `triton.jit`."""

    def decorator(function: Callable) -> GluonJITFunction:
        return GluonJITFunction(
            function,
            version=version,
            do_not_specialize=do_not_specialize,
            do_not_specialize_on_alignment=do_not_specialize_on_alignment,
            debug=debug,
            noinline=noinline,
            repr=repr,
            launch_metadata=launch_metadata,
        )

    return decorator if fn is None else decorator(fn)
