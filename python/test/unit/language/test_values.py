"""Constants, tuples, aggregates, functions as values, text, printing."""

import typing

import pytest
import triton
import triton.language as tl
from triton.language.core import _aggregate, _unwrap_if_constexpr, constexpr


def test_constexpr_operators():
    two = constexpr(2)
    assert (two + 3).value == 5
    assert (3 - two).value == 1
    assert (two < 3).value is True
    assert constexpr(constexpr(4)).value == 4
    assert [0, 1, 2][two] == 2
    assert bool(constexpr(0)) is False
    assert (-two).value == -2
    assert list(constexpr((1, 2))) == [1, 2]
    assert constexpr("ab").upper() == "AB"
    assert _unwrap_if_constexpr([constexpr(1), (constexpr(2),)]) == [1, (2,)]
    assert hash(constexpr(1)) != hash(constexpr(True))


def test_tuples_outside_of_kernels():
    t = tl.tuple([1, 2, 3])
    assert len(t) == 3
    assert t[1].value == 2
    assert len(t[1:]) == 2
    assert (t + (4,))[3].value == 4
    assert len(t * 2) == 6
    assert (t == (1, 2, 3)).value
    with pytest.raises(IndexError):
        t[3]


class Pair(typing.NamedTuple):
    first: object
    second: object


@triton.jit
def swap(pair):
    return Pair(pair.second, pair.first)


@triton.jit
def named_tuples(p, n):
    pair = swap(Pair(n, 2))
    tl.store(p, pair.first + pair[1])


def test_named_tuples(ttir):
    text = ttir(named_tuples, p="*i32", n="i32")
    assert "tt.func private" in text
    assert "-> (i32)" in text or "-> i32" in text


@triton.jit
def tuple_argument(p, pair, SIZES: tl.constexpr):
    values = [v + 1 for v in pair if True]
    total = values[0] + values[-1] + len(SIZES)
    for size in tl.static_range(SIZES[0], SIZES[1]):
        total += size
    tl.store(p, total)


def test_tuple_arguments(ttir):
    text = ttir(tuple_argument, p="*i64", pair=("i32", "i64"), SIZES=tl.constexpr((2, 4)))
    assert "%arg1: i32, %arg2: i64)" in text
    assert "arith.constant 3 : i64" in text


@triton.jit
def total_of(start, *values):
    result = start
    for i in tl.static_range(len(values)):
        result += values[i]
    return result


@triton.jit
def starred(p, n):
    rest = (1, n)
    tl.store(p, total_of(n, *rest, 3))


def test_starred_arguments(ttir):
    assert ttir(starred, p="*i32", n="i32").count("arith.addi") == 3


@triton.jit
def apply(fn: tl.constexpr, x):
    return fn(x)


@triton.jit
def double(x):
    return x * 2


@triton.jit
def triple(x):
    return x * 3


@triton.jit
def functions_as_values(p, n):
    tl.store(p, apply(double, n) + apply(triple, n))


def test_functions_are_values(ttir):
    text = ttir(functions_as_values, p="*i32", n="i32")
    assert "%c2_i32" in text
    assert "%c3_i32" in text


@_aggregate
class Accumulator:
    total: tl.tensor
    count: tl.tensor

    @triton.jit
    def __init__(self, total, count):
        self.total = total
        self.count = count

    @triton.jit
    def plus(self, x):
        return Accumulator(self.total + x, self.count + 1)

    @triton.jit
    def __add__(self, other):
        return Accumulator(self.total + other.total, self.count + other.count)


@_aggregate
class Scaled(Accumulator):
    scale: tl.constexpr

    @triton.jit
    def __init__(self, total, count, scale: tl.constexpr):
        self.total = total
        self.count = count
        self.scale = scale


@triton.jit
def aggregates(p, n):
    acc = Accumulator(n * 1.5, n)
    for i in range(n):
        acc = acc.plus(i)
    acc = acc + acc
    acc.count = acc.count * 2
    scaled = Scaled(n, n, 4)
    tl.static_assert(scaled.scale == 4)
    tl.store(p, acc.total / acc.count + scaled.total)


def test_aggregates(ttir):
    text = ttir(aggregates, p="*fp32", n="i32")
    assert "-> (f32, i32)" in text


@_aggregate
class Incomplete:
    a: tl.tensor
    b: tl.tensor

    @triton.jit
    def __init__(self, a):
        self.a = a


@triton.jit
def makes_incomplete(n):
    Incomplete(n)


@triton.jit
def sets_unknown_field(n):
    x = Accumulator(n, n)
    x.totel = n


def test_aggregates_with_mistakes(error_of):
    assert "did not set: b" in str(error_of(makes_incomplete, n="i32"))
    assert "no field 'totel'" in str(error_of(sets_unknown_field, n="i32"))


@triton.constexpr_function
def half(n):
    return n // 2


@tl.constexpr
def wider(dtype):
    return tl.float64 if dtype == tl.float32 else dtype


@triton.jit
def constant_functions(p, SIZE: tl.constexpr):
    at = tl.arange(0, half(SIZE))
    big: tl.constexpr = triton.next_power_of_2(SIZE + 1)
    tl.static_assert(big == 32)
    tl.static_assert(wider(tl.float32) == tl.float64)
    tl.static_assert(isinstance(SIZE, int) and isinstance(SIZE, tl.constexpr))
    tl.static_assert(hasattr(p, "dtype") and not hasattr(p, "nothing"))
    tl.static_assert(getattr(p, "dtype").element_ty == tl.int32)  # noqa: B009
    tl.static_assert(min(SIZE, 3) == 3 and max(1, 2, SIZE) == SIZE)
    tl.static_assert(float("inf") > 1e30 and int(2.5) == 2)
    tl.static_assert(tl.cdiv(SIZE, 3) == 6)
    tl.store(p + at, min(at, 3) + max(at, SIZE))


def test_functions_of_constants(ttir):
    text = ttir(constant_functions, p="*i32", SIZE=16)
    assert "end = 8 : i32" in text
    assert "arith.minsi" in text
    assert "arith.maxsi" in text


@triton.jit
def prints(p, n, NAME: tl.constexpr):
    tl.device_print(f"{NAME}:", n, hex=True)
    print("value", n)
    tl.static_print(f"{NAME!r} {3:03d}", n)
    tl.device_assert(n > 0, "n must be positive")
    assert n < 10, "too many"


def test_printing_and_assertions(ttir, capsys):
    text = ttir(prints, p="*i32", n="i32", NAME=tl.constexpr("size"))
    assert 'tt.print " size: " {hex = true, isSigned = array<i32: 1>} : %arg1 : i32' in text
    assert 'tt.print " value: " {hex = false' in text
    assert "tt.assert" not in text
    assert capsys.readouterr().out.strip() == "'size' 003 int32[]"
    text = ttir(prints, p="*i32", n="i32", NAME=tl.constexpr("size"), options={"debug": True})
    assert 'tt.assert %0, "n must be positive"' in text or '"n must be positive"' in text
    assert '"too many"' in text


@triton.jit
def overflow(p, n):
    tl.store(p, n + n * 2 - tl.add(n, n, sanitize_overflow=False))


def test_overflow_checks_are_opt_in(ttir):
    assert "tt.assert" not in ttir(overflow, p="*i32", n="i32", options={"sanitize_overflow": True})
    text = ttir(overflow, p="*i32", n="i32", options={"sanitize_overflow": True, "debug": True})
    assert text.count("tt.assert") == 3
    assert "int32 overflow detected for operation add" in text


@triton.jit
def reductions(p):
    x = tl.load(p + tl.arange(0, 16))
    best, where_best = tl.max(x, axis=0, return_indices=True)
    total = tl.reduce(x, 0, combine_sum)
    a, b = tl.reduce((x, x * 2), 0, combine_pair)
    scan = tl.associative_scan(x, 0, combine_sum, reverse=True)
    mapped = tl.map_elementwise(branchy, x, 3.0)
    tl.store(p, best + where_best + total + a + b + tl.sum(scan) + tl.sum(mapped))


@triton.jit
def combine_sum(a, b):
    return a + b


@triton.jit
def combine_pair(a1, b1, a2, b2):
    if a1 > a2:
        return a1, b1
    return a2, b2


@triton.jit
def branchy(x, y):
    while x > y:
        x -= y
    return x


def test_reductions(ttir):
    text = ttir(reductions, p="*fp32")
    assert text.count('"tt.reduce"') == 5
    assert "reverse = true" in text
    assert '"tt.map_elementwise"' in text
    assert "scf.while" in text


@triton.jit
def changes_type(a, b):
    return (a + b).to(tl.float64)


@triton.jit
def returns_too_many(a, b):
    return a, b


@triton.jit
def reduces_with(p, fn: tl.constexpr):
    tl.reduce(tl.load(p + tl.arange(0, 8)), 0, fn)


def test_combine_functions_with_mistakes(error_of):
    assert "must keep the dtype" in str(error_of(reduces_with, p="*fp32", fn=changes_type))
    assert "returned 2 values for 1 inputs" in str(error_of(reduces_with, p="*fp32", fn=returns_too_many))


@triton.jit
def assembly(p):
    x = tl.load(p + tl.arange(0, 8))
    y = tl.inline_asm_elementwise("mov $1, $0", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    a, b = tl.inline_asm_elementwise("two $0, $1, $2", "=r,=r,r", [x], dtype=(tl.int32, tl.int8), is_pure=False, pack=2)
    tl.store(p + tl.arange(0, 8), y + a + b)


def test_inline_assembly(ttir):
    text = ttir(assembly, p="*i32")
    assert (
        'tt.elementwise_inline_asm "mov $1, $0" {constraints = "=r,r", packed_element = 1 : i32, pure = true}' in text
    )
    assert "-> tensor<8xi32>, tensor<8xi8>" in text


def user_builtin(x, *, _semantic):
    return _semantic.add(x, 1)


user_builtin.__triton_builtin__ = True


@triton.jit
def uses_user_builtin(p, n):
    tl.store(p, user_builtin(n))


def test_functions_marked_as_builtins(ttir):
    assert "arith.addi" in ttir(uses_user_builtin, p="*i32", n="i32")
