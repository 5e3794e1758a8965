"""Runs functions when a module of torch is imported, at once if it is already.

The compiler's modules take seconds to import, and torch loads this distribution in every process that imports it. So
each registration waits for the module that it registers with.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Action = Callable[[ModuleType], None]


class _Watch:
    """A finder that lets the others find a module, and has its loader run the actions afterwards."""

    def __init__(self) -> None:
        self._actions: dict[str, list[Action]] = {}

    def add(self, name: str, action: Action) -> None:
        self._actions.setdefault(name, []).append(action)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        actions = self._actions.pop(name, None)
        if actions is None:
            return None
        if not self._actions:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_then_act(module: ModuleType) -> None:
            execute(module)
            for action in actions:
                action(module)

        spec.loader.exec_module = execute_then_act  # type: ignore[method-assign]
        return spec


_watch = _Watch()


def _is_loaded(module: ModuleType | None) -> bool:
    return module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False)


def when_imported(name: str, action: Action) -> None:
    """Calls ``action(module)`` after module `name` has been imported; now, if it has been already."""
    module = sys.modules.get(name)
    if _is_loaded(module):
        action(module)  # type: ignore[arg-type]
    else:
        _watch.add(name, action)
