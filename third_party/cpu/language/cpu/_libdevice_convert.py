"""Conversions of libdevice, and arithmetic with a rounding direction.

The directions are rn (nearest even), rz (towards zero), rd (down), ru (up). float32 results are computed in float64 and
narrowed in the wanted direction; in float64 only rn is available.
"""

from __future__ import annotations

from triton.language import core

from ._support import as_float, constant

_TO_INTEGER = {"rn": "math.roundeven", "rz": "math.trunc", "rd": "math.floor", "ru": "math.ceil"}
_SOURCES = {"double": core.float64, "float": core.float32}
_INTEGERS = {"int": core.int32, "uint": core.uint32, "ll": core.int64, "ull": core.uint64}


def _float_to_integer(source, target, direction: str):
    def apply(semantic, x):
        rounded = semantic._unary(_TO_INTEGER[direction], semantic.cast(x, source))
        return semantic.cast(rounded, target)

    return apply


def narrow(semantic, exact, direction: str):
    """float64 `exact` as float32, rounded in a direction."""
    nearest = semantic.cast(exact, core.float32)
    if direction == "rn":
        return nearest
    back = semantic.cast(nearest, core.float64)
    table = {(core.float32, core.float32): ("nextafterf", core.float32)}

    def towards(limit: float):
        return semantic.extern_elementwise("", "", [nearest, constant(semantic, nearest, limit)], table, True)

    too_high, too_low = semantic.greater_than(back, exact), semantic.less_than(back, exact)
    if direction == "rd":
        return semantic.where(too_high, towards(float("-inf")), nearest)
    if direction == "ru":
        return semantic.where(too_low, towards(float("inf")), nearest)
    too_large = semantic.greater_than(semantic.abs(back), semantic.abs(exact))
    return semantic.where(too_large, towards(0.0), nearest)


def _double_to_float(direction: str):
    return lambda semantic, x: narrow(semantic, semantic.cast(x, core.float64), direction)


def _integer_to_float(source, direction: str):
    def apply(semantic, x):
        x = semantic.cast(x, source)
        if source.int_bitwidth == 32:
            return narrow(semantic, semantic.cast(x, core.float64), direction)
        return _adjusted(semantic, x, core.float32, direction)

    return apply


def _integer_to_double(source, direction: str):
    return lambda semantic, x: _adjusted(semantic, semantic.cast(x, source), core.float64, direction)


def _adjusted(semantic, x, target, direction: str):
    """A 64-bit integer as `target` in a direction: the nearest value, or its neighbour on the right side."""
    nearest = semantic.cast(x, target)
    if direction == "rn":
        return nearest
    name = "nextafter" if target == core.float64 else "nextafterf"

    def towards(limit: float):
        args = [nearest, constant(semantic, nearest, limit)]
        return semantic.extern_elementwise("", "", args, {(target, target): (name, target)}, True)

    # Nearest may be 2^63 or 2^64, which the integer type does not hold: it is too high then.
    limit = float(2 ** (64 if x.dtype.is_int_unsigned() else 63))
    over = semantic.greater_equal(nearest, limit)
    back = semantic.cast(semantic.where(over, 0.0, nearest), x.dtype)
    too_high = semantic.or_(over, semantic.greater_than(back, x))
    too_low = semantic.and_(semantic.not_(over), semantic.less_than(back, x))
    if direction == "rd":
        return semantic.where(too_high, towards(float("-inf")), nearest)
    if direction == "ru":
        return semantic.where(too_low, towards(float("inf")), nearest)
    negative = semantic.less_than(nearest, 0.0)
    away = semantic.or_(semantic.and_(negative, too_low), semantic.and_(semantic.not_(negative), too_high))
    return semantic.where(away, towards(0.0), nearest)


def _directed(compute, direction: str, name: str):
    """Arithmetic on floats with a rounding direction."""

    def apply(semantic, *args):
        args = [as_float(semantic, a) for a in args]
        if any(a.dtype == core.float64 for a in args):
            if direction != "rn":
                raise ValueError(f"libdevice.{name}_{direction} is not available for float64 on the CPU")
            return compute(semantic, *args)
        wide = [semantic.cast(a, core.float64) for a in args]
        return compute(semantic, *args) if direction == "rn" else narrow(semantic, compute(semantic, *wide), direction)

    return apply


_ARITHMETIC = {
    "add": lambda s, x, y: s.add(x, y),
    "sub": lambda s, x, y: s.sub(x, y),
    "mul": lambda s, x, y: s.mul(x, y),
    "div": lambda s, x, y: s.truediv(x, y),
    "fma": lambda s, x, y, z: s.fma(x, y, z),
    "rcp": lambda s, x: s.truediv(1.0, x),
    "sqrt": lambda s, x: s._unary("math.sqrt", x),
}


def _reinterpret(source, target):
    return lambda semantic, x: semantic.bitcast(semantic.cast(x, source), target)


def _half_of_double(shift: int):
    def apply(semantic, x):
        bits = semantic.bitcast(semantic.cast(x, core.float64), core.int64)
        return semantic.cast(semantic.shr(bits, shift), core.int32)

    return apply


def _double_of_halves(semantic, high, low):
    high = semantic.shl(semantic.cast(high, core.int64), 32)
    low = semantic.cast(semantic.bitcast(low, core.uint32), core.int64)
    return semantic.bitcast(semantic.or_(high, low), core.float64)


def _round_to_long(op: str):
    return lambda semantic, x: semantic.cast(semantic._unary(op, as_float(semantic, x)), core.int64)


CONVERSIONS = {
    "double_as_longlong": _reinterpret(core.float64, core.int64),
    "longlong_as_double": _reinterpret(core.int64, core.float64),
    "float_as_int": _reinterpret(core.float32, core.int32),
    "float_as_uint": _reinterpret(core.float32, core.uint32),
    "int_as_float": _reinterpret(core.int32, core.float32),
    "uint_as_float": _reinterpret(core.uint32, core.float32),
    "double2hiint": _half_of_double(32),
    "double2loint": _half_of_double(0),
    "hiloint2double": _double_of_halves,
    "int2double_rn": lambda s, x: s.cast(x, core.float64),
    "uint2double_rn": lambda s, x: s.cast(s.cast(x, core.uint32), core.float64),
    "llrint": _round_to_long("math.roundeven"),
    "llround": _round_to_long("math.round"),
    "rcp64h": lambda s, x: s.truediv(1.0, s.cast(x, core.float64)),
}
for _direction in _TO_INTEGER:
    CONVERSIONS[f"double2float_{_direction}"] = _double_to_float(_direction)
    for _kind, _integer in _INTEGERS.items():
        for _name, _source in _SOURCES.items():
            CONVERSIONS[f"{_name}2{_kind}_{_direction}"] = _float_to_integer(_source, _integer, _direction)
        CONVERSIONS[f"{_kind}2float_{_direction}"] = _integer_to_float(_integer, _direction)
        if _integer.int_bitwidth == 64:
            CONVERSIONS[f"{_kind}2double_{_direction}"] = _integer_to_double(_integer, _direction)
    for _name, _compute in _ARITHMETIC.items():
        CONVERSIONS[f"{_name}_{_direction}"] = _directed(_compute, _direction, _name)
