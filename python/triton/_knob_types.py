"""Building blocks of `triton.knobs`: a knob is an attribute with an environment variable behind it."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_TRUE = frozenset(("1", "true", "on", "yes", "y"))
_FALSE = frozenset(("", "0", "false", "off", "no", "n"))


def parse_bool(text: str) -> bool:
    word = text.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError("expected 1/true/on/yes or 0/false/off/no")


def parse_class(text: str) -> type:
    """``package.module:Class`` or ``package.module.Class``."""
    module, _, name = text.rpartition(":") if ":" in text else text.rpartition(".")
    if not module:
        raise ValueError("expected module:Class")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"cannot load it ({error})") from error


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, type):
        return f"{value.__module__}:{value.__qualname__}"
    if isinstance(value, (set, frozenset, list, tuple)):
        return ",".join(sorted(map(str, value)) if isinstance(value, (set, frozenset)) else map(str, value))
    return str(value)


class Env:
    """The type of `knobs.env`: a knob to which it is assigned follows its variable again, as that is now."""

    def __repr__(self) -> str:
        return "knobs.env"


env = Env()


class Knob(Generic[T]):
    """Attribute of a `KnobGroup` that follows environment variable `env` until it is assigned.

    `parse` turns the text into the value and raises ValueError for a bad one. `default` is the value, or a function
    of the group that computes it. With `once` the variable is read at first use only. Assigning sets the variable
    too, so that child processes agree (unless `knobs.propagate_env` is false); `None` removes it.
    """

    def __init__(
        self,
        env: str,
        parse: Callable[[str], T],
        default: Any = None,
        once: bool = False,
        empty_is_unset: bool = False,
    ):
        self.env = env
        self.empty_is_unset = empty_is_unset
        self.parse = parse
        self.default = default
        self.once = once
        self.name = env

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, group: KnobGroup | None, owner: type) -> Any:
        if group is None:
            return self
        for values in (group._assigned, group._read_once):
            if self.name in values:
                return values[self.name]
        value = self._from_env(group)
        if self.once:
            group._read_once[self.name] = value
        return value

    def _from_env(self, group: KnobGroup) -> Any:
        text = os.environ.get(self.env)
        if text is None or (not text and self.empty_is_unset):
            return (
                self.default(group) if callable(self.default) and not isinstance(self.default, type) else self.default
            )
        try:
            return self.parse(text)
        except ValueError as error:
            raise ValueError(f"environment variable {self.env}={text!r} (knobs: {self.name}): {error}") from error

    def __set__(self, group: KnobGroup, value: Any) -> None:
        if isinstance(value, Env):
            for values in (group._assigned, group._read_once, group._original_env):
                values.pop(self.env if values is group._original_env else self.name, None)
            group._changed()
            return
        if group._owns_environment and KnobGroup._propagate():
            text = None if value is None else _text(value)
            before, _ = group._original_env.get(self.env, (os.environ.get(self.env), None))
            group._original_env[self.env] = (before, text)
            _set_env(self.env, text)
        group._assigned[self.name] = value
        group._changed()

    def __delete__(self, group: KnobGroup) -> None:
        """Undoes assignments: the knob follows the environment variable again, which is what it was before.

        A variable that somebody set after the last assignment keeps its value.
        """
        group._assigned.pop(self.name, None)
        group._read_once.pop(self.name, None)
        before, ours = group._original_env.pop(self.env, (None, None))
        if before != ours and os.environ.get(self.env) == ours:
            _set_env(self.env, before)
        group._changed()


def _set_env(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def bool_knob(env: str, default: bool | None = False, once: bool = False) -> Knob[bool]:
    return Knob(env, parse_bool, default, once)


def int_knob(env: str, default: int | None = None) -> Knob[int]:
    return Knob(env, int, default)


def str_knob(env: str, default: Any = None) -> Knob[str]:
    return Knob(env, str, default)


def path_knob(env: str, default: Any) -> Knob[str]:
    """A folder. An empty variable is one that is not set: no path is empty."""
    return Knob(env, str, default, empty_is_unset=True)


def class_knob(env: str, default: Any = None, base: str = "") -> Knob[type]:
    """A class, derived from `base` (``package.module:Class``) if that is given."""

    def parse(text: str) -> type:
        found = parse_class(text)
        if base and not (isinstance(found, type) and issubclass(found, parse_class(base))):
            raise ValueError(f"it is not a class derived from {base.replace(':', '.')}")
        return found

    return Knob(env, parse, default)


class HookChain:
    """Functions that are called in the order in which they were added. False while there are none."""

    __slots__ = ("_calls", "_reversed")

    def __init__(self, reversed: bool = False):
        self._calls: list[Callable] = []
        self._reversed = reversed

    @property
    def calls(self) -> list[Callable]:
        """The functions; always the same list object."""
        return self._calls

    def add(self, function: Callable) -> None:
        """Adds `function` unless it is already there."""
        if function not in self._calls:
            self._calls.append(function)

    def remove(self, function: Callable) -> None:
        """Removes `function` if it is there."""
        if function in self._calls:
            self._calls.remove(function)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        for function in reversed(self._calls) if self._reversed else tuple(self._calls):
            function(*args, **kwargs)

    def __bool__(self) -> bool:
        return bool(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def __repr__(self) -> str:
        return f"HookChain({self._calls})"


class Setting:
    """An attribute of a `KnobGroup` without environment variable: a hook or a listener. `make` gives its default."""

    def __init__(self, make: Callable[[], Any]):
        self.make = make
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, group: KnobGroup | None, owner: type) -> Any:
        if group is None:
            return self
        try:
            return group._assigned[self.name]
        except KeyError:
            return group._assigned.setdefault(self.name, self.make())

    def __set__(self, group: KnobGroup, value: Any) -> None:
        group._assigned[self.name] = value
        group._changed()

    def __delete__(self, group: KnobGroup) -> None:
        group._assigned.pop(self.name, None)
        group._changed()


class ForeignKnobs:
    """A group of knobs of a device that no installed backend is for.

    Libraries set such knobs on every machine. They are None until they are assigned, and nothing reads them.
    """

    def __getattr__(self, name: str) -> None:
        if name.startswith("_"):
            raise AttributeError(name)

    @property
    def knobs(self) -> dict[str, Any]:
        """What was assigned."""
        return dict(vars(self))

    @property
    def knob_descriptors(self) -> dict[str, Any]:
        return {}

    def copy(self) -> ForeignKnobs:
        result = ForeignKnobs()
        vars(result).update(vars(self))
        return result

    def reset(self) -> ForeignKnobs:
        """Forgets what was assigned. Returns the group."""
        vars(self).clear()
        return self

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Forgets, at the end of the context, what was assigned inside of it."""
        before = self.knobs
        try:
            yield
        finally:
            vars(self).clear()
            vars(self).update(before)


class KnobGroup:
    """A set of knobs. Unknown attributes are errors, because a misspelled knob would do nothing."""

    _listeners: tuple[Callable[[], None], ...] = ()
    # whether assignments set the variable; `triton.knobs` says so
    _propagate: Callable[[], bool] = staticmethod(lambda: True)

    def __init__(self) -> None:
        self.__dict__["_assigned"] = {}
        self.__dict__["_read_once"] = {}
        self.__dict__["_original_env"] = {}
        self.__dict__["_owns_environment"] = True

    @classmethod
    def _descriptors(cls) -> dict[str, Any]:
        return {
            name: member
            for base in reversed(cls.__mro__)
            for name, member in vars(base).items()
            if isinstance(member, (Knob, Setting))
        }

    @property
    def knobs(self) -> dict[str, Any]:
        """Names and current values of the knobs with an environment variable."""
        return {name: getattr(self, name) for name, k in self._descriptors().items() if isinstance(k, Knob)}

    @property
    def knob_descriptors(self) -> dict[str, Knob]:
        """The knobs with an environment variable, by name."""
        return {name: k for name, k in self._descriptors().items() if isinstance(k, Knob)}

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._descriptors():
            import difflib

            near = difflib.get_close_matches(name, self._descriptors(), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise AttributeError(f"{type(self).__name__} has no knob {name!r}{hint}")
        object.__setattr__(self, name, value)

    def _changed(self) -> None:
        for listener in KnobGroup._listeners:
            listener()

    def copy(self) -> Any:
        """A group with the same assignments that leaves the environment alone."""
        result = type(self)()
        result._assigned.update(self._assigned)
        result._read_once.update(self._read_once)
        result.__dict__["_owns_environment"] = False
        return result

    def reset(self) -> Any:
        """Undoes all assignments. Returns the group."""
        for name in self._descriptors():
            delattr(self, name)
        return self

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Inside of the context knobs may be assigned; afterwards they, and the environment, are as before."""
        environment = {k.env: os.environ.get(k.env) for k in self.knob_descriptors.values()}
        states = {name: dict(self.__dict__[name]) for name in ("_assigned", "_read_once", "_original_env")}
        try:
            yield
        finally:
            for name, state in states.items():
                self.__dict__[name].clear()
                self.__dict__[name].update(state)
            for name, value in environment.items():
                _set_env(name, value)
            self._changed()
