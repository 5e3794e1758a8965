"""Aggregates: classes of a kernel whose instances are a fixed set of language values."""

from __future__ import annotations

import inspect

from ._types import base_type
from ._values import as_value, base_value


class aggregate_type(base_type):
    """Type of an aggregate: its class and the types of its fields."""

    def __init__(self, cls, fields):
        self.cls = cls
        self.fields = fields

    def __eq__(self, other):
        return type(self) is type(other) and self.cls is other.cls and self.fields == other.fields

    def __hash__(self):
        return hash((self.cls, tuple(name for name, _ in self.fields)))

    def __str__(self):
        return f"{self.cls.__name__}<{', '.join(f'{n}: {t}' for n, t in self.fields)}>"

    __repr__ = __str__

    def mangle(self) -> str:
        return f"A{self.cls.__name__}_" + "_".join(t.mangle() for _, t in self.fields) + "A"

    def flatten_ir_types(self, builder, out):
        for _, t in self.fields:
            t.flatten_ir_types(builder, out)

    def unflatten_ir(self, handles, cursor):
        values = {}
        for name, t in self.fields:
            values[name], cursor = t.unflatten_ir(handles, cursor)
        return self.cls._from_fields(values), cursor


class base_aggregate(base_value):
    """Base of every class made by `aggregate`."""

    _field_names: tuple = ()

    @classmethod
    def _from_fields(cls, values: dict):
        instance = object.__new__(cls)
        for name in cls._field_names:
            object.__setattr__(instance, name, values[name])
        return instance

    @property
    def type(self):
        return aggregate_type(type(self), [(n, getattr(self, n).type) for n in self._field_names])

    def _flatten_ir(self, handles):
        for name in self._field_names:
            getattr(self, name)._flatten_ir(handles)

    def __setattr__(self, name, value):
        if name not in self._field_names:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}; fields: {', '.join(self._field_names)}")
        object.__setattr__(self, name, as_value(value))

    def __str__(self):
        return str(self.type)

    __repr__ = __str__


def aggregate(cls):
    """Class decorator: instances of the class are values of the language.

    The fields are the annotations of the class and of the aggregates it inherits from; every one must be set by
    `__init__`, which is generated (one argument per field, class attributes as defaults) where it is missing.
    """
    names: dict = {}
    for base in reversed(cls.__mro__):
        for name in inspect.get_annotations(base):
            if name != "type" and not name.startswith("_"):
                names[name] = base.__dict__.get(name, names.get(name))
    fields = tuple(names)
    namespace = {k: v for k, v in cls.__dict__.items() if k not in ("__dict__", "__weakref__", *fields)}
    user_init = cls.__init__ if cls.__init__ is not object.__init__ else None
    if user_init is not None and getattr(user_init, "_generated", False):
        user_init = None
    namespace["_field_names"] = fields
    namespace["__triton_aggregate__"] = True
    bases = tuple(b for b in cls.__bases__ if b is not object)
    if not any(issubclass(b, base_aggregate) for b in bases):
        bases = (*bases, base_aggregate)
    made = type(cls)(cls.__name__, bases, namespace)
    made.__init__ = _checked_init(cls.__name__, fields, user_init, names)
    return made


_aggregate = aggregate  # the name of earlier releases


def _checked_init(name: str, fields, user_init, defaults):
    def fill(self, *args, **kwargs):
        if len(args) > len(fields):
            raise TypeError(f"{name} takes at most {len(fields)} arguments, got {len(args)}")
        given = dict(zip(fields, args))
        given.update(kwargs)
        for field in fields:
            value = given.pop(field, defaults[field])
            if value is None and field not in kwargs and fields.index(field) >= len(args):
                continue
            setattr(self, field, value)
        if given:
            raise TypeError(f"{name} has no field {', '.join(given)}; fields: {', '.join(fields)}")

    run = user_init or fill

    def __init__(self, *args, **kwargs):
        run(self, *args, **kwargs)
        missing = [f for f in fields if f not in self.__dict__]
        if missing:
            raise AttributeError(f"{name}.__init__ did not set: {', '.join(missing)}")

    __init__._generated = user_init is None
    __init__._user_init = user_init
    return __init__


def aggregate_replace(obj, _semantic=None, **changes):
    """A copy of an aggregate with some fields changed, in a kernel or a function that runs at compile time."""
    if not isinstance(obj, base_aggregate):
        raise TypeError(f"aggregate_replace needs an aggregate, got {obj!r}")
    values = {n: getattr(obj, n) for n in obj._field_names}
    unknown = set(changes) - set(values)
    if unknown:
        raise TypeError(f"{type(obj).__name__} has no field {', '.join(sorted(unknown))}")
    values.update({k: as_value(v) for k, v in changes.items()})
    return type(obj)._from_fields(values)


aggregate_replace.__triton_builtin__ = True
