"""The operations of `arith`, `math` and `tt` on integers and pairs of numbers, by name.

Every result is defined, and is what compiled code gives: integers wrap, a quotient by zero is 0 and the remainder the
dividend, a shift by the width or more is an infinite shift. Floats narrower than 32 bits compute in float32.
"""

from __future__ import annotations

import numpy as np

from . import elements as E
from .floats import decode, encode, round_to_odd
from .libm import apply_double


# --- integers ---
def _unsigned(function):
    def apply(element: E.Element, a, b):
        kind = element.unsigned
        return function(a.view(kind), b.view(kind)).astype(kind).view(element.storage)

    return apply


def _signed(function):
    return lambda element, a, b: function(a, b)


def _wrapping(function, on_bits):
    """Truth values are integers of one bit: their sum is an exclusive or, their product a conjunction."""
    return lambda element, a, b: (on_bits if element is E.I1 else function)(a, b)


def _quotient(a, b):
    """Rounded towards zero; 0 for a divisor of zero. The smallest number divided by -1 wraps."""
    zero, minus = b == 0, b == (-1 if a.dtype.kind == "i" else 0)
    quotient = np.floor_divide(a, np.where(zero | minus, np.ones_like(b), b))
    if a.dtype.kind == "i":
        quotient = quotient + ((quotient * b != a) & ((a < 0) != (b < 0)) & ~minus).astype(a.dtype)
        quotient = np.where(minus, np.negative(a), quotient)
    return np.where(zero, np.zeros_like(a), quotient)


def _remainder(a, b):
    return a - _quotient(a, b) * b


def _as_bytes(function):
    """Division of truth values, through bytes."""

    def apply(element: E.Element, a, b):
        if element is E.I1:
            return function(a.astype(np.uint8), b.astype(np.uint8)).astype(np.bool_)
        return function(a, b)

    return apply


def _shift(function, signed: bool, left: bool):
    def apply(element: E.Element, a, b):
        if element is E.I1:
            return np.where(b, a if signed else np.False_, a)
        bits, kind = element.bits, element.unsigned
        amount = b.view(kind)
        inside = amount < bits
        amount = np.where(inside, amount, bits - 1).astype(kind)
        if signed:
            return function(a, amount.view(element.storage))
        shifted = function(a.view(kind), amount)
        return np.where(inside, shifted, kind.type(0)).astype(kind).view(element.storage)

    return apply


def _high_product(element: E.Element, a, b):
    a, b = a.view(element.unsigned), b.view(element.unsigned)
    if element.bits == 32:
        product = (a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(32)
        return product.astype(np.uint32).view(element.storage)
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a_low, a_high, b_low, b_high = a & low, a >> half, b & low, b >> half
    middle = a_high * b_low + ((a_low * b_low) >> half)
    other = a_low * b_high + (middle & low)
    return (a_high * b_high + (middle >> half) + (other >> half)).view(element.storage)


_INTEGER = {
    "arith.addi": _wrapping(np.add, np.logical_xor),
    "arith.subi": _wrapping(np.subtract, np.logical_xor),
    "arith.muli": _wrapping(np.multiply, np.logical_and),
    "arith.divsi": _as_bytes(_quotient),
    "arith.remsi": _as_bytes(_remainder),
    "arith.divui": lambda e, a, b: _as_bytes(_quotient)(e, a, b) if e is E.I1 else _unsigned(_quotient)(e, a, b),
    "arith.remui": lambda e, a, b: _as_bytes(_remainder)(e, a, b) if e is E.I1 else _unsigned(_remainder)(e, a, b),
    "arith.andi": _signed(np.bitwise_and),
    "arith.ori": _signed(np.bitwise_or),
    "arith.xori": _signed(np.bitwise_xor),
    "arith.shli": _shift(np.left_shift, False, True),
    "arith.shrsi": _shift(np.right_shift, True, False),
    "arith.shrui": _shift(np.right_shift, False, False),
    "arith.minsi": _signed(np.minimum),
    "arith.maxsi": _signed(np.maximum),
    "arith.minui": _unsigned(np.minimum),
    "arith.maxui": _unsigned(np.maximum),
    "tt.mulhiui": _high_product,
}


# --- pairs of floats ---
def _ordered(function, pick_sign):
    """minimum and maximum, which order the zeros by their sign: `pick_sign` combines the sign bits of equal numbers."""

    def apply(a, b):
        result = function(a, b)
        both_zero = (a == 0) & (b == 0)
        if not np.any(both_zero):
            return result
        negative = pick_sign(np.signbit(a), np.signbit(b))
        return np.where(both_zero, np.copysign(np.zeros_like(result), np.where(negative, -1, 1)), result)

    return apply


def _through_double(function):
    """Functions whose result is not exact: computed in float64 and rounded."""
    return lambda a, b: function(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)


_FLOAT = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.minnumf": np.fmin,
    "arith.maxnumf": np.fmax,
    "arith.minimumf": _ordered(np.minimum, np.logical_or),
    "arith.maximumf": _ordered(np.maximum, np.logical_and),
    "tt.precise_divf": np.divide,
    "math.powf": _through_double(np.power),
    "math.atan2": _through_double(np.arctan2),
    "math.copysign": np.copysign,
}


def binary(op: str, a: E.Value, b: E.Value) -> E.Value:
    """The result of a two-operand operation; both operands have its type."""
    element = a.element
    if op in _INTEGER:
        return E.Value(element, _INTEGER[op](element, a.data, b.data))
    if op not in _FLOAT:
        raise NotImplementedError(f"the interpreter has no operation {op!r}")
    result = _FLOAT[op](decode(element, a.data), decode(element, b.data))
    return E.Value(element, encode(element, result))


def fused_multiply_add(a: E.Value, b: E.Value, c: E.Value) -> E.Value:
    """`a * b + c`, rounded once to float32 (or float64) and then to the element type."""
    element = a.element
    x, y, z = (decode(element, v.data) for v in (a, b, c))
    if element is E.F64:
        return E.Value(element, apply_double("fma", x, y, z))
    # The product of two float32 is exact in float64. The sum is not: rounded to odd, narrowing it is right.
    product, addend = x.astype(np.float64) * y.astype(np.float64), z.astype(np.float64)
    total = product + addend
    part = total - product
    error = (product - (total - part)) + (addend - part)
    even = (np.asarray(total).view(np.int64) & 1) == 0
    toward = np.where((error > 0), np.inf, -np.inf)
    adjust = even & (error != 0) & np.isfinite(total)
    total = np.where(adjust, np.nextafter(total, toward), total)
    return E.Value(element, encode(element, total.astype(np.float32)))


# --- comparisons ---
_ORDER = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
_COMPARE_FLOATS = {
    "oeq": np.equal,
    "one": lambda a, b: (a < b) | (a > b),
    "une": np.not_equal,
    "uno": lambda a, b: np.isnan(a) | np.isnan(b),
    "ord": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    **{f"o{name}": function for name, function in _ORDER.items()},
}


def compare_integers(predicate: str, a: E.Value, b: E.Value) -> E.Value:
    if predicate in ("eq", "ne"):
        return E.Value(E.I1, a.data == b.data if predicate == "eq" else a.data != b.data)
    x, y = a.data, b.data
    if predicate[0] == "u" or a.element.kind == "ptr":
        x, y = x.view(a.element.unsigned), y.view(a.element.unsigned)
    return E.Value(E.I1, _ORDER[predicate[1:]](x, y))


def compare_floats(predicate: str, a: E.Value, b: E.Value) -> E.Value:
    return E.Value(E.I1, _COMPARE_FLOATS[predicate](decode(a.element, a.data), decode(b.element, b.data)))


# --- conversions ---
def _float_to_integer(data: np.ndarray, target: E.Element, signed: bool) -> np.ndarray:
    if signed or target.bits < 64:
        return data.astype(np.int64).astype(target.storage)
    high = data >= 2.0**63
    rest = (np.where(high, data, 0) - 2.0**63).astype(np.int64)
    return np.where(high, rest ^ np.int64(-(2**63)), data.astype(np.int64))


def convert(op: str, x: E.Value, target: E.Element) -> E.Value:
    """The operations that change the element type."""
    source, data = x.element, x.data
    if op in ("arith.extf", "arith.truncf"):
        result = encode(target, decode(source, data))
    elif op in ("arith.fptosi", "arith.fptoui"):
        result = _float_to_integer(decode(source, data), target, op == "arith.fptosi")
    elif op in ("arith.sitofp", "arith.uitofp"):
        data = data.view(source.unsigned) if op == "arith.uitofp" else data
        result = encode(target, data.astype(np.float64 if target is E.F64 else np.float32))
    elif op == "arith.extui":
        result = data.view(source.unsigned).astype(target.unsigned).view(target.storage)
    elif op == "arith.extsi":
        result = np.negative(data.astype(target.storage)) if source is E.I1 else data.astype(target.storage)
    elif op == "arith.trunci":
        result = (data & 1).astype(np.bool_) if target is E.I1 else data.astype(target.storage)
    elif op in ("tt.bitcast", "arith.bitcast"):
        result = data.view(target.storage)
    elif op in ("tt.int_to_ptr", "tt.ptr_to_int"):
        result = data
    else:
        raise NotImplementedError(f"the interpreter has no conversion {op!r}")
    return E.Value(target, result)


def float_to_float(x: E.Value, target: E.Element, toward_zero: bool) -> E.Value:
    values = decode(x.element, x.data)
    if target.bits <= 16 and values.dtype == np.float64:
        values = round_to_odd(values)
    return E.Value(target, encode(target, values, toward_zero))
