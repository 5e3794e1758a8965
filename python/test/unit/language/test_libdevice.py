"""libdevice: neutral names, their binding to a backend, and the functions of the CPU against Python's and NumPy's."""

import math
import types

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language.extra import libdevice

COUNT = 128


@triton.jit
def apply1(fn: tl.constexpr, x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, fn(tl.load(x_ptr + at)))


@triton.jit
def apply2(fn: tl.constexpr, x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, fn(tl.load(x_ptr + at), tl.load(y_ptr + at)))


@triton.jit
def tanh_kernel(p):
    tl.store(p, libdevice.tanh(tl.load(p)))


def test_names():
    assert len(libdevice.__all__) == 198
    for name in ("tanh", "float2int_rz", "cyl_bessel_i1", "norm4d", "fma_ru", "byte_perm"):
        assert name in libdevice.__all__
        assert getattr(libdevice, name).__module__ == "triton.language.extra.libdevice"


def test_functions_that_the_target_lacks(error_of):
    assert "libdevice.tanh is not available on this target" in str(error_of(tanh_kernel, p="*fp32"))
    empty = {"triton.language.extra.libdevice": types.ModuleType("empty_backend")}
    message = str(error_of(tanh_kernel, p="*fp32", module_map=empty))
    assert "'tanh'" in message or "tanh is not available" in message
    assert "empty_backend" in message


@triton.jit
def named_arguments(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, libdevice.pow(arg1=2.0, arg0=x) + libdevice.fma(x, arg2=1.0, arg1=x) + libdevice.exp2(arg0=x))


@triton.jit
def wrong_name(x_ptr, out_ptr):
    tl.store(out_ptr, libdevice.pow(tl.load(x_ptr), arg0=2.0))


@triton.jit
def too_many(x_ptr, out_ptr):
    tl.store(out_ptr, libdevice.exp2(tl.load(x_ptr), 2.0))


def test_arguments_by_name():
    x, out = np.full(1, 3, np.float32), np.zeros(1, np.float32)
    named_arguments[(1,)](x, out)
    assert out[0] == 9 + 10 + 8


def test_wrong_arguments():
    x = np.zeros(1, np.float32)
    with pytest.raises(triton.CompilationError, match=r"pow takes \(arg0, arg1\), got \(\.\.\., arg0=\.\.\.\)"):
        wrong_name[(1,)](x, x)
    with pytest.raises(triton.CompilationError, match=r"libdevice.exp2 takes \(arg0\), got \(\.\.\., \.\.\.\)"):
        too_many[(1,)](x, x)


def test_backends_bind_the_names(ttir):
    backend = types.ModuleType("some_backend")

    @tl.core.builtin
    def tanh(x, _semantic=None):
        table = {(tl.float32,): ("my_tanhf", tl.float32)}
        return tl.core.extern_elementwise("lib", "path", [x], table, True, _semantic=_semantic)

    backend.tanh = tanh
    text = ttir(tanh_kernel, p="*fp32", module_map={"triton.language.extra.libdevice": backend})
    assert 'libname = "lib", libpath = "path", pure = true, symbol = "my_tanhf"' in text


def run(name, *arguments, dtype=None):
    arguments = [np.ascontiguousarray(a) for a in arguments]
    out = np.empty(COUNT, dtype or arguments[0].dtype)
    kernel = apply1 if len(arguments) == 1 else apply2
    kernel[(1,)](getattr(libdevice, name), *arguments, out, N=COUNT)
    return out


def numbers(dtype, low, high):
    return np.random.default_rng(0).uniform(low, high, COUNT).astype(dtype)


def tolerance(dtype):
    return 4e-6 if dtype == "float32" else 2e-13


UNARY = {
    "acos": (math.acos, -1, 1),
    "acosh": (math.acosh, 1, 9),
    "asinh": (math.asinh, -9, 9),
    "atan": (math.atan, -9, 9),
    "atanh": (math.atanh, -0.9, 0.9),
    "cbrt": (np.cbrt, -9, 9),
    "cosh": (math.cosh, -5, 5),
    "erf": (math.erf, -3, 3),
    "erfc": (math.erfc, -3, 3),
    "exp10": (lambda v: 10**v, -5, 5),
    "expm1": (math.expm1, -2, 2),
    "floor": (math.floor, -9, 9),
    "lgamma": (math.lgamma, 0.1, 9),
    "log10": (math.log10, 0.1, 9),
    "log1p": (math.log1p, -0.9, 9),
    "rint": (round, -9, 9),
    "round": (lambda v: math.copysign(math.floor(abs(v) + 0.5), v), -9, 9),
    "rsqrt": (lambda v: v**-0.5, 0.1, 9),
    "sinh": (math.sinh, -5, 5),
    "tan": (math.tan, -1.5, 1.5),
    "tanh": (math.tanh, -5, 5),
    "tgamma": (math.gamma, 0.1, 9),
    "trunc": (math.trunc, -9, 9),
    "normcdf": (lambda v: math.erfc(-v / math.sqrt(2)) / 2, -3, 3),
    "rcbrt": (lambda v: 1 / np.cbrt(v), 0.1, 9),
    "saturatef": (lambda v: min(max(v, 0), 1), -1, 2),
    "fast_expf": (math.exp, -5, 5),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", UNARY)
def test_unary_functions(name, dtype):
    reference, low, high = UNARY[name]
    x = numbers(dtype, low, high)
    expected = np.array([float(reference(float(v))) for v in x])
    np.testing.assert_allclose(run(name, x), expected, rtol=tolerance(dtype), atol=tolerance(dtype) / 10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_inverse_functions(dtype):
    x = numbers(dtype, -0.999, 0.999)
    back = [math.erf(float(v)) for v in run("erfinv", x)]
    np.testing.assert_allclose(back, x, rtol=tolerance(dtype) * 2)
    back = [math.erfc(float(v)) for v in run("erfcinv", x + 1)]
    np.testing.assert_allclose(back, x + 1, rtol=tolerance(dtype) * 4)
    tiny = np.full(COUNT, 1e-30, dtype)
    np.testing.assert_allclose(
        math.erfc(float(run("erfcinv", tiny)[0])), 1e-30, rtol=1e-4 if dtype == "float32" else 1e-9
    )
    ends = np.resize(np.array([1, -1, 2, 0], dtype), COUNT)
    np.testing.assert_array_equal(run("erfinv", ends)[:4], [np.inf, -np.inf, np.nan, 0])


def bessel_i(order, x):
    """The defining integral, by the midpoint rule, which converges geometrically for periodic functions."""
    angles = (np.arange(400) + 0.5) * np.pi / 400
    return np.mean(np.exp(x * np.cos(angles)) * np.cos(order * angles))


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_modified_bessel_functions(dtype, order):
    x = numbers(dtype, -40, 40)
    expected = [bessel_i(order, float(v)) for v in x]
    np.testing.assert_allclose(run(f"cyl_bessel_i{order}", x), expected, rtol=tolerance(dtype) * 4, atol=1e-12)


BINARY = {
    "atan2": (np.arctan2, -5),
    "copysign": (np.copysign, -5),
    "fdim": (lambda a, b: np.maximum(a - b, 0), -5),
    "fmod": (np.fmod, -5),
    "hypot": (np.hypot, -5),
    "pow": (np.power, 0.1),
    "nextafter": (np.nextafter, -5),
    "rhypot": (lambda a, b: 1 / np.hypot(a, b), -5),
    "remainder": (lambda a, b: a - b * np.round(a / b), -5),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", BINARY)
def test_binary_functions(name, dtype):
    reference, low = BINARY[name]
    x, y = numbers(dtype, low, 5), numbers(dtype, -5, 5)[::-1]
    expected = reference(x, y) if name == "nextafter" else reference(x.astype("float64"), y.astype("float64"))
    atol = 5e-6 if dtype == "float32" else 1e-14
    np.testing.assert_allclose(run(name, x, y), expected, rtol=tolerance(dtype), atol=atol)


ROUNDINGS = {"rn": np.round, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}


@pytest.mark.parametrize("direction", ROUNDINGS)
def test_rounded_conversions(direction):
    x = numbers("float32", -100, 100)
    np.testing.assert_array_equal(run(f"float2int_{direction}", x, dtype="int32"), ROUNDINGS[direction](x))
    wide = numbers("float64", -1e12, 1e12)
    np.testing.assert_array_equal(run(f"double2ll_{direction}", wide, dtype="int64"), ROUNDINGS[direction](wide))


@pytest.mark.parametrize(
    ("direction", "holds"),
    [("rd", np.less_equal), ("ru", np.greater_equal), ("rz", lambda a, b: np.abs(a) <= np.abs(b))],
)
def test_rounding_directions(direction, holds):
    x, y = numbers("float32", -9, 9), numbers("float32", 1, 7)
    exact = x.astype("float64") * y.astype("float64")
    got = run(f"mul_{direction}", x, y)
    assert holds(got.astype("float64"), exact).all()
    assert (np.abs(got - exact) <= np.spacing(np.abs(got))).all()
    integers = np.random.default_rng(1).integers(-(2**62), 2**62, COUNT)
    got = run(f"ll2double_{direction}", integers, dtype="float64")
    assert holds([int(v) for v in got], integers.astype(object)).all()
    got = run(f"double2float_{direction}", exact, dtype="float32")
    assert holds(got.astype("float64"), exact).all()


def test_integer_functions():
    x = np.random.default_rng(2).integers(-(2**31), 2**31, COUNT).astype("int32")
    x[:3] = [0, -1, -(2**31)]
    bits = [int(v) & 0xFFFFFFFF for v in x]
    np.testing.assert_array_equal(run("popc", x), [v.bit_count() for v in bits])
    np.testing.assert_array_equal(run("clz", x), [32 - v.bit_length() for v in bits])
    np.testing.assert_array_equal(run("ffs", x), [(v & -v).bit_length() for v in bits])
    reverse = np.array([int(f"{v:032b}"[::-1], 2) for v in bits], "uint32").view("int32")
    np.testing.assert_array_equal(run("brev", x), reverse)
    y = x[::-1]
    np.testing.assert_array_equal(run("mulhi", x, y), (x.astype("int64") * y) >> 32)
    np.testing.assert_array_equal(run("hadd", x, y), (x.astype("int64") + y) >> 1)
    np.testing.assert_array_equal(run("rhadd", x, y), (x.astype("int64") + y + 1) >> 1)
    np.testing.assert_array_equal(run("float_as_int", x.view("float32"), dtype="int32"), x)


def test_classification():
    x = np.resize(np.array([1, -0.0, np.inf, -np.inf, np.nan], "float32"), COUNT)
    np.testing.assert_array_equal(run("isnan", x, dtype="int32"), np.isnan(x))
    np.testing.assert_array_equal(run("isinf", x, dtype="int32"), np.isinf(x))
    np.testing.assert_array_equal(run("finitef", x, dtype="int32"), np.isfinite(x))
    np.testing.assert_array_equal(run("signbit", x, dtype="int32"), np.signbit(x))
    positive = numbers("float32", 1, 100)
    np.testing.assert_array_equal(run("ilogb", positive, dtype="int32"), np.floor(np.log2(positive)))
