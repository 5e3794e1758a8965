"""Files of IR whose control flow is branches between blocks, as other producers write them."""

import numpy as np
import pytest
from triton.compiler import compile

EARLY_RETURN = """
tt.func public @doubles(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
  %pid = tt.get_program_id x : i32
  %late = arith.cmpi sge, %pid, %n : i32
  cf.cond_br %late, ^done, ^work
^done:
  tt.return
^work:
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %starts = tt.splat %start : i32 -> tensor<8xi32>
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %at = arith.addi %starts, %range : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %from = tt.addptr %xs, %at : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %v = tt.load %from : tensor<8x!tt.ptr<f32>>
  %twice = tt.call @twice(%v, %pid) : (tensor<8xf32>, i32) -> tensor<8xf32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %to = tt.addptr %outs, %at : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %to, %twice : tensor<8x!tt.ptr<f32>>
  tt.return
}
tt.func private @twice(%x: tensor<8xf32>, %pid: i32) -> tensor<8xf32> attributes {noinline = NOINLINE} {
  %c1 = arith.constant 1 : i32
  %first = arith.cmpi slt, %pid, %c1 : i32
  cf.cond_br %first, ^same, ^sum
^same:
  tt.return %x : tensor<8xf32>
^sum:
  %y = arith.addf %x, %x : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}
"""

# For each program, the position of the first zero in its row of 8, or -1; a sum of blocks is carried along.
SEARCH = """
tt.func public @search(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %sums: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %minus = arith.constant -1 : i32
  %zeros = arith.constant dense<0> : tensor<4xi32>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c8 : i32
  %start = tt.addptr %x, %row : !tt.ptr<i32>, i32
  cf.br ^head(%c0, %zeros : i32, tensor<4xi32>)
^head(%i: i32, %sum: tensor<4xi32>):
  %more = arith.cmpi slt, %i, %c8 : i32
  cf.cond_br %more, ^body, ^end(%minus : i32)
^body:
  %at = tt.addptr %start, %i : !tt.ptr<i32>, i32
  %v = tt.load %at : !tt.ptr<i32>
  %block = tt.splat %v : i32 -> tensor<4xi32>
  %next_sum = arith.addi %sum, %block : tensor<4xi32>
  %found = arith.cmpi eq, %v, %c0 : i32
  %next = arith.addi %i, %c1 : i32
  cf.cond_br %found, ^end(%i : i32), ^head(%next, %next_sum : i32, tensor<4xi32>)
^end(%position: i32):
  %to = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  tt.store %to, %position : !tt.ptr<i32>
  %c4 = arith.constant 4 : i32
  %offset = arith.muli %pid, %c4 : i32
  %range = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %offsets = tt.splat %offset : i32 -> tensor<4xi32>
  %places = arith.addi %offsets, %range : tensor<4xi32>
  %bases = tt.splat %sums : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %targets = tt.addptr %bases, %places : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %targets, %sum : tensor<4x!tt.ptr<i32>>
  tt.return
}
"""

SWITCH = """
tt.func public @choose(%out: !tt.ptr<i32>) {
  %c10 = arith.constant 10 : i32
  %c30 = arith.constant 30 : i32
  %pid = tt.get_program_id x : i32
  %to = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  %c2 = arith.constant 2 : i32
  %kind = arith.subi %pid, %c2 : i32
  cf.switch %kind : i32, [default: ^write(%c10 : i32), -1: ^leave, 1: ^write(%c30 : i32)]
^write(%v: i32):
  tt.store %to, %v : !tt.ptr<i32>
  tt.return
^leave:
  tt.return
}
"""

# A loop that is entered in two places: odd programs add 1 first, even ones double first, until 100 is reached.
TWO_ENTRIES = """
tt.func public @alternate(%out: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %c100 = arith.constant 100 : i32
  %pid = tt.get_program_id x : i32
  %bit = arith.andi %pid, %c1 : i32
  %odd = arith.cmpi ne, %bit, %c0 : i32
  cf.cond_br %odd, ^add(%pid : i32), ^double(%pid : i32)
^add(%a: i32):
  %sum = arith.addi %a, %c1 : i32
  %enough = arith.cmpi sge, %sum, %c100 : i32
  cf.cond_br %enough, ^end(%sum : i32), ^double(%sum : i32)
^double(%b: i32):
  %twice = arith.addi %b, %b : i32
  cf.br ^add(%twice : i32)
^end(%result: i32):
  %to = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  tt.store %to, %result : !tt.ptr<i32>
  tt.return
}
"""

MAP = """
tt.func public @map(%x: !tt.ptr<f32>) {
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %at = tt.addptr %xs, %range : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %v = tt.load %at : tensor<8x!tt.ptr<f32>>
  %r = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %negative = arith.cmpf olt, %a, %zero : f32
    cf.cond_br %negative, ^bb1, ^bb2
  ^bb1:
    %b = arith.mulf %a, %a : f32
    tt.map_elementwise.return %b : f32
  ^bb2:
    tt.map_elementwise.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.store %at, %r : tensor<8x!tt.ptr<f32>>
  tt.return
}
"""


@pytest.fixture
def build(tmp_path):
    def build(text):
        path = tmp_path / "branches.ttir"
        path.write_text(text)
        return compile(str(path))

    return build


@pytest.mark.parametrize("noinline", ["false", "true"])
def test_early_returns(build, noinline):
    kernel = build(EARLY_RETURN.replace("NOINLINE", noinline))
    assert "cf.cond_br" not in kernel.asm["tcir"]
    x, out = np.arange(32, dtype=np.float32), np.full(32, -1, np.float32)
    kernel[(4, 1, 1)](x, out, 3)
    np.testing.assert_array_equal(out, np.concatenate([x[:8], 2 * x[8:24], np.full(8, -1, np.float32)]))


def test_loop_with_two_exits(build):
    x = np.random.default_rng(0).integers(0, 5, (64, 8)).astype(np.int32)
    x[0] = 1
    positions, sums = np.empty(64, np.int32), np.empty((64, 4), np.int32)
    build(SEARCH)[(64, 1, 1)](x, positions, sums)
    has_zero = (x == 0).any(axis=1)
    assert has_zero.any()
    expected = np.where(has_zero, (x == 0).argmax(axis=1), -1)
    np.testing.assert_array_equal(positions, expected)
    before = [row[: position if position >= 0 else 8].sum() for row, position in zip(x, expected, strict=True)]
    np.testing.assert_array_equal(sums, np.repeat(np.array(before)[:, None], 4, axis=1))


def test_switch(build):
    out = np.full(5, -1, np.int32)
    build(SWITCH)[(5, 1, 1)](out)
    np.testing.assert_array_equal(out, [10, -1, 10, 30, 10])


def test_loop_with_two_entries(build):
    def alternate(x, adds):
        while True:
            if adds:
                x += 1
                if x >= 100:
                    return x
            x, adds = 2 * x, True

    out = np.empty(120, np.int32)
    build(TWO_ENTRIES)[(120, 1, 1)](out)
    np.testing.assert_array_equal(out, [alternate(i, i % 2 == 1) for i in range(120)])


def test_branches_on_each_element(build):
    x = np.arange(-4, 4, dtype=np.float32)
    expected = np.where(x < 0, x * x, x)
    build(MAP)[(1, 1, 1)](x)
    np.testing.assert_array_equal(x, expected)


def test_stage_of_parsed_ir(tmp_path):
    """The clean-up stage, which files skip, takes branches as well."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import make_backend

    path = tmp_path / "branches.ttir"
    path.write_text(EARLY_RETURN.replace("NOINLINE", "false"))
    context = ir.context()
    ir.load_dialects(context)
    module = ir.parse_mlir_module(str(path), context)
    module.context = context
    backend = make_backend(GPUTarget("cpu", "", 0))
    stages = {}
    backend.add_stages(stages, backend.parse_options({}))
    text = str(stages["ttir"](module, {}))
    assert "scf.if" in text
    assert "cf.cond_br" not in text
    assert "tt.call" not in text
