"""`tensor`: a scalar or a block of values at run time, inside a kernel."""

from __future__ import annotations

from ._builtin import builtin
from ._types import dtype
from ._values import _unwrap_if_constexpr, base_value, constexpr
from ._values import slice as tl_slice
from ._values import tuple as tl_tuple


class tensor(base_value):
    """An IR value with its language type.

    `.type` is a scalar, pointer or block type, `.dtype` its element, `.shape` a `tl.tuple` of constexprs (empty for a
    scalar), `.numel` a constexpr, `.handle` the IR value.
    """

    __slots__ = ("dtype", "handle", "type")

    def __init__(self, handle, type: dtype):
        self.handle = handle
        self.type = type
        self.dtype = type.scalar

    @property
    def shape(self):
        return tl_tuple([constexpr(d) for d in self.type.get_block_shapes()])

    @property
    def numel(self):
        return constexpr(self.type.numel if self.type.is_block() else 1)

    def _flatten_ir(self, handles):
        handles.append(self.handle)

    def _set_name(self, builder, name: str) -> None:
        """Kept for callers of later versions; names of values are not recorded."""

    def __str__(self):
        return str(self.dtype) + "[" + ", ".join(f"constexpr[{d}]" for d in self.type.get_block_shapes()) + "]"

    __repr__ = __str__

    def __bool__(self):
        raise TypeError(
            "the value of a tensor is not known while the kernel is traced, so plain Python cannot branch on it"
        )

    def __iter__(self):
        raise TypeError("a tensor cannot be iterated or unpacked; use tl.split, or index with `:` and `None`")

    @builtin
    def __getitem__(self, slices, _semantic=None):
        if isinstance(slices, (tl_slice, constexpr, slice)) or slices is None:
            slices = [slices]
        if isinstance(slices, tl_tuple):
            slices = slices.values
        if isinstance(slices, tensor):
            raise ValueError("a tensor cannot be indexed by a tensor; use tl.gather, or load through pointers")
        result = self
        for position, item in enumerate(slices):
            if _unwrap_if_constexpr(item) is None:
                # A scalar has no dimension for the `:` in front of a None to stand for.
                rank = len(result.type.get_block_shapes())
                result = _semantic.expand_dims(result, position if rank else 0)
            elif not ((isinstance(item, tl_slice) and item.is_full()) or item == slice(None)):
                raise ValueError(f"unsupported tensor index: {item}; only `:` and `None` are possible")
        return result

    @builtin
    def T(self, _semantic=None):
        """`x.T` is `tl.trans(x)`; the code generator calls this method when the attribute is read."""
        return _semantic.trans(self, [])

    T._is_property = True

    # --- conversions that are neither operators nor free functions ---
    @builtin
    def to(self, dtype, fp_downcast_rounding=None, bitcast=False, _semantic=None):
        """The same values as another dtype; with `bitcast=True` the same bits. See `tl.cast`."""
        from .core import cast

        return cast(self, dtype, fp_downcast_rounding, bitcast, _semantic=_semantic)


# Operator of Python -> method of the semantic. The code generator calls the semantic itself; these methods serve
# builtins that are written with operators.
_BINARY = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "truediv",
    "floordiv": "floordiv",
    "mod": "mod",
    "and": "and_",
    "or": "or_",
    "xor": "xor_",
    "lshift": "shl",
    "rshift": "shr",
}
_COMPARISONS = {
    "lt": "less_than",
    "le": "less_equal",
    "gt": "greater_than",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}
_UNARY = {"neg": "minus", "pos": "plus", "invert": "invert"}


def _install_operators():
    def binary(method, swap):
        def operator(self, other, _semantic=None):
            other = _unwrap_if_constexpr(other)
            return getattr(_semantic, method)(*((other, self) if swap else (self, other)))

        operator.__name__ = operator.__qualname__ = f"the operator `{method.strip('_')}`"
        return builtin(operator)

    def unary(method):
        @builtin
        def operator(self, _semantic=None):
            return getattr(_semantic, method)(self)

        return operator

    for name, method in _BINARY.items():
        setattr(tensor, f"__{name}__", binary(method, False))
        setattr(tensor, f"__r{name}__", binary(method, True))
    for name, method in _COMPARISONS.items():
        setattr(tensor, f"__{name}__", binary(method, False))
    for name, method in _UNARY.items():
        setattr(tensor, f"__{name}__", unary(method))
    tensor.__hash__ = object.__hash__


_install_operators()
