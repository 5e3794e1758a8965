"""`Record`: a frozen dataclass that is cheap to define."""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass
from typing import Any


class _Fields:
    """What `dataclasses` knows about the fields of a record. Made when it is first asked for, 3 µs a field."""

    def __get__(self, record: Any, cls: type) -> Any:
        if cls is Record:
            return None
        dataclass(init=False, repr=False, eq=False)(cls)  # takes the place of this
        return cls.__dict__["__dataclass_fields__"]


class Record:
    """Base of classes whose annotations are fields, as `dataclasses.dataclass(frozen=True)` would make them.

    Field functions of `dataclasses` work on them, but their methods are these: `dataclass` writes the methods of each
    class as text and compiles it, 1.2 ms for the options of a backend, and every process that launches a kernel would
    pay that. Defaults are values; there are no default factories. `__post_init__` may check the values.
    """

    __dataclass_fields__: Any = _Fields()
    # name -> default, or MISSING
    defaults: dict[str, Any] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {name: cls.__dict__.get(name, MISSING) for name in cls.__annotations__}
        cls.defaults = {**cls.defaults, **own}
        cls.__dataclass_fields__ = _Fields()

    def __init__(self, *args: Any, **values: Any):
        what = f"{type(self).__name__}()"
        if len(args) > len(self.defaults):
            raise TypeError(f"{what} takes {len(self.defaults)} values but {len(args)} were given")
        given = dict(zip(self.defaults, args))
        for name in values:
            if name not in self.defaults:
                raise TypeError(f"{what} got an unexpected keyword argument {name!r}")
            if name in given:
                raise TypeError(f"{what} got multiple values for argument {name!r}")
        self.__dict__.update({**self.defaults, **given, **values})
        missing = [name for name, value in self.__dict__.items() if value is MISSING]
        if missing:
            raise TypeError(f"{what} missing a value for {', '.join(map(repr, missing))}")
        self.__post_init__()

    def __post_init__(self) -> None:
        """For derived classes: raises for values that do not fit together."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: Any) -> Any:
        return self.__dict__ == other.__dict__ if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__qualname__}({values})"
