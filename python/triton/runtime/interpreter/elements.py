"""Element types as the builder sees them, and values of them.

As in the IR, integers have no signedness: they are stored as signed NumPy integers, and the operation says how it
reads them. Formats that NumPy lacks are stored as their bits: bfloat16 in uint16, the 8-bit floats in uint8.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Element:
    """A scalar type: its name in the IR, its kind ("int", "float", "ptr" or "none") and how NumPy stores it."""

    __slots__ = ("bits", "kind", "name", "pointee", "storage")

    def __init__(self, name: str, kind: str, bits: int, storage: str, pointee: Element | None = None):
        self.name = name
        self.kind = kind
        self.bits = bits
        self.storage = np.dtype(storage)
        self.pointee = pointee

    def __repr__(self) -> str:
        return self.name

    @property
    def unsigned(self) -> np.dtype:
        """The unsigned NumPy type of the same width."""
        return _UNSIGNED[self.storage.itemsize] if self.bits > 1 else self.storage


_UNSIGNED = {size: np.dtype(f"uint{8 * size}") for size in (1, 2, 4, 8)}

NONE = Element("none", "none", 0, "int8")
I1 = Element("i1", "int", 1, "bool")
I8 = Element("i8", "int", 8, "int8")
I16 = Element("i16", "int", 16, "int16")
I32 = Element("i32", "int", 32, "int32")
I64 = Element("i64", "int", 64, "int64")
F16 = Element("f16", "float", 16, "float16")
BF16 = Element("bf16", "float", 16, "uint16")
F32 = Element("f32", "float", 32, "float32")
F64 = Element("f64", "float", 64, "float64")
F8E4M3FN = Element("f8E4M3FN", "float", 8, "uint8")
F8E5M2 = Element("f8E5M2", "float", 8, "uint8")
F8E4M3FNUZ = Element("f8E4M3FNUZ", "float", 8, "uint8")
F8E5M2FNUZ = Element("f8E5M2FNUZ", "float", 8, "uint8")


def pointer(pointee: Element) -> Element:
    return Element(f"!tt.ptr<{pointee}>", "ptr", 64, "int64", pointee)


class Block:
    """Type of a block: its element and its shape."""

    __slots__ = ("element", "shape")

    def __init__(self, element: Element, shape: Any):
        self.element = element
        self.shape = tuple(shape)


def element_of(ir_type: Element | Block) -> Element:
    return ir_type.element if isinstance(ir_type, Block) else ir_type


class Value:
    """What stands for an IR value: an array (of rank 0 for a scalar) and the type of its elements."""

    __slots__ = ("data", "element")

    def __init__(self, element: Element, data: np.ndarray):
        self.element = element
        self.data = data

    def set_attr(self, name: str, attribute: Any) -> None:
        """Hints for the compiler (`tl.multiple_of` and its like) change nothing here."""

    def __repr__(self) -> str:
        return f"Value({self.element}, {self.data!r})"
