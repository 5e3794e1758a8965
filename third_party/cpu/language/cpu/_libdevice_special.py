"""Functions of libdevice that the C library lacks, made of those that it has."""

from __future__ import annotations

import math

from triton.language import core

from ._support import as_float, common_float, constant

_HALF_SQRT_PI = math.sqrt(math.pi) / 2


def _of_pi(op: str):
    """sin(pi x), cos(pi x), exact for large x: whole turns are removed first."""

    def apply(semantic, x):
        x = as_float(semantic, x)
        dtype = x.dtype
        x = semantic.cast(x, core.float64)
        turns = semantic._unary("math.roundeven", semantic.mul(x, 0.5))
        rest = semantic.sub(x, semantic.mul(turns, 2.0))
        return semantic.cast(semantic._unary(op, semantic.mul(rest, math.pi)), dtype)

    return apply


def _euclidean(inverse: bool):
    def apply(semantic, *args):
        args = common_float(semantic, *args)
        largest = semantic.abs(args[0])
        for a in args[1:]:
            largest = semantic.maximum(largest, semantic.abs(a))
        # Scaled by the largest, squares neither overflow nor vanish.
        scale = semantic.where(semantic.equal(largest, 0.0), 1.0, largest)
        total = None
        for a in args:
            part = semantic.truediv(a, scale)
            part = semantic.mul(part, part)
            total = part if total is None else semantic.add(total, part)
        norm = semantic.mul(semantic._unary("math.sqrt", total), scale)
        norm = semantic.where(semantic.equal(largest, float("inf")), float("inf"), norm)
        return semantic.truediv(1.0, norm) if inverse else norm

    return apply


def _normcdf(semantic, x):
    x = as_float(semantic, x)
    return semantic.mul(semantic._unary("math.erfc", semantic.mul(x, -math.sqrt(0.5))), 0.5)


def _erfcx(semantic, x):
    """`exp(x^2) erfc(x)`, computed in float64; by its continued fraction where erfc vanishes."""
    x = as_float(semantic, x)
    dtype = x.dtype
    x = semantic.cast(x, core.float64)
    square = semantic.mul(x, x)
    direct = semantic.mul(semantic._unary("math.exp", square), semantic._unary("math.erfc", x))
    fraction = x
    for k in range(24, 0, -1):
        fraction = semantic.add(x, semantic.truediv(k / 2, fraction))
    far = semantic.truediv(1 / math.sqrt(math.pi), fraction)
    return semantic.cast(semantic.where(semantic.greater_than(x, 5.0), far, direct), dtype)


def _start_of_erfinv(semantic, x):
    """Winitzki's approximation of the inverse error function, good to 2e-3."""
    a = 0.147
    # 1 - x^2 as a product: it does not cancel near 1.
    log = semantic._unary("math.log", semantic.mul(semantic.sub(1.0, x), semantic.add(1.0, x)))
    term = semantic.add(semantic.mul(log, 0.5), 2 / (math.pi * a))
    inner = semantic.sub(semantic.mul(term, term), semantic.truediv(log, a))
    root = semantic._unary("math.sqrt", semantic.sub(semantic._unary("math.sqrt", inner), term))
    return semantic._binary("math.copysign", root, x)


def _refined(semantic, y, residual):
    """Two steps of Halley's method; `residual(y)` is erf(y) minus its target."""
    for _ in range(3):
        slope = semantic._unary("math.exp", semantic.minus(semantic.mul(y, y)))
        step = semantic.truediv(semantic.mul(residual(y), _HALF_SQRT_PI), slope)
        y = semantic.sub(y, semantic.truediv(step, semantic.add(1.0, semantic.mul(y, step))))
    return y


def _erfinv(semantic, x):
    x = as_float(semantic, x)
    dtype = x.dtype
    x = semantic.cast(x, core.float64)
    y = _start_of_erfinv(semantic, x)
    refined = _refined(semantic, y, lambda v: semantic.sub(semantic._unary("math.erf", v), x))
    at_end = semantic.greater_equal(semantic.abs(x), 1.0)
    end = semantic.truediv(x, semantic.sub(1.0, semantic.abs(x)))
    end = semantic.where(semantic.greater_than(semantic.abs(x), 1.0), float("nan"), end)
    result = semantic.where(at_end, end, refined)
    return semantic.cast(semantic.where(semantic.equal(x, 0.0), x, result), dtype)


def _erfcinv(semantic, x):
    """The inverse of erfc; near 0 in the tail, where 1 - x has no digits left."""
    x = as_float(semantic, x)
    dtype = x.dtype
    x = semantic.cast(x, core.float64)
    small = semantic.minimum(x, semantic.sub(2.0, x))
    # erfc(y) ~ exp(-y^2) / (y sqrt(pi)) gives the start of the iteration on the logarithm.
    log = semantic.minus(semantic._unary("math.log", semantic.mul(small, math.sqrt(math.pi))))
    y = semantic._unary("math.sqrt", semantic.maximum(log, 0.1))
    y = semantic._unary("math.sqrt", semantic.maximum(semantic.sub(log, semantic._unary("math.log", y)), 0.01))
    for _ in range(6):
        value = semantic._unary("math.erfc", y)
        slope = semantic.mul(semantic._unary("math.exp", semantic.minus(semantic.mul(y, y))), -2 / math.sqrt(math.pi))
        step = semantic.truediv(semantic.sub(value, small), slope)
        y = semantic.sub(y, semantic.truediv(step, semantic.add(1.0, semantic.mul(y, step))))
    y = semantic.where(semantic.greater_than(x, 1.0), semantic.minus(y), y)
    y = semantic.where(semantic.equal(x, 1.0), 0.0, y)
    y = semantic.where(semantic.equal(x, 0.0), float("inf"), y)
    y = semantic.where(semantic.equal(x, 2.0), float("-inf"), y)
    outside = semantic.or_(semantic.less_than(x, 0.0), semantic.greater_than(x, 2.0))
    return semantic.cast(semantic.where(outside, float("nan"), y), dtype)


def _normcdfinv(semantic, x):
    x = as_float(semantic, x)
    return semantic.mul(_erfcinv(semantic, semantic.mul(x, 2.0)), -math.sqrt(2.0))


def _bessel_i(order: int):
    """Modified Bessel function of the first kind: its series below 15, its asymptotic expansion above."""

    def apply(semantic, x):
        x = as_float(semantic, x)
        dtype = x.dtype
        magnitude = semantic.abs(semantic.cast(x, core.float64))
        near = semantic.minimum(magnitude, 20.0)
        quarter = semantic.mul(semantic.mul(near, near), 0.25)
        total = constant(semantic, near, 0.0)
        for k in range(44, 0, -1):
            # Horner's scheme of sum((x^2/4)^k / (k! (k + order)!)).
            total = semantic.truediv(semantic.mul(semantic.add(total, 1.0), quarter), float(k * (k + order)))
        series = semantic.add(total, 1.0)
        if order:
            series = semantic.mul(series, semantic.mul(near, 0.5))
        far = semantic.maximum(magnitude, 20.0)
        term = 1.0
        tail = constant(semantic, far, 1.0)
        power = constant(semantic, far, 1.0)
        for k in range(1, 20):
            term *= -(4 * order * order - (2 * k - 1) ** 2) / (8 * k)
            power = semantic.truediv(power, far)
            tail = semantic.add(tail, semantic.mul(power, term))
        half = semantic._unary("math.exp", semantic.mul(far, 0.5))
        root = semantic._unary("math.sqrt", semantic.mul(far, 2 * math.pi))
        asymptotic = semantic.mul(semantic.truediv(semantic.mul(half, tail), root), half)
        result = semantic.where(semantic.greater_than(magnitude, 20.0), asymptotic, series)
        if order:
            result = semantic._binary("math.copysign", result, semantic.cast(x, core.float64))
        return semantic.cast(result, dtype)

    return apply


def _saturate(semantic, x):
    return semantic.minimum(semantic.maximum(as_float(semantic, x), 0.0), 1.0)


def _inverse_cube_root(semantic, x):
    return semantic.truediv(1.0, semantic._unary("math.cbrt", as_float(semantic, x)))


SPECIAL_FUNCTIONS = {
    "cospi": _of_pi("math.cos"),
    "sinpi": _of_pi("math.sin"),
    "rhypot": _euclidean(True),
    "norm3d": _euclidean(False),
    "norm4d": _euclidean(False),
    "rnorm3d": _euclidean(True),
    "rnorm4d": _euclidean(True),
    "normcdf": _normcdf,
    "normcdfinv": _normcdfinv,
    "erfcx": _erfcx,
    "erfinv": _erfinv,
    "erfcinv": _erfcinv,
    "cyl_bessel_i0": _bessel_i(0),
    "cyl_bessel_i1": _bessel_i(1),
    "saturatef": _saturate,
    "rcbrt": _inverse_cube_root,
}
