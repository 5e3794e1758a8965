"""Values that are not tensors: compile-time constants, tuples, slices, and the protocol they share with tensors."""

from __future__ import annotations

import operator

from ._types import base_type, dtype, tuple_type


class base_value:
    """A value of the language: has a `.type` and flattens to zero or more IR values."""

    __slots__ = ()
    type: base_type

    def _flatten_ir(self, handles: list) -> None:
        raise NotImplementedError(f"{type(self).__name__} must implement _flatten_ir")


class constexpr_type(base_type):
    """Type of a compile-time constant: the constant is part of the type, nothing of it reaches the IR."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self):
        return hash((constexpr_type, type(self.value), self.value))

    def __repr__(self):
        return f"constexpr_type[{self.value}]"

    def mangle(self) -> str:
        value = self.value
        if hasattr(value, "cache_key"):
            # A function handed to a function: two of the same name must not share a symbol.
            text = f"{getattr(value, '__name__', 'fn')}_{value.cache_key[:16]}"
        elif isinstance(value, dtype):
            text = value.mangle()
        else:
            text = repr(value)
        return "c" + text.translate(_MANGLE)

    def flatten_ir_types(self, builder, out):
        pass

    def unflatten_ir(self, handles, cursor):
        return constexpr(self.value), cursor


_MANGLE = str.maketrans(dict.fromkeys(" \"'\\@<>()[]{},:;\n", "_"))


class constexpr(base_value):
    """A value known while the kernel is traced. Operators on constants give constants; nesting collapses."""

    def __init__(self, value):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value

    @property
    def type(self):
        return constexpr_type(self.value)

    def _flatten_ir(self, handles):
        pass

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __str__(self):
        return str(self.value)

    def __format__(self, spec):
        return format(self.value, spec)

    def __hash__(self):
        return hash((self.value, type(self.value)))

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return operator.index(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __iter__(self):
        return iter(self.value)

    def __len__(self):
        return len(self.value)

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def __getitem__(self, *args):
        args = (_unwrap_if_constexpr(a) for a in args)
        return self.value.__getitem__(*args)

    def __getattr__(self, name):
        # Reached only for names constexpr itself lacks. Dunders stay absent so that copy and pickle work.
        if name.startswith("__") or name == "value":
            raise AttributeError(name)
        return getattr(self.value, name)

    def logical_and(self, other):
        return constexpr(self.value and _unwrap_if_constexpr(other))

    def logical_or(self, other):
        return constexpr(self.value or _unwrap_if_constexpr(other))

    def __not__(self):
        return constexpr(not self.value)

    def __invert__(self):
        return constexpr(~self.value)

    def __neg__(self):
        return constexpr(-self.value)

    def __pos__(self):
        return constexpr(+self.value)

    def __abs__(self):
        return constexpr(abs(self.value))


def _is_runtime_value(x) -> bool:
    return isinstance(x, base_value) and not isinstance(x, constexpr)


def _install_constexpr_operators():
    def forward(fn):
        def method(self, other):
            if _is_runtime_value(other):
                return NotImplemented
            return constexpr(fn(self.value, _unwrap_if_constexpr(other)))

        return method

    def reflected(fn):
        def method(self, other):
            if _is_runtime_value(other):
                return NotImplemented
            return constexpr(fn(_unwrap_if_constexpr(other), self.value))

        return method

    for name in "add sub mul truediv floordiv mod pow lshift rshift and or xor".split():
        fn = getattr(operator, name + "_" if name in ("and", "or") else name)
        setattr(constexpr, f"__{name}__", forward(fn))
        setattr(constexpr, f"__r{name}__", reflected(fn))
    for name in "lt le gt ge eq ne".split():
        setattr(constexpr, f"__{name}__", forward(getattr(operator, name)))


_install_constexpr_operators()


class const:
    """Annotation of a pointer parameter that the kernel only reads: `p: tl.const`."""


class tuple(base_value):
    """A fixed sequence of language values; a namedtuple keeps its field names.

    Indexing and slicing take compile-time constants; `+`, `* n` and comparison act as for Python tuples.
    """

    def __init__(self, args, type: tuple_type | None = None):
        self.values = [as_value(a) for a in args]
        self._fields = None
        self._type = type
        if type is not None and any(type.fields):
            self._fields = type.fields
        elif hasattr(args, "_fields"):
            self._fields = list(args._fields)

    @property
    def type(self):
        return tuple_type([v.type for v in self.values], self._fields)

    def _flatten_ir(self, handles):
        for v in self.values:
            v._flatten_ir(handles)

    def __getattr__(self, name):
        if name.startswith("__") or name in ("values", "_fields"):
            raise AttributeError(name)
        if self._fields is not None and name in self._fields:
            return self.values[self._fields.index(name)]
        raise AttributeError(f"tuple has no field {name!r}" + (f"; fields: {self._fields}" if self._fields else ""))

    def __getitem__(self, index):
        if isinstance(index, constexpr):
            index = index.value
        if isinstance(index, slice):
            index = index.to_python()
        if isinstance(index, _python_slice):
            return tuple(self.values[index])
        if not isinstance(index, int):
            raise TypeError(f"a tuple is indexed by a compile-time integer, got {index!r}")
        if not -len(self.values) <= index < len(self.values):
            raise IndexError(f"tuple index {index} is out of range for {len(self.values)} elements")
        return self.values[index]

    def _replaced(self, index: int, value):
        values = list(self.values)
        values[index] = value
        return tuple(values, None)

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)

    def __add__(self, other):
        other = as_value(other)
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate a tuple to a tuple, not {other!r}")
        return tuple(self.values + other.values)

    def __radd__(self, other):
        return as_value(other) + self

    def __mul__(self, count):
        count = _unwrap_if_constexpr(count)
        if not isinstance(count, int):
            raise TypeError(f"a tuple is repeated by a compile-time integer, got {count!r}")
        return tuple(self.values * count)

    __rmul__ = __mul__

    def __eq__(self, other):
        other = as_value(other)
        if not isinstance(other, tuple) or len(other) != len(self):
            return constexpr(False)
        if any(_is_runtime_value(v) and not isinstance(v, tuple) for v in (*self.values, *other.values)):
            raise TypeError("tuples that hold run-time values cannot be compared while tracing")
        return constexpr(all(bool(a == b) for a, b in zip(self.values, other.values)))

    def __ne__(self, other):
        return constexpr(not bool(self == other))

    __hash__ = None

    def __repr__(self):
        return "(" + ", ".join(repr(v) for v in self.values) + ("," if len(self.values) == 1 else "") + ")"

    def __str__(self):
        return "(" + ", ".join(str(v) for v in self.values) + ("," if len(self.values) == 1 else "") + ")"


_python_slice = slice
_python_tuple = type(())


class slice_type(dtype):
    def __init__(self):
        super().__init__("slice_type")


class slice:
    """`a[start:stop:step]` inside a kernel; bounds are compile-time integers or None."""

    def __init__(self, start, stop, step):
        self.start = start
        self.stop = stop
        self.step = step
        self.type = slice_type()

    def is_full(self) -> bool:
        return all(_unwrap_if_constexpr(x) is None for x in (self.start, self.stop, self.step))

    def to_python(self):
        return _python_slice(*(_unwrap_if_constexpr(x) for x in (self.start, self.stop, self.step)))


def _unwrap_if_constexpr(x):
    """The Python value inside a constexpr; lists and tuples are unwrapped element by element; all else unchanged."""
    if isinstance(x, constexpr):
        return x.value
    if isinstance(x, list):
        return [_unwrap_if_constexpr(e) for e in x]
    if isinstance(x, _python_tuple):
        if hasattr(x, "_fields"):
            return type(x)(*(_unwrap_if_constexpr(e) for e in x))
        return _python_tuple(_unwrap_if_constexpr(e) for e in x)
    if isinstance(x, tuple):
        return _python_tuple(_unwrap_if_constexpr(e) for e in x.values)
    return x


def _unwrap_shape(shape):
    """A shape as a list of Python ints, from ints, constexprs, or any sequence of them."""
    shape = _unwrap_if_constexpr(shape)
    if isinstance(shape, int):
        shape = [shape]
    if not isinstance(shape, (list, _python_tuple)):
        raise TypeError(f"expected a compile-time integer or a sequence of them, got {shape}")
    return [_unwrap_if_constexpr(d) for d in shape]


def _unwrap_iterable(args):
    """`f(a, b)` and `f((a, b))` mean the same: returns the elements either way."""
    if len(args) == 1:
        only = _unwrap_if_constexpr(args[0])
        if isinstance(only, (list, _python_tuple)):
            return list(only)
    return list(args)


def as_value(x):
    """Wrap a Python object as a language value: sequences become `tl.tuple`, other plain objects `constexpr`."""
    if isinstance(x, base_value):
        if isinstance(x, constexpr) and isinstance(x.value, (_python_tuple, list)):
            return tuple(x.value)
        return x
    if isinstance(x, (_python_tuple, list)):
        return tuple(x)
    return constexpr(x)


def flatten_values(values) -> list:
    """IR handles of all `values` in order."""
    handles: list = []
    for v in values:
        v._flatten_ir(handles)
    return handles


def unflatten_values(handles, types) -> list:
    """The values of those `types` whose handles are `handles`, in order."""
    values = []
    cursor = 0
    for t in types:
        value, cursor = t.unflatten_ir(handles, cursor)
        values.append(value)
    return values
