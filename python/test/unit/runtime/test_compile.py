"""compile(), sources, CompiledKernel."""

import pickle
import traceback

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, CompiledKernel, compile
from triton.compiler.errors import CompilationError
from triton.compiler.source import with_cache_keywords
from triton.runtime.jit import TensorWrapper, reinterpret

from .kernels import scale

SIGNATURE = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"}


def source(**changes):
    return ASTSource(scale, {**SIGNATURE, **changes.get("signature", {})}, changes.get("constants", {"BLOCK": 16}))


KERNEL_OF_3_9 = """
module {
  tt.func public @copy(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
    %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %a = tt.addptr %p, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %v = tt.load %a {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>, isVolatile = true} : tensor<8x!tt.ptr<f32>>
    %q = tt.splat %out : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %b = tt.addptr %q, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.store %b, %v {cachePolicy = #tt.cache_policy<cache_modifier = wb, eviction_policy = evict_normal>} : tensor<8x!tt.ptr<f32>>
    tt.return
  }
}
"""  # noqa: E501


def test_cache_options_of_3_9(tmp_path):
    path = tmp_path / "copy.ttir"
    path.write_text(KERNEL_OF_3_9)
    kernel = compile(str(path))
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    kernel[(1, 1, 1)](x, out)
    np.testing.assert_array_equal(out, x)
    rewritten = with_cache_keywords(KERNEL_OF_3_9)
    assert "cachePolicy" not in rewritten
    assert "%a cacheModifier = cg evictionPolicy = evict_last {isVolatile = true} :" in rewritten


def test_compile_from_signature():
    kernel = compile(source(), target=GPUTarget("cpu", "", 1), options={"num_warps": 2})
    assert kernel.name == kernel.metadata.name == "scale"
    assert kernel.metadata.num_warps == 2 and kernel.metadata.target.backend == "cpu"
    assert "tt.func public @scale" in kernel.asm["ttir"] and "define" in kernel.asm["llir"]
    x, out = np.arange(50, dtype=np.float32), np.zeros(50, np.float32)
    kernel[(4, 1, 1)](x, out, 50, 3.0, 16)
    assert (out == 3 * x).all()


def test_names_and_paths_of_constants_are_the_same():
    assert source().hash() == source(constants={(4,): 16}).hash()
    assert source().hash() != source(constants={(4,): 32}).hash()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: ASTSource(scale, "*fp32, i32"), TypeError, "must be a dict"),
        (lambda: ASTSource(scale, {"x": "*fp32"}), ValueError, r"\['x'\].*x_ptr"),
        (lambda: ASTSource(scale, {"x_ptr": "*fp32"}), ValueError, r"no type for parameters \['out_ptr'"),
        (lambda: ASTSource(scale, SIGNATURE, {"SIZE": 3}), ValueError, "'SIZE'"),
        (lambda: compile(source(), target="cpu"), TypeError, "GPUTarget"),
        (lambda: compile(source(), target=GPUTarget("none", 0, 0)), RuntimeError, "0 compatible backends"),
        (lambda: compile(source(), options={"num_warps": 3}), ValueError, "num_warps.*power of 2"),
        (lambda: compile(source(), options={"num_warps": "4"}), ValueError, "num_warps.*power of 2, got '4'"),
    ],
)
def test_bad_requests(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_compile_from_a_file_of_ir(tmp_path):
    path = tmp_path / "again.ttir"
    path.write_text(compile(source()).asm["ttir"])
    kernel = compile(str(path))
    x, out = np.arange(50, dtype=np.float32), np.zeros(50, np.float32)
    kernel[(4, 1, 1)](x, out, 50, 3.0)
    assert (out == 3 * x).all()


def test_file_without_a_kernel(tmp_path):
    path = tmp_path / "empty.ttir"
    path.write_text("module {}")
    with pytest.raises(ValueError, match=r"empty\.ttir: no public kernel"):
        compile(path)


def test_repr_gives_the_symbol():
    kernel = triton.JITFunction(scale.fn, repr=lambda s: f"scale_{s.constants['BLOCK']}<{s.signature['n']}>")
    compiled = compile(ASTSource(kernel, SIGNATURE, {"BLOCK": 16}))
    assert compiled.name == "scale_16_i32_"


def test_kernel_can_be_rebuilt_from_its_attributes():
    """As compile workers send it: without handles, made by `__new__`."""
    kernel = compile(source())
    state = {**kernel.__dict__, "module": None, "function": None, "run": None}
    clone = CompiledKernel.__new__(CompiledKernel)
    clone.__dict__.update(state)
    clone._init_handles()
    assert isinstance(clone.function, int)
    x, out = np.arange(50, dtype=np.float32), np.zeros(50, np.float32)
    clone.run(4, 1, 1, 0, clone.function, clone.packed_metadata, None, None, None, x, out, 50, 3.0, 16)
    assert (out == 3 * x).all()
    assert pickle.loads(pickle.dumps(kernel.asm)) == dict(kernel.asm.items())


def test_error_ends_at_the_users_line():
    @triton.jit
    def wrong(out_ptr):
        tl.store(out_ptr, undefined_name)

    scale[(1,)](np.zeros(1), np.zeros(1), 1, 1.0, BLOCK=16)  # the first launch of a process goes through Python
    with pytest.raises(CompilationError) as caught:
        wrong[(1,)](np.zeros(1))
    assert "undefined_name" in str(caught.value) and "^" in str(caught.value)
    assert {frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)} == {__file__}


def test_error_about_an_argument_ends_at_the_users_line():
    for call in (
        lambda: scale[(1,)](np.zeros(1), "text", 1, 1.0, BLOCK=16),
        lambda: scale[(1,)](np.zeros(1)),
        lambda: scale[(1, 2, 3, 4)](np.zeros(1), np.zeros(1), 1, 1.0, BLOCK=16),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert {frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)} == {__file__}


def test_error_of_a_grid_shows_the_grid():
    def grid(meta):
        return meta["no such argument"]

    with pytest.raises(KeyError) as caught:
        scale[grid](np.zeros(1), np.zeros(1), 1, 1.0, BLOCK=16)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "grid"


def test_next_launch_after_an_error_works():
    @triton.jit
    def sized(out_ptr, SIZE: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, SIZE), 1)

    out = np.zeros(4, np.int32)
    for _ in range(2):
        with pytest.raises(CompilationError, match="power of 2"):
            sized[(1,)](out, SIZE=3)
        sized[(1,)](out, SIZE=4)
        assert (out == 1).all()


def test_stages_can_be_inspected():
    seen = []
    triton.knobs.runtime.add_stages_inspection_hook = lambda backend, stages, *rest: seen.append(list(stages))
    triton.knobs.compilation.always_compile = True
    compile(source())
    assert seen == [["ttir", "tcir", "llir", "obj"]]


def test_listener_gets_times():
    seen = []
    triton.knobs.compilation.listener = lambda **kwargs: seen.append(kwargs)
    compile(source())
    compile(source())
    first, second = seen
    assert not first["cache_hit"] and second["cache_hit"]
    assert [name for name, _ in first["times"].lowering_stages] == ["ttir", "tcir", "llir", "obj"]
    times = first["times"]
    assert times.total == times.ir_initialization + times.total_lowering + times.store_results


def test_reinterpret():
    x = np.array([1.0, -2.0], np.float32)
    view = reinterpret(x, tl.uint32)
    assert isinstance(view, TensorWrapper) and view.data_ptr() == x.ctypes.data

    @triton.jit
    def copy(x_ptr, out_ptr):
        tl.store(out_ptr + tl.arange(0, 2), tl.load(x_ptr + tl.arange(0, 2)))

    out = np.zeros(2, np.uint32)
    copy[(1,)](view, out)
    assert out.tolist() == x.view(np.uint32).tolist()
    with pytest.raises(TypeError, match="no data_ptr"):
        reinterpret([1.0], tl.uint32)
