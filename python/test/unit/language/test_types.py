"""Types, and which type an operator computes in."""

import copy
import pickle

import pytest
import triton
import triton.language as tl
from triton.language.core import get_int_dtype
from triton.language.semantic import IncompatibleTypeErrorImpl, python_scalar_type


def test_names_and_predicates():
    assert str(tl.float32) == "fp32"
    assert repr(tl.float32) == "triton.language.float32"
    assert tl.bfloat16.is_bf16() and tl.bfloat16.is_floating() and not tl.bfloat16.is_fp16()
    assert tl.uint8.is_int_unsigned() and not tl.uint8.is_int_signed()
    assert tl.int1.is_bool() and tl.int1.itemsize == 1
    assert (tl.int8.get_int_min_value(), tl.int8.get_int_max_value()) == (-128, 127)
    assert tl.uint16.get_int_max_value() == 65535
    assert tl.float8e5.is_fp8() and tl.float8e5.fp_mantissa_width == 2
    with pytest.raises(RuntimeError, match="fp33"):
        tl.dtype("fp33")


def test_equality_and_copies():
    assert tl.pointer_type(tl.int8) == tl.pointer_type(tl.int8) != tl.pointer_type(tl.uint8)
    assert tl.pointer_type(tl.int8, const=True) != tl.pointer_type(tl.int8)
    assert tl.block_type(tl.int8, [4, 8]) == tl.block_type(tl.int8, (4, 8)) != tl.block_type(tl.int8, [8, 4])
    for ty in (tl.float32, tl.pointer_type(tl.int8), tl.block_type(tl.int8, [4]), tl.constexpr(3)):
        assert pickle.loads(pickle.dumps(ty)) == ty
        assert copy.deepcopy(ty) == ty
    assert len({tl.int8, tl.dtype("int8"), tl.int16}) == 2


@pytest.mark.parametrize(
    ("text", "ty"),
    [
        ("i32", tl.int32),
        ("u1", tl.int1),
        ("*fp32", tl.pointer_type(tl.float32)),
        ("*ki8", tl.pointer_type(tl.int8, const=True)),
        ("fp8e4nv", tl.float8e4nv),
    ],
)
def test_str_to_ty(text, ty):
    assert tl.str_to_ty(text, None) == ty


def test_str_to_ty_of_unknown_text():
    with pytest.raises(ValueError, match="float33"):
        tl.str_to_ty("float33", None)
    descriptor = tl.str_to_ty("tensordesc<fp32[2, 8]>", None)
    assert descriptor.block_type == tl.block_type(tl.float32, [2, 8])


def test_get_int_dtype():
    assert get_int_dtype(16, False) == tl.uint16
    assert get_int_dtype(bitwidth=1, signed=True) == tl.int1
    with pytest.raises(ValueError, match="24"):
        get_int_dtype(24, True)


@pytest.mark.parametrize(
    ("number", "ty"),
    [
        (True, tl.int1),
        (2**31 - 1, tl.int32),
        (2**31, tl.uint32),
        (2**32, tl.int64),
        (2**63, tl.uint64),
        (-(2**63), tl.int64),
        (1.0, tl.float32),
        (1e300, tl.float64),
        (1e-300, tl.float64),
        (0.0, tl.float32),
        (float("inf"), tl.float32),
        (float("nan"), tl.float32),
    ],
)
def test_type_of_a_number(number, ty):
    assert python_scalar_type(number) == ty


def test_number_that_is_too_large():
    with pytest.raises(ValueError, match="64 bits"):
        python_scalar_type(2**64)
    assert pickle.loads(pickle.dumps(IncompatibleTypeErrorImpl(tl.int8, tl.float32))).type_b == tl.float32


def test_blocks_have_powers_of_two():
    with pytest.raises(ValueError, match="power of 2, got 3"):
        tl.block_type(tl.int8, [3])
    with pytest.raises(ValueError, match="1048576"):
        tl.block_type(tl.int8, [2048, 1024])
    with pytest.raises(TypeError, match=r"constexpr\[float\]"):
        tl.block_type(tl.int8, [4.0])


# --- promotion, as seen by static_assert ---
@triton.jit
def binary(A: tl.constexpr, B: tl.constexpr, SUM: tl.constexpr, QUOTIENT: tl.constexpr):
    a = tl.full((8,), 1, A)
    b = tl.full((8,), 1, B)
    tl.static_assert((a + b).dtype == SUM, f"sum is {(a + b).dtype}")
    tl.static_assert((a / b).dtype == QUOTIENT, f"quotient is {(a / b).dtype}")
    tl.static_assert((a < b).dtype == tl.int1)
    tl.static_assert((a + b).shape[0] == 8)


@pytest.mark.parametrize(
    ("a", "b", "total", "quotient"),
    [
        (tl.float16, tl.float32, tl.float32, tl.float32),
        (tl.float16, tl.float64, tl.float64, tl.float64),
        (tl.float16, tl.float16, tl.float16, tl.float32),
        (tl.bfloat16, tl.bfloat16, tl.bfloat16, tl.float32),
        (tl.bfloat16, tl.float16, tl.float16, tl.float32),
        (tl.bfloat16, tl.int32, tl.float32, tl.float32),
        (tl.float16, tl.int64, tl.float16, tl.float32),
        (tl.int8, tl.int32, tl.int32, tl.float32),
        (tl.uint8, tl.uint32, tl.uint32, tl.float32),
        (tl.int1, tl.int1, tl.int1, tl.float32),
    ],
)
def test_promotion(module_of, a, b, total, quotient):
    module_of(binary, A=a, B=b, SUM=total, QUOTIENT=quotient)
    module_of(binary, A=b, B=a, SUM=total, QUOTIENT=quotient)


@triton.jit
def mixed_signs(A: tl.constexpr, B: tl.constexpr, SUM: tl.constexpr):
    a = tl.full((8,), 1, A)
    b = tl.full((8,), 1, B)
    tl.static_assert((a + b).dtype == SUM, f"sum is {(a + b).dtype}")
    tl.static_assert((a & b).dtype == SUM)


@pytest.mark.parametrize(
    ("a", "b", "total"),
    [
        (tl.int8, tl.uint8, tl.uint8),
        (tl.int16, tl.uint8, tl.int16),
        (tl.int32, tl.uint32, tl.uint32),
        (tl.uint16, tl.int8, tl.uint16),
        (tl.int64, tl.uint32, tl.int64),
    ],
)
def test_promotion_of_integers_of_different_signs(module_of, a, b, total):
    module_of(mixed_signs, A=a, B=b, SUM=total)


@triton.jit
def with_number(A: tl.constexpr, N: tl.constexpr, SUM: tl.constexpr):
    a = tl.full((8,), 1, A)
    tl.static_assert((a + N).dtype == SUM, f"sum is {(a + N).dtype}")
    tl.static_assert((N * a).dtype == SUM)


@pytest.mark.parametrize(
    ("dtype", "number", "total"),
    [
        (tl.int8, 3, tl.int8),
        (tl.float16, 3, tl.float16),
        (tl.float16, 2.5, tl.float16),
        (tl.bfloat16, 2.5, tl.bfloat16),
        (tl.int32, 2.5, tl.float32),
        (tl.int1, 3, tl.int32),
        (tl.uint8, True, tl.uint8),
        (tl.int64, 2.5, tl.float32),
        (tl.float64, 2.5, tl.float64),
    ],
)
def test_numbers_take_the_type_of_the_tensor(module_of, dtype, number, total):
    module_of(with_number, A=dtype, N=number, SUM=total)


@triton.jit
def signs_in_division(A: tl.constexpr, B: tl.constexpr):
    tl.full((8,), 1, A) // tl.full((8,), 1, B)


def test_division_of_different_signs(error_of):
    assert "signedness" in str(error_of(signs_in_division, A=tl.int32, B=tl.uint32))


@triton.jit
def add_number(A: tl.constexpr, N: tl.constexpr):
    tl.full((8,), 1, A) + N


@pytest.mark.parametrize(
    ("dtype", "number", "message"),
    [(tl.uint8, -1, "negative number -1"), (tl.int8, 300, "300 is out of range for type int8")],
)
def test_numbers_that_do_not_fit(error_of, dtype, number, message):
    assert message in str(error_of(add_number, A=dtype, N=number))


@triton.jit
def compare_out_of_range(p, A: tl.constexpr, N: tl.constexpr):
    tl.store(p, tl.full((), 1, A) == N)


def test_comparison_with_a_number_out_of_range(ttir):
    # A narrow signed value is widened; -1 and an unsigned value compare as in C.
    assert "arith.extsi" in ttir(compare_out_of_range, p="*i1", A=tl.int8, N=300)
    text = ttir(compare_out_of_range, p="*i1", A=tl.uint32, N=-1)
    assert "arith.constant -1 : i32" in text
    assert "arith.ext" not in text.split("arith.cmpi")[0]


@triton.jit
def casts(p, q, A: tl.constexpr):
    x = tl.load(p)
    tl.store(q, x.to(A))


@pytest.mark.parametrize(
    ("source", "target", "operation"),
    [
        ("fp32", tl.float16, "arith.truncf"),
        ("fp16", tl.float64, "arith.extf"),
        ("fp32", tl.int32, "arith.fptosi"),
        ("fp32", tl.uint8, "arith.fptoui"),
        ("i32", tl.float32, "arith.sitofp"),
        ("u32", tl.float32, "arith.uitofp"),
        ("i64", tl.int8, "arith.trunci"),
        ("i8", tl.int64, "arith.extsi"),
        ("u8", tl.int64, "arith.extui"),
        ("fp32", tl.int1, "arith.cmpf une"),
        ("i32", tl.int1, "arith.cmpi ne"),
        ("fp32", tl.float8e5, "tt.fp_to_fp %0, rounding = rtne"),
        ("fp8e5", tl.float32, "tt.fp_to_fp"),
    ],
)
def test_casts(ttir, source, target, operation):
    canonical = {tl.float8e5: "fp8e5", tl.int1: "i1"}.get(target, "fp64" if target.is_floating() else "i64")
    assert operation in ttir(casts, p="*" + source, q="*" + canonical, A=target)


@triton.jit
def bad_bitcast(n):
    n.to(tl.float64, bitcast=True)


@triton.jit
def rounding_of_integers(n):
    n.to(tl.int8, fp_downcast_rounding="rtz")


@triton.jit
def unknown_rounding(x):
    x.to(tl.float16, fp_downcast_rounding="up")


def test_casts_that_have_no_meaning(error_of):
    assert "32 bits" in str(error_of(bad_bitcast, n="i32"))
    assert "narrowing" in str(error_of(rounding_of_integers, n="i32"))
    assert "'rtne' or 'rtz'" in str(error_of(unknown_rounding, x="fp32"))


@triton.jit
def to_fp8(x):
    x.to(tl.float8e4nv)


def test_fp8_that_the_target_lacks(error_of):
    message = str(error_of(to_fp8, x="fp32", options={"supported_fp8_dtypes": ("fp8e5",)}))
    assert "fp8e4nv" in message
    assert "fp8e5" in message
