"""libtriton.passes: every pass runs from Python and reports its errors."""

import pytest
from triton._C.libtriton import ir, passes

COMMON = ["add_inliner", "add_canonicalizer", "add_cse", "add_licm", "add_symbol_dce", "add_sccp"]
TTIR = [
    "add_combine",
    "add_reorder_broadcast",
    "add_loop_unroll",
    "add_rewrite_tensor_pointer",
    "add_rewrite_tensor_descriptor_to_pointer",
    "add_triton_licm",
    "add_decompose_scaled_dot",
    "add_lift_control_flow",
]

KERNEL = """
tt.func public @kernel(%p: !tt.ptr<f32>, %a: f32, %b: f32) {
  %x = tt.call @twice(%a) : (f32) -> f32
  %as = tt.splat %x : f32 -> tensor<8xf32>
  %bs = tt.splat %b : f32 -> tensor<8xf32>
  %sum = arith.addf %as, %bs : tensor<8xf32>
  %range = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %ptrs = tt.addptr %ps, %range : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %ptrs, %sum : tensor<8x!tt.ptr<f32>>
  tt.return
}
tt.func private @twice(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  tt.return %0 : f32
}
"""


@pytest.fixture
def context():
    context = ir.context()
    ir.load_dialects(context)
    return context


def parse(text, context, tmp_path):
    path = tmp_path / "kernel.ttir"
    path.write_text(text)
    module = ir.parse_mlir_module(str(path), context)
    module.context = context
    return module


def run(module, context, *add_passes):
    manager = ir.pass_manager(context)
    for add_pass in add_passes:
        add_pass(manager)
    manager.run(module, "test")
    return str(module)


@pytest.mark.parametrize("name", COMMON)
def test_common_pass_runs(name, context, tmp_path):
    module = parse(KERNEL, context, tmp_path)
    assert "@kernel" in run(module, context, getattr(passes.common, name))
    assert module.verify()


@pytest.mark.parametrize("name", TTIR)
def test_ttir_pass_runs(name, context, tmp_path):
    module = parse(KERNEL, context, tmp_path)
    assert "@kernel" in run(module, context, getattr(passes.ttir, name))
    assert module.verify()


def test_every_pass_is_tested_and_documented():
    for module, names in ((passes.common, COMMON), (passes.ttir, TTIR)):
        functions = {name for name in dir(module) if name.startswith("add_")}
        assert functions == set(names)
        for name in functions:
            assert getattr(module, name).__doc__.strip().endswith(".")


def test_inliner_and_symbol_dce(context, tmp_path):
    module = parse(KERNEL, context, tmp_path)
    text = run(module, context, passes.common.add_inliner, passes.common.add_symbol_dce)
    assert "tt.call" not in text
    assert "@twice" not in text


def test_reorder_broadcast_adds_scalars(context, tmp_path):
    module = parse(KERNEL, context, tmp_path)
    assert "arith.addf" in (text := run(module, context, passes.ttir.add_reorder_broadcast))
    assert "tensor<8xf32>" not in next(line for line in text.splitlines() if "arith.addf" in line)


def test_failing_pass_raises_with_the_diagnostic(context, tmp_path):
    loop = """
tt.func public @kernel(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {tt.loop_unroll_factor = -2 : i32}
  tt.return
}
"""
    module = parse(loop, context, tmp_path)
    with pytest.raises(RuntimeError, match=r"tt\.loop_unroll_factor must be an integer in 1\.\.1024"):
        run(module, context, passes.ttir.add_loop_unroll)
    # The context is as good as before.
    assert "@kernel" in run(parse(KERNEL, context, tmp_path), context, passes.ttir.add_combine)


def test_pass_manager_of_another_type_is_refused():
    with pytest.raises(TypeError):
        passes.common.add_cse(object())
