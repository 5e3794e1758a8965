#!/usr/bin/env python3
"""Fits the polynomials of the CPU back end's math functions.

    fit_math.py            writes include/cpu/Math/Coefficients.h
    fit_math.py --check    fails when that file is not what would be written, but for rounding in another LAPACK
    fit_math.py --report   also evaluates each function in simulated f32 and prints its error in ULP

Each polynomial minimises the largest relative error of the function it serves (Lawson's iteration: weighted least
squares, weights multiplied by the error until it is level). Coefficients are rounded to f32 one by one, lowest power
first, and the remaining ones fitted again to make up for the rounding. Needs numpy and mpmath.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import mpmath
import numpy as np

HEADER = Path(__file__).resolve().parents[1] / "include" / "cpu" / "Math" / "Coefficients.h"
mpmath.mp.prec = 120
EXTENDED = np.longdouble


@dataclass(frozen=True)
class Fit:
    """One polynomial: ``target(x)`` as a sum of ``c[k] * variable(x)**k``, k = 0..degree.

    ``weight(x)`` turns an error of the polynomial into a relative error of the function.
    """

    name: str
    comment: str
    low: float
    high: float
    degree: int
    target: Callable[[mpmath.mpf], mpmath.mpf]
    weight: Callable[[mpmath.mpf], mpmath.mpf]
    variable: Callable[[np.ndarray], np.ndarray] = lambda x: x


LN2 = mpmath.log(2)
# Half the reduction interval, a little widened: the quotient is rounded after a rounded product.
EXP_BOUND = float(LN2 / 2) * 1.0005

FITS = (
    Fit(
        "kExp",
        "exp(r) = 1 + r + r^2 P(r) for |r| <= ln(2)/2",
        -EXP_BOUND,
        EXP_BOUND,
        4,
        lambda r: (mpmath.exp(r) - 1 - r) / r**2,
        lambda r: r**2 / mpmath.exp(r),
    ),
    Fit(
        "kExp2",
        "2^r = 1 + r P(r) for |r| <= 1/2",
        -0.5005,
        0.5005,
        5,
        lambda r: (mpmath.mpf(2) ** r - 1) / r,
        lambda r: abs(r) / mpmath.mpf(2) ** r,
    ),
    Fit(
        "kLog",
        "log(1 + r) = r - r^2/2 + r^3 P(r) for 2/3 <= 1 + r <= 4/3",
        -1 / 3,
        1 / 3,
        7,
        lambda r: (mpmath.log1p(r) - r + r * r / 2) / r**3,
        lambda r: abs(r**3 / mpmath.log1p(r)),
    ),
    Fit(
        "kLog2",
        "log2(1 + r) = r/ln(2) + r^2 P(r) for 2/3 <= 1 + r <= 4/3",
        -1 / 3,
        1 / 3,
        8,
        lambda r: (mpmath.log1p(r) - r) / LN2 / r**2,
        lambda r: abs(r**2 * LN2 / mpmath.log1p(r)),
    ),
    Fit(
        "kErfSmall",
        "erf(x) = x + x P(x^2) for |x| <= 1",
        0.0,
        1.0005,
        5,
        lambda x: mpmath.erf(x) / x - 1,
        lambda x: x / mpmath.erf(x),
        lambda x: x * x,
    ),
    Fit(
        "kErfLarge",
        "erf(x) = 1 - 2^P(x) for 1 <= x <= 4",
        0.9995,
        4.0,
        5,
        lambda x: mpmath.log(mpmath.erfc(x)) / LN2,
        lambda x: mpmath.erfc(x) * LN2 / mpmath.erf(x),
    ),
    Fit(
        "kErfExp2",
        "2^r = 1 + r P(r) for |r| <= 1/2, for erf: 2^P(x) is at most 0.16 there",
        -0.5005,
        0.5005,
        4,
        lambda r: (mpmath.mpf(2) ** r - 1) / r,
        lambda r: abs(r) / mpmath.mpf(2) ** r,
    ),
    Fit(
        "kTanh",
        "tanh(x) = x + x^3 P(x^2) for |x| <= 5/8",
        0.0,
        0.6255,
        4,
        lambda x: (mpmath.tanh(x) / x - 1) / x**2,
        lambda x: x**3 / mpmath.tanh(x),
        lambda x: x * x,
    ),
)


def sample_points(low: float, high: float, count: int = 400) -> np.ndarray:
    """Chebyshev points, without the neighbourhood of 0 where the targets cancel."""
    angles = np.pi * (np.arange(count) + 0.5) / count
    points = (low + high) / 2 + (high - low) / 2 * np.cos(angles)
    return points[np.abs(points) > 1e-3]


def evaluate(function: Callable, points: np.ndarray) -> np.ndarray:
    values = (mpmath.nstr(function(mpmath.mpf(float(x))), 30) for x in points)
    return np.array([EXTENDED(value) for value in values])


def least_squares(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solves in double precision, then once more for the residual in extended precision."""
    scale = np.sqrt((matrix * matrix).sum(axis=0))
    scaled = (matrix / scale).astype(np.float64)

    def solve(values: np.ndarray) -> np.ndarray:
        return np.linalg.lstsq(scaled, values.astype(np.float64), rcond=None)[0].astype(EXTENDED) / scale

    solution = solve(right)
    return solution + solve(right - matrix @ solution)


def fit_minimax(columns: np.ndarray, target: np.ndarray, weight: np.ndarray, rounds: int = 60) -> np.ndarray:
    emphasis = np.full(len(target), 1 / len(target), dtype=EXTENDED)
    best_error, best = np.inf, np.zeros(columns.shape[1], dtype=EXTENDED)
    for _ in range(rounds):
        factor = np.sqrt(emphasis) * weight
        coefficients = least_squares(columns * factor[:, None], target * factor)
        error = np.abs(weight * (columns @ coefficients - target))
        if error.max() < best_error:
            best_error, best = error.max(), coefficients
        emphasis = emphasis * (error + 1e-30)
        emphasis /= emphasis.sum()
    return best


def fit(spec: Fit) -> list[np.float32]:
    points = sample_points(spec.low, spec.high)
    variable = spec.variable(points.astype(EXTENDED))
    rest = evaluate(spec.target, points)
    weight = evaluate(spec.weight, points)
    columns = np.stack([variable**k for k in range(spec.degree + 1)], axis=1)
    rounded: list[np.float32] = []
    for k in range(spec.degree + 1):
        coefficient = np.float32(fit_minimax(columns[:, k:], rest, weight)[0])
        rounded.append(coefficient)
        rest = rest - EXTENDED(coefficient) * columns[:, k]
    return rounded


def hexadecimal(value: np.float32) -> str:
    mantissa, exponent = float(value).hex().split("p")
    return f"{mantissa.rstrip('0')}p{exponent}f"


def render(tables: dict[str, list[np.float32]]) -> str:
    lines = [
        "//===- Coefficients.h - polynomials of math functions -----------*- C++ -*-===//",
        "//",
        "// Written by third_party/cpu/tools/fit_math.py. Do not edit.",
        "// clang-format off",
        "//===----------------------------------------------------------------------===//",
        "",
        "#ifndef TRITON_CPU_MATH_COEFFICIENTS_H",
        "#define TRITON_CPU_MATH_COEFFICIENTS_H",
        "",
        "namespace mlir::triton::cpu {",
    ]
    for spec in FITS:
        lines += ["", f"/// {spec.comment}. Lowest power first.", f"inline constexpr float {spec.name}[] = {{"]
        lines += [f"    {hexadecimal(value)}, // {float(value):.9g}" for value in tables[spec.name]]
        lines += ["};"]
    lines += ["", "} // namespace mlir::triton::cpu", "", "#endif // TRITON_CPU_MATH_COEFFICIENTS_H", ""]
    return "\n".join(lines)


def agree(checked_in: str, computed: str) -> bool:
    """Whether two headers say the same and their numbers are close: the last bits depend on the LAPACK in use."""
    number = re.compile(r"-?0x[0-9a-f.]+p[+-]?[0-9]+f, // .*")
    if number.sub("", checked_in) != number.sub("", computed):
        return False
    values = [[float.fromhex(n.split("f, //")[0]) for n in number.findall(text)] for text in (checked_in, computed)]
    return bool(np.allclose(*values, rtol=1e-4, atol=0))


# The functions as the compiler emits them, in simulated f32, to judge a fit without building anything.


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return (np.float64(a) * np.float64(b) + np.float64(c)).astype(np.float32)


def horner(x: np.ndarray, coefficients: Sequence[np.float32]) -> np.ndarray:
    result = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result = fma(result, x, np.float32(coefficient))
    return result


def scale(value: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    return np.ldexp(value.astype(np.float64), exponent.astype(int)).astype(np.float32)


def split_log(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    start = np.int32(0x3F2AAAAB)
    shifted = x.view(np.int32) - start
    mantissa = ((shifted & 0x7FFFFF) + start).view(np.float32)
    return (shifted >> 23).astype(np.float32), mantissa - np.float32(1)


def simulate(tables: dict[str, list[np.float32]]) -> dict[str, float]:
    one = np.float32(1)
    random = np.random.default_rng(0)

    def uniform(low: float, high: float) -> np.ndarray:
        return random.uniform(low, high, 1_000_000).astype(np.float32)

    def ulp(result: np.ndarray, exact: np.ndarray) -> float:
        spacing = np.spacing(np.abs(exact.astype(np.float32)))
        return float((np.abs(result - exact) / spacing).max())

    def exp(x: np.ndarray) -> np.ndarray:
        n = np.rint(x * np.float32(1 / LN2))
        r = fma(n, np.float32(-1.42860676533018e-06), fma(n, np.float32(-0.693145751953125), x))
        return scale(horner(r, [one, one, *tables["kExp"]]), n)

    errors = {}
    x = uniform(-87, 88)
    errors["exp"] = ulp(exp(x), np.exp(x.astype(EXTENDED)))

    x = uniform(-126, 127)
    n = np.rint(x)
    errors["exp2"] = ulp(scale(horner(x - n, [one, *tables["kExp2"]]), n), np.exp2(x.astype(EXTENDED)))

    x = np.concatenate([uniform(0.3, 3), np.exp(uniform(-80, 80)), one + uniform(-0.01, 0.01)])
    e, r = split_log(x)
    y = fma(horner(r, tables["kLog"]) * r, r * r, e * np.float32(-2.12194440e-4))
    y = fma(e, np.float32(0.693359375), r + fma(np.float32(-0.5), r * r, y))
    errors["log"] = ulp(y, np.log(x.astype(EXTENDED)))

    high = np.float32(1 / LN2)
    low = np.float32(1 / LN2 - mpmath.mpf(float(high)))
    y = e + fma(r, high, fma(horner(r, tables["kLog2"]), r * r, r * low))
    errors["log2"] = ulp(y, np.log2(x.astype(EXTENDED)))

    x = np.concatenate([uniform(-4.5, 4.5), np.exp(uniform(-60, 0))])
    q = horner(np.minimum(np.abs(x), np.float32(4)), tables["kErfLarge"])
    n = np.rint(q)
    large = np.copysign(one - scale(horner(q - n, [one, *tables["kErfExp2"]]), n), x)
    small = fma(horner(x * x, tables["kErfSmall"]), x, x)
    exact = np.frompyfunc(lambda v: float(mpmath.erf(float(v))), 1, 1)(x[::10]).astype(np.float64)
    errors["erf"] = ulp(np.where(np.abs(x) < 1, small, large)[::10], exact)

    x = np.concatenate([uniform(-10, 10), uniform(-1, 1)])
    small = fma(horner(x * x, tables["kTanh"]) * (x * x), x, x)
    large = np.copysign(one - 2 / (exp(2 * np.abs(x)) + one), x)
    errors["tanh"] = ulp(np.where(np.abs(x) < 0.625, small, large), np.tanh(x.astype(EXTENDED)))
    return errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the checked-in file")
    parser.add_argument("--report", action="store_true", help="print simulated errors")
    options = parser.parse_args()
    tables = {spec.name: fit(spec) for spec in FITS}
    if options.report:
        for name, error in simulate(tables).items():
            print(f"{name:5} {error:.3f} ULP")
    text = render(tables)
    if not options.check:
        HEADER.write_text(text)
        return 0
    if agree(HEADER.read_text(), text):
        return 0
    print(f"{HEADER} differs from what {Path(__file__).name} computes; run it without --check", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
