"""Memory that kernels ask for at launch (global scratch): the caller provides the allocator."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Protocol


class Buffer(Protocol):
    def data_ptr(self) -> int: ...


class Allocator(Protocol):
    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer: ...


class NullAllocator:
    """The default: no memory."""

    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer:
        raise RuntimeError(
            f"Kernel requires a runtime memory allocation of {size} bytes, but no allocator was set. "
            "Use triton.set_allocator(fn) with fn(size, alignment, stream) returning an object with data_ptr()"
        )


NULL_ALLOCATOR = NullAllocator()
_allocator: ContextVar[Any] = ContextVar("triton_allocator", default=NULL_ALLOCATOR)


def set_allocator(allocator: Allocator | None) -> None:
    """Launches of this context take scratch memory from `allocator`; None removes it."""
    _allocator.set(NULL_ALLOCATOR if allocator is None else allocator)


_profile_allocator: ContextVar[Any] = ContextVar("triton_profile_allocator", default=None)


def set_profile_allocator(allocator: Allocator | None) -> None:
    """Memory that instrumented kernels write their records to comes from `allocator`; None removes it.

    For profilers of backends that instrument kernels; the CPU's does not.
    """
    _profile_allocator.set(allocator)


def has_profile_allocator() -> bool:
    """Whether this context has one."""
    return _profile_allocator.get() is not None


def allocate_profile(size: int, alignment: int, stream: int | None) -> Buffer:
    """Memory from the allocator for records of this context. RuntimeError without one."""
    allocator = _profile_allocator.get()
    return (NULL_ALLOCATOR if allocator is None else allocator)(size, alignment, stream)


def allocate(size: int, alignment: int, stream: int | None) -> Buffer:
    """Memory from the allocator of this context."""
    return _allocator.get()(size, alignment, stream)
