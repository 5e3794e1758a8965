"""Types from the spelling that kernel signatures use."""

from __future__ import annotations

from . import _types as T
from ._block_pointer import tensor_descriptor_type
from ._values import constexpr_type


def descriptor_type(spelling: str) -> tensor_descriptor_type:
    """Type of a tensor descriptor made on the host: `tensordesc<fp32[2, 8]>`, or `tensordesc<fp32[2, 8],nan>`.

    It is passed as the base pointer, the shape (int64 each) and the strides (int64 each, without the last one, which
    is 1).
    """
    body = spelling[len("tensordesc<") : spelling.rindex(">")]
    element, _, rest = body.partition("[")
    dims, _, padding = rest.partition("]")
    shape = [int(d) for d in dims.split(",")]
    dtype = T.scalar_from_signature(element)
    fields = [T.pointer_type(dtype), *[T.int64] * (2 * len(shape) - 1), constexpr_type(1)]
    return tensor_descriptor_type(T.block_type(dtype, shape), fields, padding.lstrip(",") or "zero")


def str_to_ty(name, c=None):
    """Language type for an entry of a kernel signature: `i32`, `*fp32`, `*ki8`, `tensordesc<fp32[2, 8]>`, `constexpr`
    (with the constant `c`), or a tuple of entries. Raises ValueError for an unknown spelling.
    """
    if isinstance(name, (tuple, list)):
        return T.tuple_type([str_to_ty(n, None if c is None else c[i]) for i, n in enumerate(name)])
    if name == "constexpr":
        return constexpr_type(c)
    if name.startswith("tensordesc<"):
        return descriptor_type(name)
    return T.scalar_from_signature(name)
