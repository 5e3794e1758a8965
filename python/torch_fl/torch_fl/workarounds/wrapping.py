"""Replaces a function of a module by a wrapper, once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_INSTALLED = "_torch_fl_installed"


def wrap_once(owner: Any, attribute: str, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> bool:
    """Sets ``owner.attribute`` to ``make(owner.attribute)``, unless workaround `name` did so before.

    What is installed is written down on `owner`, not on the function: others may wrap that, too, which must not make
    this one nest. True if this call changed anything.
    """
    installed = vars(owner).get(_INSTALLED, frozenset())
    if name in installed:
        return False
    original = getattr(owner, attribute)
    wrapper = functools.wraps(original)(make(original))
    is_static = isinstance(vars(owner).get(attribute), staticmethod)
    setattr(owner, attribute, staticmethod(wrapper) if is_static else wrapper)
    setattr(owner, _INSTALLED, installed | {name})
    return True
