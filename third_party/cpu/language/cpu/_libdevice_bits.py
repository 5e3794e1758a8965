"""Integer and bit functions of libdevice."""

from __future__ import annotations

from triton.language import core
from triton.language.core import get_int_dtype

from ._support import as_float, constant, same_shape


def _bits(op: str):
    def apply(semantic, x):
        return semantic.cast(semantic._unary(op, x), core.int32)

    return apply


def _ffs(semantic, x):
    """Position of the lowest set bit counted from 1; 0 for 0."""
    position = semantic.cast(semantic._unary("math.cttz", x), core.int32)
    return semantic.where(semantic.equal(x, 0), 0, semantic.add(position, 1))


def _reverse_bits(semantic, x):
    """Swap halves, quarters, ... down to single bits."""
    width = x.dtype.int_bitwidth
    value = semantic.bitcast(x, get_int_dtype(width, False))
    step = width // 2
    while step:
        low = sum(((1 << step) - 1) << i for i in range(0, width, 2 * step))
        left = semantic.shl(semantic.and_(value, low), step)
        right = semantic.and_(semantic.shr(value, step), low)
        value = semantic.or_(left, right)
        step //= 2
    return semantic.bitcast(value, x.dtype)


def _byte_perm(semantic, x, y, selector):
    """Four bytes picked from the eight of `x` (low) and `y` (high) by the nibbles of `selector`."""
    x, y, selector = same_shape(semantic, x, y, selector)
    pair = semantic.cast(semantic.bitcast(x, core.uint32), core.uint64)
    high = semantic.cast(semantic.bitcast(y, core.uint32), core.uint64)
    pair = semantic.or_(pair, semantic.shl(high, 32))
    selector = semantic.cast(semantic.bitcast(selector, core.uint32), core.uint64)
    result = None
    for i in range(4):
        which = semantic.and_(semantic.shr(selector, 4 * i), 7)
        byte = semantic.and_(semantic.shr(pair, semantic.shl(which, 3)), 0xFF)
        byte = semantic.shl(byte, 8 * i)
        result = byte if result is None else semantic.or_(result, byte)
    return semantic.bitcast(semantic.cast(result, core.uint32), core.int32)


def _mulhi(semantic, x, y):
    """Upper half of the product."""
    x, y = semantic.binary_operands(x, y)
    dtype = x.dtype
    if dtype.int_bitwidth == 32 and dtype.is_int_signed():
        wide = semantic.mul(semantic.cast(x, core.int64), semantic.cast(y, core.int64), False)
        return semantic.cast(semantic.shr(wide, 32), core.int32)
    unsigned = get_int_dtype(dtype.int_bitwidth, False)
    high = semantic.umulhi(semantic.bitcast(x, unsigned), semantic.bitcast(y, unsigned))
    if dtype.is_int_unsigned():
        return high
    high = semantic.bitcast(high, dtype)
    for a, b in ((x, y), (y, x)):
        high = semantic.sub(high, semantic.where(semantic.less_than(a, 0), b, constant(semantic, b, 0)), False)
    return high


def _mul24(semantic, x, y):
    """Product of the low 24 bits."""
    x, y = semantic.binary_operands(x, y)
    shifted = [semantic.shr(semantic.shl(v, 8), 8) for v in (x, y)]
    return semantic.mul(*shifted, False)


def _sad(semantic, x, y, z):
    """`|x - y| + z`, unsigned."""
    x, y = semantic.binary_operands(x, y)
    difference = semantic.sub(semantic.maximum(x, y), semantic.minimum(x, y), False)
    unsigned = get_int_dtype(x.dtype.int_bitwidth, False)
    return semantic.add(semantic.bitcast(difference, unsigned), semantic.cast(z, unsigned), False)


def _average(rounding: int):
    def apply(semantic, x, y):
        x, y = semantic.binary_operands(x, y)
        wide = core.int64
        total = semantic.add(semantic.cast(x, wide), semantic.cast(y, wide), False)
        return semantic.cast(semantic.shr(semantic.add(total, rounding, False), 1), x.dtype)

    return apply


def _flag(test):
    return lambda semantic, x: semantic.cast(test(semantic, as_float(semantic, x)), core.int32)


def _is_infinite(semantic, x):
    return semantic.equal(semantic.abs(x), float("inf"))


def _is_finite(semantic, x):
    return semantic.less_than(semantic.abs(x), float("inf"))


def _sign_bit(semantic, x):
    return semantic.less_than(semantic.bitcast(x, get_int_dtype(x.dtype.primitive_bitwidth, True)), 0)


BIT_FUNCTIONS = {
    "popc": _bits("math.ctpop"),
    "clz": _bits("math.ctlz"),
    "ffs": _ffs,
    "brev": _reverse_bits,
    "byte_perm": _byte_perm,
    "mulhi": _mulhi,
    "mul24": _mul24,
    "sad": _sad,
    "hadd": _average(0),
    "rhadd": _average(1),
    "isnan": _flag(lambda s, x: s.not_equal(x, x)),
    "isinf": _flag(_is_infinite),
    "isfinited": _flag(_is_finite),
    "finitef": _flag(_is_finite),
    "signbit": _flag(_sign_bit),
}
