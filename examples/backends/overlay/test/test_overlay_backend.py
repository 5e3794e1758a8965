"""What specialization does to kernels. The same tests run where the backend is not installed and show the default."""

from __future__ import annotations

import re

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends import backends
from triton.compiler.errors import CompilationError

SPECIALIZED = "overlay" in backends
specialized_only = pytest.mark.skipif(not SPECIALIZED, reason="the backend 'overlay' is not installed")


@triton.jit
def add_one(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + 1.0, i < n)


@pytest.fixture(scope="module")
def added():
    """A kernel that has run."""
    x = np.arange(1000, dtype=np.float32)
    out = np.zeros_like(x)
    kernel = add_one[(8,)](x, out, 1000, BLOCK=128)
    np.testing.assert_array_equal(out, x + 1)
    return kernel


def test_the_kernel_was_compiled_for_the_backend(added):
    assert added.metadata.target.backend == ("overlay" if SPECIALIZED else "cpu")


def test_inserted_logic_makes_vectors_narrow(added):
    from triton._C.libtriton import cpu

    widths = {int(lanes) * 32 for lanes in re.findall(r"<(\d+) x float>", added.asm["llir"])}
    assert max(widths) == cpu.host()["vector_bits"]
    if SPECIALIZED:
        assert widths == {128}


def test_changed_signature_runs_another_pipeline(added):
    assert ('"overlay-rounds"="2"' in added.asm["llir"]) == SPECIALIZED


def test_replaced_source_names_the_producer(added):
    assert ('!{!"overlay compiler"}' in added.asm["llir"]) == SPECIALIZED


COPY_BLOCK = """
tt.func public @copy_block(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %size: i32, %start: i32) {
  %one = arith.constant 1 : i64
  %n = arith.extsi %size : i32 to i64
  %source = tt.make_tensor_ptr %x, [%n], [%one], [%start] {order = array<i32: 0>} : <tensor<128xf32>>
  %block = tt.load %source {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<128xf32>>
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %base = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %targets = tt.addptr %base, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %targets, %block : tensor<128x!tt.ptr<f32>>
  tt.return
}
"""


def test_added_parameter_compares_once(tmp_path):
    # The front end has no operations on block pointers, files of TTIR may have.
    from triton._C.libtriton import ir, passes

    context = ir.context()
    ir.load_dialects(context)
    module = ir.parse_mlir_module(COPY_BLOCK, context)
    manager = ir.pass_manager(context)
    passes.ttir.add_rewrite_tensor_pointer(manager)
    manager.run(module)
    assert set(re.findall(r"arith\.cmpi (\w+)", str(module))) == ({"ult"} if SPECIALIZED else {"sge", "slt"})

    file = tmp_path / "copy_block.ttir"
    file.write_text(str(module))
    x, out = np.arange(1, 101, dtype=np.float32), np.full(128, -1, dtype=np.float32)
    triton.compile(str(file))[(1, 1, 1)](x, out, 100, -3)
    np.testing.assert_array_equal(out, np.concatenate([np.zeros(3), x, np.zeros(25)]))


@triton.jit
def multiply(a, b, c, out, M: tl.constexpr, K: tl.constexpr):
    m, k = tl.arange(0, M), tl.arange(0, K)
    rows = m[:, None] * M + m[None, :]
    product = tl.dot(tl.load(a + m[:, None] * K + k[None, :]), tl.load(b + k[:, None] * M + m[None, :]))
    tl.store(out + rows, product - tl.load(c + rows))


def run_multiply(depth: int):
    numbers = np.random.default_rng(0)
    a, b = (numbers.integers(-4, 5, shape).astype(np.float32) for shape in ((16, depth), (depth, 16)))
    c, out = numbers.integers(-4, 5, (16, 16)).astype(np.float32), np.zeros((16, 16), np.float32)
    kernel = multiply[(1,)](a, b, c, out, M=16, K=depth)
    np.testing.assert_array_equal(out, a @ b - c)
    return kernel


def test_inserted_logic_and_an_exposed_static_combine_a_subtraction():
    ttir = run_multiply(32).asm["ttir"]
    assert ("arith.subf" in ttir, "arith.negf" in ttir) == ((False, True) if SPECIALIZED else (True, False))


def test_inserted_logic_refuses_deep_products():
    if not SPECIALIZED:
        run_multiply(512)
        return
    with pytest.raises((CompilationError, RuntimeError), match="matrix units of overlay take at most 256"):
        run_multiply(512)


@triton.jit
def scaled(a, scale, b, out, M: tl.constexpr, K: tl.constexpr):
    m, k = tl.arange(0, M), tl.arange(0, K)
    left = tl.load(a + m[:, None] * K + k[None, :])
    scales = tl.load(scale + m[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :])
    right = tl.load(b + k[:, None] * M + m[None, :])
    tl.store(out + m[:, None] * M + m[None, :], tl.dot_scaled(left, scales, "e5m2", right, None, "fp16"))


def test_a_type_alias_makes_products_bf16():
    # 1 in e5m2, scaled by 2; the other operand needs 11 bits of mantissa, of which bf16 keeps 8.
    a = np.full((16, 32), 0x3C, np.uint8)
    scale = np.full((16, 1), 128, np.uint8)
    b = np.zeros((32, 16), np.float16)
    b[0] = 1 + 2**-10
    out = np.zeros((16, 16), np.float32)
    scaled[(1,)](a, scale, b, out, M=16, K=32)
    np.testing.assert_array_equal(out, np.float32(2 if SPECIALIZED else 2 + 2**-9))


@triton.jit
def power(x, out, n):
    value = 1.0
    for _ in tl.range(0, n, loop_unroll_factor=8):
        value = value * tl.load(x)
    tl.store(out, value)


def test_a_whole_file_unrolls_as_far_as_the_loop_buffer_goes():
    x, out = np.full(1, 2, np.float32), np.zeros(1, np.float32)
    kernel = power[(1,)](x, out, 19)
    assert out[0] == 2**19
    body = kernel.asm["ttir"].partition("scf.for")[2].partition("scf.yield")[0]
    assert body.count("arith.mulf") == (4 if SPECIALIZED else 8)


@triton.jit
def shifted(x, out, N: tl.constexpr):
    i = tl.arange(0, N // 2) + 1
    tl.store(out + i, tl.load(x + i, i < N), i < N)


def test_a_replaced_header_is_what_the_trunks_source_sees():
    x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    kernel = shifted[(1,)](x, out, N=64)
    np.testing.assert_array_equal(out[1:33], x[1:33])
    assert ("arith.cmpi" in kernel.asm["ttir"]) == SPECIALIZED


@specialized_only
def test_python_functions_are_added_to_the_language():
    @triton.jit
    def blend(a, b, out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, tl.lerp(tl.load(a + i), tl.load(b + i), 0.25))

    a, b, out = np.zeros(16, np.float32), np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    blend[(1,)](a, b, out, N=16)
    np.testing.assert_array_equal(out, b / 4)


def test_python_files_are_replaced(added):
    from triton.tools.disasm import disassemble_object

    if SPECIALIZED:
        assert re.fullmatch(r"\d+ sections", disassemble_object(added.asm["obj"]))
    else:
        assert "backends" not in disassemble_object.__code__.co_filename
