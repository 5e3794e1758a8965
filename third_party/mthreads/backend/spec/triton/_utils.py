"""Additions to ``triton._utils``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def apply_with_path(value: Any, fn: Callable[[tuple[int, ...], Any], object]) -> None:
    """Call ``fn(path, leaf)`` for every leaf of nested tuples and lists, in order.

    ``path`` holds the index at each level; a ``value`` that is no tuple or list is itself the only leaf, with path
    ``()``.
    """
    from triton._utils import is_iterable

    pending = [((), value)]
    while pending:
        path, item = pending.pop()
        if is_iterable(item):
            children = [((*path, index), child) for index, child in enumerate(item)]
            pending.extend(reversed(children))
        else:
            fn(path, item)
