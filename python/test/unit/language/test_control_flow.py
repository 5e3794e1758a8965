"""Branches, loops and returns become structured control flow."""

import pytest
import triton
import triton.language as tl


@triton.jit
def guard(p, n):
    if n < 0:
        return
    tl.store(p, n)


def test_early_return_becomes_the_other_branch(ttir):
    text = ttir(guard, p="*i32", n="i32")
    assert "cf.br" not in text and "cf.cond_br" not in text
    assert text.index("} else {") < text.index("tt.store")
    assert text.count("tt.return") == 1


@triton.jit
def choose(x):
    if x > 3:
        return x * 2
    elif x > 2:
        if x > 1:
            return x
    return x + 1


@triton.jit
def calls_choose(p, n):
    tl.store(p, choose(n))


def test_returns_in_nested_branches(ttir):
    text = ttir(calls_choose, p="*i32", n="i32")
    assert "cf.br" not in text and "cf.cond_br" not in text
    assert text.count("scf.if") == 3
    assert text.count("tt.return") == 2


@triton.jit
def returns_differ(n):
    if n > 3:
        return n
    return 1.5


@triton.jit
def calls_returns_differ(p, n):
    tl.store(p, returns_differ(n))


def test_returned_types_must_agree(error_of):
    message = str(error_of(calls_returns_differ, p="*i32", n="i32"))
    assert "the returned value" in message
    assert "int32" in message
    assert "fp32" in message


@triton.jit
def constant_condition(p, FLAG: tl.constexpr):
    if FLAG:
        tl.store(p, 1)
    else:
        this_name_does_not_exist(p)


def test_untaken_branches_are_not_looked_at(ttir, error_of):
    assert "scf.if" not in ttir(constant_condition, p="*i32", FLAG=True)
    assert "this_name_does_not_exist" in str(error_of(constant_condition, p="*i32", FLAG=False))


@triton.jit
def merged(p, n, BLOCK: tl.constexpr):
    x = tl.zeros((BLOCK,), tl.float32)
    y = 1
    if n > 5:
        x += 1.0
    elif n > 3:
        x, y = x * 2, 2
    tl.store(p + tl.arange(0, BLOCK), x + y)


def test_branches_merge_values(ttir):
    text = ttir(merged, p="*fp32", n="i32", BLOCK=16)
    assert text.count("-> (tensor<16xf32>, i32)") == 2


@triton.jit
def set_in_one_branch(p, n):
    if n > 3:
        value = 1
    tl.store(p, value)


@triton.jit
def set_in_loop(p, n):
    for i in range(n):
        value = i
    tl.store(p, value)


@triton.jit
def index_after_loop(p, n):
    for i in range(n):
        pass
    tl.store(p, i)


@pytest.mark.parametrize(
    ("kernel", "name", "reason"),
    [
        (set_in_one_branch, "'value'", "only one branch of the `if` in line 2"),
        (set_in_loop, "'value'", "inside of the loop in line 2"),
        (index_after_loop, "'i'", "inside of the loop in line 2"),
    ],
)
def test_names_that_may_have_no_value(error_of, kernel, name, reason):
    message = str(error_of(kernel, p="*i32", n="i32"))
    assert name in message
    assert reason in message


@triton.jit
def loops(p, n, BLOCK: tl.constexpr):
    i = 0
    acc = tl.zeros((BLOCK,), tl.float32)
    while i < n:
        acc += tl.load(p + i * BLOCK + tl.arange(0, BLOCK))
        i += 1
    for j in range(10, 0, -2):
        acc += j
    for k in tl.static_range(3):
        acc += k
    tl.store(p + tl.arange(0, BLOCK), acc)


def test_loops(ttir):
    text = ttir(loops, p="*fp32", n="i32", BLOCK=16)
    assert "(tensor<16xf32>, i32) -> (tensor<16xf32>, i32)" in text or "scf.while" in text
    assert text.count("scf.for") == 1
    assert "%c10_i32 step %c2_i32" in text
    for constant in ("0.000000e+00", "1.000000e+00", "2.000000e+00"):
        assert f"dense<{constant}>" in text


@triton.jit
def hinted(p, n):
    for i in tl.range(
        0, n, num_stages=3, loop_unroll_factor=2, disallow_acc_multi_buffer=True, flatten=True, disable_licm=True
    ):
        tl.store(p + i, i)
    j = n
    while tl.condition(j > 0, disable_licm=True):
        j -= 1


def test_loop_hints_become_attributes(ttir):
    text = ttir(hinted, p="*i32", n="i32")
    for attribute in (
        "tt.num_stages = 3 : i32",
        "tt.loop_unroll_factor = 2 : i32",
        "tt.disallow_acc_multi_buffer",
        "tt.flatten",
    ):
        assert attribute in text
    assert text.count("llvm.loop_annotation = #") == 2


@triton.jit
def unsigned_bounds(p, n):
    for i in range(n):
        tl.store(p + i, i)


def test_unsigned_bounds_compare_unsigned(ttir):
    assert "scf.for unsigned" in ttir(unsigned_bounds, p="*i32", n="u32")
    assert ": i64 {" in ttir(unsigned_bounds, p="*i32", n="i64")


@triton.jit
def carried_changes_type(p, n):
    x = 0
    for _ in range(n):
        x = x + 1.5
    tl.store(p, x)


@triton.jit
def branches_differ(p, n):
    if n > 3:
        x = 0
    else:
        x = 1.5
    tl.store(p, x)


def test_types_must_not_change(error_of):
    message = str(error_of(carried_changes_type, p="*fp32", n="i32"))
    assert "'x' has type int32 before the loop in line 3 and fp32" in message
    message = str(error_of(branches_differ, p="*fp32", n="i32"))
    assert "'x' has type int32 when the condition holds and fp32" in message


@triton.jit
def ternary(p, n):
    x = tl.load(p)
    tl.store(p, x * 2 if n > 3 else 0)


def test_ternary(ttir):
    text = ttir(ternary, p="*fp32", n="i32")
    assert "scf.if %1 -> (f32)" in text or "-> (f32)" in text


@triton.jit
def logic(p, n, FLAG: tl.constexpr):
    if FLAG and n > 1:
        tl.store(p, 1)
    if FLAG or undefined_but_never_read:
        tl.store(p, 2)
    if not (0 < n < 5):
        tl.store(p, 3)
    if n is None:
        tl.store(p, 4)
    if n is not None and (m := n + 1) > 7:
        tl.store(p, m)


def test_logic(ttir):
    text = ttir(logic, p="*i32", n="i32", FLAG=True)
    assert text.count("scf.if") == 3
    assert "%c4_i32" not in text


@triton.jit
def tuples_in_loops(p, n):
    pair = (n, 1.5)
    for i in range(n):
        pair = (pair[0] + i, pair[1])
    first, second = pair
    tl.store(p, first + second)


def test_tuples_are_carried(ttir):
    assert "iter_args(%arg3 = %arg1)" in ttir(tuples_in_loops, p="*fp32", n="i32")


@triton.jit
def block_condition(p):
    if tl.arange(0, 8) > 3:
        tl.store(p, 1)


def test_condition_of_a_branch_is_a_scalar(error_of):
    assert "needs a scalar" in str(error_of(block_condition, p="*i32"))


@triton.jit
def constant_in_a_dead_branch(p, n, FLAG: tl.constexpr, SIZE: tl.constexpr):
    for i in range(n):
        if FLAG and SIZE > 2:
            SIZE = 8
        tl.store(p + i, SIZE)
    tl.store(p + tl.arange(0, SIZE), 1)


def test_constants_that_only_a_dead_branch_assigns(ttir, error_of):
    assert "end = 4 : i32" in ttir(constant_in_a_dead_branch, p="*i32", n="i32", FLAG=False, SIZE=4)
    message = str(error_of(constant_in_a_dead_branch, p="*i32", n="i32", FLAG=True, SIZE=4))
    assert "end must be a constexpr" in message


@triton.jit
def passes_on(x):
    return x


@triton.jit
def chained_call(p, n):
    passes_on(p).store(passes_on(n))


def test_calls_are_emitted_once(ttir):
    assert ttir(chained_call, p="*i32", n="i32").count("tt.call") == 2


@triton.jit
def assigns_in_test(p, n):
    while (n := n - 1) > 0:
        tl.store(p + n, n)
    tl.store(p, n)


def test_tests_of_loops_may_assign(ttir):
    text = ttir(assigns_in_test, p="*i32", n="i32")
    head = text[text.index("scf.while") : text.index("} do {")]
    assert "arith.subi" in head
    assert "scf.condition(%2) %1 : i32" in head
