"""Functions of one number: the operations of `math` with one operand."""

from __future__ import annotations

import functools

import numpy as np

from . import elements as E
from .floats import decode, encode
from .libm import apply_double


def _round_half_away(x):
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(np.ones_like(x), x), whole)


# Exact, or rounded once: computed in the type of the operand.
_EXACT = {
    "math.absf": np.abs,
    "math.sqrt": np.sqrt,
    "tt.precise_sqrt": np.sqrt,
    "math.rsqrt": lambda x: np.ones_like(x) / np.sqrt(x),
    "math.floor": np.floor,
    "math.ceil": np.ceil,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
    "math.round": _round_half_away,
    "arith.negf": np.negative,
}
# Computed in float64 and rounded, which is as exact as any implementation in float32.
_DOUBLE = {
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.expm1": np.expm1,
    "math.log": np.log,
    "math.log2": np.log2,
    "math.log10": np.log10,
    "math.log1p": np.log1p,
    "math.sin": np.sin,
    "math.cos": np.cos,
    "math.tan": np.tan,
    "math.asin": np.arcsin,
    "math.acos": np.arccos,
    "math.atan": np.arctan,
    "math.sinh": np.sinh,
    "math.cosh": np.cosh,
    "math.tanh": np.tanh,
    "math.asinh": np.arcsinh,
    "math.acosh": np.arccosh,
    "math.atanh": np.arctanh,
    "math.cbrt": np.cbrt,
    "math.erf": functools.partial(apply_double, "erf"),
    "math.erfc": functools.partial(apply_double, "erfc"),
}


def _bit_count(element: E.Element, data: np.ndarray) -> np.ndarray:
    value = data.view(element.unsigned)
    as_bytes = np.ascontiguousarray(value).reshape(-1).view(np.uint8).reshape(-1, element.storage.itemsize)
    return np.unpackbits(as_bytes, axis=1).sum(axis=1).reshape(data.shape)


def _leading_zeros(element: E.Element, data: np.ndarray) -> np.ndarray:
    value = data.view(element.unsigned)
    # Copying every bit to all lower places makes the number of ones the position of the highest.
    step = 1
    while step < element.bits:
        value = value | (value >> value.dtype.type(step))
        step *= 2
    return element.bits - _bit_count(element, value.view(element.storage))


def _trailing_zeros(element: E.Element, data: np.ndarray) -> np.ndarray:
    return _bit_count(element, ~data & (data - data.dtype.type(1)))


_BITS = {"math.ctpop": _bit_count, "math.ctlz": _leading_zeros, "math.cttz": _trailing_zeros}


def unary(op: str, x: E.Value) -> E.Value:
    """The result of a one-operand operation, of the type of the operand."""
    element = x.element
    if op == "math.absi":
        return E.Value(element, np.abs(x.data))
    if op in _BITS:
        return E.Value(element, _BITS[op](element, x.data).astype(element.storage))
    values = decode(element, x.data)
    if op in _EXACT:
        return E.Value(element, encode(element, _EXACT[op](values)))
    if op in _DOUBLE:
        return E.Value(element, encode(element, _DOUBLE[op](values.astype(np.float64)).astype(values.dtype)))
    raise NotImplementedError(f"the interpreter has no operation {op!r}")
