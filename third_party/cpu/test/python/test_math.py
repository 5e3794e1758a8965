"""Errors of the math functions that cpu-expand-math emits, in ULP against float64 or wider."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mlir_kernels import Kernel, compile_object, cpu, map_kernel

INLINE_LIMIT = 1.7
LIBRARY_LIMIT = 4.0
LANES = 48  # a multiple of every lane count below

# fmt: off
SPECIALS = np.array([
    0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.2e-38, -1.2e-38, 3.4e38, -3.4e38,
    88.72, 88.73, 89.0, -87.33, -87.34, -103.97, -103.98, -104.0, -104.1, 127.99, 128.0, 129.0,
    -125.9, -126.0, -149.0, -149.5, -150.0, -150.1, 0.99999994, 1.0000001, 3.9, 4.0, 4.1, 2 / 3, 4 / 3,
], dtype=np.float32)
# fmt: on

error_function = np.frompyfunc(math.erf, 1, 1)
complement = np.frompyfunc(math.erfc, 1, 1)

INLINE = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "erf": lambda x: error_function(x.astype(np.float64)).astype(np.float64),
    "tanh": np.tanh,
}

# Function, reference, domain.
LIBRARY = {
    "acos": (np.arccos, (-1, 1)),
    "acosh": (np.arccosh, (1, 50)),
    "asin": (np.arcsin, (-1, 1)),
    "asinh": (np.arcsinh, (-30, 30)),
    "atan": (np.arctan, (-30, 30)),
    "atanh": (np.arctanh, (-0.999, 0.999)),
    "cbrt": (np.cbrt, (-30, 30)),
    "cos": (np.cos, (-30, 30)),
    "cosh": (np.cosh, (-20, 20)),
    "erfc": (lambda x: complement(x.astype(np.float64)).astype(np.float64), (-3, 5)),
    "expm1": (np.expm1, (-5, 20)),
    "log10": (np.log10, (1e-3, 100)),
    "log1p": (np.log1p, (-0.9, 100)),
    "sin": (np.sin, (-30, 30)),
    "sinh": (np.sinh, (-20, 20)),
    "tan": (np.tan, (-30, 30)),
}


def targets() -> list[dict]:
    """The host, and older processors whose code the host can run."""
    older = [{"cpu_name": "x86-64", "vector_bits": 128}]
    if cpu.host()["vector_bits"] >= 256:
        older.append({"cpu_name": "haswell", "vector_bits": 256})
    return [{}, *(older if cpu.host()["triple"].startswith("x86_64") else [])]


def target_name(target: dict) -> str:
    return target.get("cpu_name", "host")


def compute(op: str, type_: str, lanes: int, *arrays: np.ndarray, **target: object) -> np.ndarray:
    kernel = Kernel("kernel", compile_object(map_kernel(op, type_, len(arrays)), **target))
    result = np.empty_like(arrays[0])
    kernel.run_range(0, len(result) // lanes, [*arrays, result])
    return result


def ulp_error(result: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """0 where both are NaN or the same infinity or zero, infinite where only one is."""
    dtype = result.dtype
    exact = exact.astype(np.longdouble)
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        spacing = np.spacing(np.minimum(np.abs(rounded), np.finfo(dtype).max))
        error = np.abs(result.astype(np.longdouble) - exact) / spacing
    same = (result == rounded) & (np.signbit(result) == np.signbit(rounded)) & ~np.isfinite(error)
    error[same | (np.isnan(result) & np.isnan(rounded))] = 0
    error[(result == 0) & (rounded == 0) & (np.signbit(result) != np.signbit(rounded))] = np.inf
    return np.where(np.isnan(error), np.inf, error)


def test_ulp_error_sees_wrong_results():
    exact = np.array([1.0, np.inf, np.nan, 0.0, 2.0, np.nan])
    wrong = np.array([1.0000004, 1.0, 1.0, -0.0, np.nan, np.inf], dtype=np.float32)
    assert (ulp_error(wrong, exact) > INLINE_LIMIT).all()
    assert (ulp_error(exact.astype(np.float32), exact) == 0).all()


@pytest.fixture(scope="module")
def inputs() -> np.ndarray:
    """Every order of magnitude, the ranges where results are neither 0 nor infinite, and special values."""
    random = np.random.default_rng(7)
    bits = random.integers(0, 2**32, 400_000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    bounds = ((-104, 89), (-150, 128), (-5, 5), (0.5, 2))
    ranges = [random.uniform(low, high, 200_000).astype(np.float32) for low, high in bounds]
    values = np.concatenate([bits, *ranges, np.tile(SPECIALS, 8)])
    return values[: len(values) // LANES * LANES]


@pytest.fixture(scope="module")
def exact_results(inputs: np.ndarray) -> dict[str, np.ndarray]:
    with np.errstate(all="ignore"):
        return {name: function(inputs.astype(np.float64)) for name, function in INLINE.items()}


@pytest.mark.parametrize("target", targets(), ids=target_name)
@pytest.mark.parametrize("name", INLINE)
@pytest.mark.parametrize("type_, lanes", [("vector<16xf32>", 16), ("vector<8xf32>", 8), ("vector<4xf32>", 4)])
def test_inline_function_is_accurate(name, type_, lanes, target, inputs, exact_results):
    result = compute(f"math.{name}", type_, lanes, inputs, **target)
    error = ulp_error(result, exact_results[name])
    worst = error.argmax()
    assert error[worst] <= INLINE_LIMIT, f"{name}({inputs[worst]!r}) = {result[worst]!r}"


@pytest.mark.parametrize("name", INLINE)
@pytest.mark.parametrize("type_, lanes", [("f32", 1), ("vector<1xf32>", 1), ("vector<3xf32>", 3)])
def test_inline_function_takes_any_lane_count(name, type_, lanes, inputs, exact_results):
    few = slice(-9600, None)
    result = compute(f"math.{name}", type_, lanes, inputs[few].copy())
    assert ulp_error(result, exact_results[name][few]).max() <= INLINE_LIMIT


@pytest.mark.parametrize("library", [True, False], ids=["libmvec", "libm"])
@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("name", LIBRARY)
def test_library_function_is_accurate(name, element, library):
    if library and not cpu.host()["vector_library"]:
        pytest.skip("this system has no libmvec")
    function, domain = LIBRARY[name]
    dtype = np.float32 if element == "f32" else np.float64
    x = np.random.default_rng(3).uniform(*domain, LANES * 20).astype(dtype)
    exact = function(x.astype(np.longdouble))
    for lanes in (2, 3, 4, 8, 16, 24):
        result = compute(f"math.{name}", f"vector<{lanes}x{element}>", lanes, x, vector_library=library)
        assert ulp_error(result, exact).max() <= LIBRARY_LIMIT, lanes
    scalar = compute(f"math.{name}", element, 1, x, vector_library=library)
    assert ulp_error(scalar, exact).max() <= LIBRARY_LIMIT


@pytest.mark.parametrize("name", INLINE)
def test_double_precision_function_is_accurate(name):
    x = np.random.default_rng(4).uniform(0.01, 5, LANES * 20)
    exact = INLINE[name](x.astype(np.longdouble))
    for lanes in (1, 2, 3, 8):
        assert ulp_error(compute(f"math.{name}", f"vector<{lanes}xf64>", lanes, x), exact).max() <= LIBRARY_LIMIT


@pytest.mark.parametrize("element", ["f32", "f64"])
def test_functions_of_two_arguments(element):
    dtype = np.float32 if element == "f32" else np.float64
    random = np.random.default_rng(5)
    x = random.uniform(0.01, 20, LANES * 20).astype(dtype)
    y = random.uniform(-4, 4, LANES * 20).astype(dtype)
    wide = x.astype(np.longdouble), y.astype(np.longdouble)
    for lanes in (3, 8):
        type_ = f"vector<{lanes}x{element}>"
        assert ulp_error(compute("math.powf", type_, lanes, x, y), np.power(*wide)).max() <= LIBRARY_LIMIT
        assert ulp_error(compute("math.atan2", type_, lanes, y, x), np.arctan2(*wide[::-1])).max() <= LIBRARY_LIMIT


@pytest.mark.parametrize("name", ["sqrt", "rsqrt", "floor", "ceil", "absf", "roundeven", "trunc"])
def test_functions_with_an_instruction(name):
    x = np.concatenate([np.random.default_rng(6).uniform(0, 100, 944), [0.5, 1.5, 2.5, 0, 1, 4, 9, 0.25] * 2])
    x = x.astype(np.float32)
    reference = {"rsqrt": lambda v: 1 / np.sqrt(v), "absf": np.abs, "roundeven": np.rint}.get(name)
    with np.errstate(divide="ignore"):
        exact = (reference or getattr(np, name))(x.astype(np.float64))
    assert ulp_error(compute(f"math.{name}", "vector<16xf32>", 16, x), exact).max() <= 1.5


def test_narrow_type_is_refused():
    with pytest.raises(RuntimeError, match="only f32 and f64"):
        compile_object(map_kernel("math.exp", "vector<16xf16>"))
