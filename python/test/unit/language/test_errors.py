"""What cannot be compiled: the error names it and points at its place."""

import pickle

import pytest
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct

A_GLOBAL = 5
A_CONSTANT = tl.constexpr(5)


def plain_function(x):
    return x


@triton.jit
def nested_function(p):
    def inner(x):
        return x

    tl.store(p, inner(1))


@triton.jit
def uses_lambda(p):
    tl.store(p, (lambda x: x)(1))


@triton.jit
def uses_class(p):
    class Inner:
        pass


@triton.jit
def uses_try(p):
    try:
        tl.store(p, 1)
    finally:
        tl.store(p, 2)


@triton.jit
def uses_raise(p):
    raise ValueError("no")


@triton.jit
def uses_global(p):
    global A_GLOBAL
    A_GLOBAL = 3


@triton.jit
def uses_break(p, n):
    for _ in range(n):
        break


@triton.jit
def uses_continue(p, n):
    for _ in range(n):
        continue


@triton.jit
def uses_in(p, n):
    if n in (1, 2):
        tl.store(p, 1)


@triton.jit
def uses_dict(p):
    x = {"a": 1}
    tl.store(p, x["a"])


@triton.jit
def assigns_item(p):
    x = tl.arange(0, 8)
    x[0] = 1


@triton.jit
def assigns_attribute(p):
    p.field = 1


@triton.jit
def while_else(p, n):
    while n > 1:
        n -= 1
    else:
        tl.store(p, 1)


@triton.jit
def for_else(p, n):
    for _ in range(n):
        pass
    else:
        tl.store(p, 1)


@triton.jit
def return_in_loop(p, n):
    for _ in range(n):
        return


@triton.jit
def starred_target(p):
    first, *rest = (1, 2, 3)
    tl.store(p, first)


@triton.jit
def calls_plain_function(p):
    tl.store(p, plain_function(1))


@triton.jit
def keyword_dict(p, n):
    tl.store(p, 1, **n)


@triton.jit
def launches(p):
    returns_value[(1,)](p)


@pytest.mark.parametrize(
    ("kernel", "text", "hint"),
    [
        (nested_function, "def inner", "module level"),
        (uses_lambda, "lambda", "tl.store(p, (lambda"),
        (uses_class, "class Inner", "class"),
        (uses_try, "try:", "`try`"),
        (uses_raise, "raise", "device_assert"),
        (uses_global, "global", "`global`"),
        (uses_break, "break", "while"),
        (uses_continue, "continue", "`if`"),
        (uses_in, "n in (1, 2)", "`or`"),
        (uses_dict, "{", "tuple"),
        (assigns_item, "x[0] = 1", "tl.where"),
        (assigns_attribute, "p.field = 1", "cannot be assigned"),
        (while_else, "else", "`else`"),
        (for_else, "else", "`else`"),
        (return_in_loop, "return", "loop"),
        (starred_target, "*rest", "starred"),
        (calls_plain_function, "plain_function(1)", "@triton.jit"),
        (keyword_dict, "tl.store", "`**`"),
        (launches, "returns_value[(1,)]", "cannot launch"),
    ],
)
def test_unsupported_constructs(error_of, kernel, text, hint):
    arguments = {"p": "*i32", "n": "i32"}
    error = error_of(kernel, **{name: arguments[name] for name in kernel.arg_names})
    assert isinstance(error, UnsupportedLanguageConstruct)
    assert hint in str(error)
    shown = str(error).split("\n")
    caret = next(i for i, line in enumerate(shown) if line.strip() == "^")
    assert text[: len(text)] in shown[caret - 1] or text in "\n".join(shown[:caret])
    assert shown[0] == f"at {error.node.lineno}:{error.node.col_offset}:"
    assert shown[caret].index("^") == error.node.col_offset


@triton.jit
def returns_value(p):
    return tl.load(p)


@triton.jit
def mismatched_shapes(p):
    tl.arange(0, 8) + tl.arange(0, 16)


@triton.jit
def odd_arange(p):
    tl.arange(0, 7)


@triton.jit
def runtime_arange(p, n):
    tl.arange(0, n)


@triton.jit
def axis_out_of_range(p):
    tl.sum(tl.arange(0, 8), axis=1)


@triton.jit
def grid_axis(p):
    tl.program_id(3)


@triton.jit
def exp_of_integers(p):
    tl.exp(tl.arange(0, 8))


@triton.jit
def bits_of_floats(p, x):
    tl.store(p, x & 1)


@triton.jit
def load_of_number(n):
    tl.load(n)


@triton.jit
def store_to_const(p: tl.const):
    tl.store(p, 1)


@triton.jit
def store_block_to_scalar(p):
    tl.store(p, tl.arange(0, 8))


@triton.jit
def other_without_mask(p):
    tl.load(p, other=1)


@triton.jit
def bad_cache(p):
    tl.load(p, cache_modifier=".xx")


@triton.jit
def unknown_name(p, block_size):
    tl.store(p, block_sise)


@triton.jit
def unknown_function(p):
    tl.stor(p, 1)


@triton.jit
def unknown_method(p):
    tl.arange(0, 8).summ()


@triton.jit
def reads_global(p):
    tl.store(p, A_GLOBAL)


@triton.jit
def unknown_keyword(p):
    tl.load(p, maks=None)


@triton.jit
def bad_unpack(p):
    a, b = (1, 2, 3)
    tl.store(p, a + b)


@triton.jit
def reassigned_constexpr(p):
    x: tl.constexpr = 3
    x: tl.constexpr = 4
    tl.store(p, x)


@triton.jit
def runtime_constexpr(p, n):
    x: tl.constexpr = n
    tl.arange(0, x)


@triton.jit
def inner_dimensions(p):
    tl.dot(tl.zeros((16, 32), tl.float32), tl.zeros((16, 32), tl.float32))


@triton.jit
def dot_of_types(p):
    tl.dot(tl.zeros((16, 16), tl.float32), tl.zeros((16, 16), tl.float16))


@triton.jit
def bad_reshape(p):
    tl.reshape(tl.arange(0, 8), (4, 4))


@triton.jit
def bad_permute(p):
    tl.permute(tl.zeros((4, 8), tl.int32), 0, 0)


@triton.jit
def bad_index(p):
    tl.arange(0, 8)[1]


@triton.jit
def atomic_on_bytes(p):
    tl.atomic_add(p, 1)


@triton.jit
def bad_sem(p):
    tl.atomic_add(p, 1, sem="strong")


@triton.jit
def advance_unused(p):
    block = tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (0,))
    tl.advance(block, (8,))


@triton.jit
def zero_step(p, n):
    for i in range(0, n, 0):
        tl.store(p, i)


@triton.jit
def block_and_tuple(p, n):
    tl.store(p, n + (1, 2))


@triton.jit
def len_of_nothing(p):
    tl.store(p, len())


@triton.jit
def unknown_keyword_of_exp(p):
    tl.store(p, tl.exp(1.0, precise=True))


@triton.jit
def enormous_power(p):
    tl.store(p, 8**2**63)


@triton.jit
def enormous_shift(p):
    tl.store(p, 1 << 2**40)


@triton.jit
def enormous_tuple(p):
    x = (1, 2) * 2**40


@triton.jit
def enormous_loop(p):
    for i in tl.static_range(2**40, 0, -2):
        tl.store(p, i)


@pytest.mark.parametrize(
    ("kernel", "types", "message"),
    [
        (enormous_power, "*i32", "the constant would have 3.69e+19 bits"),
        (enormous_shift, "*i32", "the constant would have 1.1e+12 bits"),
        (enormous_tuple, "*i32", "the constant would have 2.2e+12 items"),
        (enormous_loop, "*i32", "a loop of 549755813888 iterations is too large to be unrolled"),
        (block_and_tuple, "*i32 i32", "Add of int32[] and"),
        (len_of_nothing, "*i32", "len() takes 1 positional arguments, got 0"),
        (unknown_keyword_of_exp, "*i32", "exp() got an unexpected keyword argument 'precise'"),
        (returns_value, "*i32", "cannot return a value"),
        (mismatched_shapes, "*i32", "[8] and [16]"),
        (odd_arange, "*i32", "power of 2"),
        (runtime_arange, "*i32 i32", "constexpr"),
        (axis_out_of_range, "*i32", "axis 1 is out of range"),
        (grid_axis, "*i32", "program_id axis must be 0, 1, or 2 but got 3"),
        (exp_of_integers, "*i32", "fp32 or fp64, got int32"),
        (bits_of_floats, "*i32 fp32", "fp32"),
        (load_of_number, "i32", "tl.load needs a pointer"),
        (store_to_const, "*ki32", "tl.const"),
        (store_block_to_scalar, "*i32", "the pointer is a scalar"),
        (other_without_mask, "*i32", "needs a `mask`"),
        (bad_cache, "*i32", "'.xx'"),
        (unknown_name, "*i32 i32", "Did you mean 'block_size'?"),
        (unknown_function, "*i32", "Did you mean 'store'?"),
        (unknown_method, "*i32", "Did you mean 'sum'?"),
        (reads_global, "*i32", "`A_GLOBAL = tl.constexpr(...)`"),
        (unknown_keyword, "*i32", "maks"),
        (bad_unpack, "*i32", "cannot unpack 3 values into 2 names"),
        (reassigned_constexpr, "*i32", "cannot be assigned again"),
        (runtime_constexpr, "*i32 i32", "end must be a constexpr integer"),
        (inner_dimensions, "*i32", "(32) must equal"),
        (dot_of_types, "*i32", "same dtype"),
        (bad_reshape, "*i32", "number of elements"),
        (bad_permute, "*i32", "permutation"),
        (bad_index, "*i32", "unsupported tensor index"),
        (atomic_on_bytes, "*i8", "16, 32 or 64 bits"),
        (bad_sem, "*i32", "'strong'"),
        (advance_unused, "*i32", "assign the result"),
        (zero_step, "*i32 i32", "must not be zero"),
    ],
)
def test_mistakes(error_of, kernel, types, message):
    error = error_of(kernel, **dict(zip(kernel.arg_names, types.split())))
    assert message in str(error)
    assert "^" in str(error)


@triton.jit
def takes_constant(x, SIZE: tl.constexpr):
    return x + tl.arange(0, SIZE)


@triton.jit
def passes_runtime_value(p, n):
    tl.store(p + tl.arange(0, 8), takes_constant(n, n))


@triton.jit
def misses_argument(p, n):
    tl.store(p + tl.arange(0, 8), takes_constant(n))


@triton.jit
def has_surplus_argument(p, n):
    tl.store(p + tl.arange(0, 8), takes_constant(n, 8, 9))


@triton.jit
def has_unknown_argument(p, n):
    tl.store(p + tl.arange(0, 8), takes_constant(n, SIZES=8))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (passes_runtime_value, "arange"),
        (misses_argument, "missing the argument 'SIZE'"),
        (has_surplus_argument, "takes 2 arguments but 3 were given"),
        (has_unknown_argument, "SIZE"),
    ],
)
def test_calls_with_wrong_arguments(error_of, kernel, message):
    assert message in str(error_of(kernel, p="*i32", n="i32"))


@triton.jit
def broken_callee(x):
    return x.no_such_method()


@triton.jit
def middle(x):
    return broken_callee(x) + 1


@triton.jit
def outer(p, n):
    tl.store(p, middle(n))


def test_errors_of_callees_are_chained(error_of):
    error = error_of(outer, p="*i32", n="i32")
    assert "def outer" in str(error)
    assert "in middle(), called here: in broken_callee(), called here" in str(error)
    inner = error.__cause__.__cause__
    assert isinstance(inner, CompilationError)
    assert "def broken_callee" in str(inner)
    assert "no_such_method" in str(inner)


@triton.jit
def recursive(n):
    return recursive(n) + 1


@triton.jit
def calls_recursive(p, n):
    tl.store(p, recursive(n))


def test_recursion(error_of):
    assert "recursion" in str(error_of(calls_recursive, p="*i32", n="i32"))


@triton.jit
def static_assertion(SIZE: tl.constexpr):
    tl.static_assert(SIZE % 3 == 0, f"{SIZE} is no multiple of three")


def test_static_assert(error_of, module_of):
    module_of(static_assertion, SIZE=9)
    error = error_of(static_assertion, SIZE=8)
    assert isinstance(error, CompileTimeAssertionFailure)
    assert "8 is no multiple of three" in str(error)


@triton.jit
def constant_global(p):
    tl.store(p, A_CONSTANT)


def test_constant_globals_can_be_read(ttir):
    assert "arith.constant 5 : i32" in ttir(constant_global, p="*i32")


def test_any_global_can_be_read_when_allowed(ttir, monkeypatch):
    monkeypatch.setenv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "1")
    assert "arith.constant 5 : i32" in ttir(reads_global, p="*i32")


def test_missing_constant(context):
    from triton.compiler.code_generator import ast_to_ttir

    class Source:
        name = "static_assertion"
        signature = {"SIZE": "constexpr"}
        constants = {}
        attrs = {}

    with pytest.raises(TypeError, match="'SIZE' is missing"):
        ast_to_ttir(static_assertion, Source, context, None, {}, {})


def test_errors_can_be_pickled(error_of):
    error = error_of(static_assertion, SIZE=8)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)


def test_at_most_twelve_lines_are_shown():
    node = type("Node", (), {"lineno": 30, "col_offset": 2})()
    text = str(CompilationError("\n".join(f"line {i}" for i in range(1, 40)), node, "what"))
    assert text.split("\n") == ["at 30:2:", *(f"line {i}" for i in range(19, 31)), "  ^", "what"]


def test_builtins_outside_of_kernels():
    with pytest.raises(ValueError, match=r"@triton\.jit"):
        tl.load(None)


def test_next_kernel_compiles_after_an_error(error_of, ttir):
    error_of(odd_arange, p="*i32")
    assert "tt.store" in ttir(constant_global, p="*i32")


def test_front_end_debugging_keeps_the_exception(module_of, monkeypatch):
    monkeypatch.setenv("TRITON_FRONT_END_DEBUGGING", "1")
    with pytest.raises(ValueError, match="power of 2"):
        module_of(odd_arange, p="*i32")
