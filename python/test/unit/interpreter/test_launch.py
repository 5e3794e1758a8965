"""Arguments, grids and errors of interpreted kernels."""

import traceback

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs
from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure
from triton.runtime.errors import InterpreterError
from triton.runtime.interpreter import InterpretedFunction
from triton.tools.tensor_descriptor import TensorDescriptor


def interpreted(fn):
    """What `triton.jit` makes under TRITON_INTERPRET=1."""
    return InterpretedFunction(fn)


class Null:
    dtype = tl.float32

    def data_ptr(self):
        return 0


@interpreted
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


@triton.jit
def compiled_helper(x):
    return tl.exp(x)


@interpreted
def calls_the_helper(out_ptr):
    for _ in range(3):
        tl.store(out_ptr, compiled_helper(tl.program_id(0)))


@interpreted
def copies_a_tile(descriptor, out_ptr, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out_ptr + at, descriptor.load([2, 4]))


@interpreted
def checked(out_ptr, n, SIZE: tl.constexpr):
    tl.static_assert(SIZE > 2, "SIZE is too small")
    tl.device_assert(n > 3, "n is too small")
    tl.store(out_ptr, n)


@interpreted
def counts_programs(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
    tl.store(out_ptr + at, x + 10 * y + 100 * z)


@interpreted
def assembles(out_ptr):
    x = tl.arange(0, 4)
    tl.store(out_ptr + x, tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], tl.int32, True, 1))


@interpreted
def outside(out_ptr):
    tl.store(out_ptr + tl.arange(0, 4), tl.gather(tl.arange(0, 4), tl.arange(1, 5), 0))


@interpreted
def returns_in_a_loop(n):
    for _ in range(n):
        return


@interpreted
def types_change(out_ptr, n):
    x = tl.zeros([4], tl.float32)
    for _ in range(n):
        x = tl.zeros([8], tl.float32)
    tl.store(out_ptr + tl.arange(0, 4), x)


@interpreted
def multiplies_scaled(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, out_ptr):
    i, j, k = tl.arange(0, 16), tl.arange(0, 32), tl.arange(0, 2)
    a = tl.load(a_ptr + i[:, None] * 32 + j[None, :])
    b = tl.load(b_ptr + j[:, None] * 16 + i[None, :])
    a_scale = tl.load(a_scale_ptr + i[:, None] * 2 + k[None, :])
    b_scale = tl.load(b_scale_ptr + i[:, None] * 2 + k[None, :])
    product = tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e2m1")
    tl.store(out_ptr + i[:, None] * 16 + i[None, :], product)


@interpreted
def loads_in_vain(x_ptr, out_ptr):
    _ = tl.load(x_ptr)
    tl.store(out_ptr, 1)


@triton.constexpr_function
def inverse(n):
    return 1 / n


@interpreted
def asks_the_host(out_ptr):
    tl.store(out_ptr, inverse(0))


@interpreted
def stops(out_ptr, ratio, SIZE: tl.constexpr):
    x = tl.arange(0, SIZE) + tl.program_id(0)
    pair = (1, "text")
    breakpoint()  # noqa: T100
    tl.store(out_ptr, tl.sum(x) * ratio + pair[0])


def test_arguments_of_every_kind():
    x = np.arange(20, dtype=np.float32)
    out = np.zeros(20, np.float32)
    assert double[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)](x, out, 20, BLOCK=8, num_warps=2) is None
    np.testing.assert_array_equal(out, 2 * x)


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    x = torch.arange(20).to(torch.bfloat16)
    out = torch.zeros(20, dtype=torch.bfloat16)
    double[(3,)](x, out, 20, BLOCK=8)
    assert torch.equal(out, 2 * x)


def test_tensor_without_memory():
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match=r"double\(\): argument 0 \('x_ptr'\), of type Tensor, has no memory"):
        double[(1,)](torch.zeros(8, device="meta"), np.zeros(8, np.float32), 8, BLOCK=8)


def test_other_devices_are_refused():
    torch = pytest.importorskip("torch")

    class Elsewhere:
        dtype, device = torch.float32, torch.device("mps")

        def data_ptr(self):
            return 4096

    with pytest.raises(ValueError, match=r"\('x_ptr'\) is on mps"):
        double[(1,)](Elsewhere(), np.zeros(8, np.float32), 8, BLOCK=8)


def test_grid():
    out = np.full(2 * 3 * 4, -1, np.int32)
    counts_programs[(2, 3, 4)](out)
    z, y, x = np.meshgrid(range(4), range(3), range(2), indexing="ij")
    np.testing.assert_array_equal(out, (x + 10 * y + 100 * z).ravel())
    counts_programs[(0,)](out)
    assert counts_programs.warmup(out, grid=(1,)) is None


def test_host_descriptor():
    x = np.arange(8 * 12, dtype=np.float32).reshape(8, 12)
    out = np.zeros((4, 8), np.float32)
    copies_a_tile[(1,)](TensorDescriptor(x, [8, 10], [12, 1], [4, 8]), out, R=4, C=8)
    expected = x[2:6, 4:12].copy()
    expected[:, 6:] = 0
    np.testing.assert_array_equal(out, expected)


def test_scaled_product():
    rng = np.random.default_rng(3)
    table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    a, b = rng.integers(0, 8, (16, 64)), rng.integers(0, 8, (64, 16))
    a_exponent, b_exponent = rng.integers(-3, 4, (16, 2)), rng.integers(-3, 4, (16, 2))
    out = np.zeros((16, 16), np.float32)
    packed_a, packed_b = a[:, 0::2] | a[:, 1::2] << 4, b[0::2] | b[1::2] << 4
    scales = [(e + 127).astype(np.uint8) for e in (a_exponent, b_exponent)]
    multiplies_scaled[(1,)](packed_a.astype(np.uint8), scales[0], packed_b.astype(np.uint8), scales[1], out)
    x = table[a] * np.repeat(2.0**a_exponent, 32, axis=1)
    y = table[b] * np.repeat(2.0**b_exponent, 32, axis=1).T
    np.testing.assert_array_equal(out, (x @ y).astype(np.float32))


def test_null_pointer_names_the_line():
    with pytest.raises(InterpreterError, match="null pointer") as caught:
        double[(2,)](Null(), np.zeros(8, np.float32), 8, BLOCK=8)
    message = str(caught.value)
    assert "tl.load(x_ptr + at, mask=at < n)" in message
    assert "in program (0, 0, 0) of double" in message
    assert f"load of a null pointer (address 0x0), at {__file__}:{double.starting_line_number + 2}" in message


def test_unused_load_of_a_null_pointer():
    """Compiled code does not have it either."""
    out = np.zeros(1, np.float32)
    loads_in_vain[(1,)](Null(), out)
    assert out[0] == 1
    with pytest.raises(InterpreterError, match="MemoryFault: a null pointer"):
        loads_in_vain[(1,)](out, Null())


def test_masked_null_pointer_is_not_read():
    out = np.ones(8, np.float32)
    double[(1,)](Null(), out, 0, BLOCK=8)
    assert (out == 1).all()


def test_error_in_a_function_names_the_call():
    with pytest.raises(InterpreterError, match=r"in compiled_helper\(\), called here: tl.exp") as caught:
        calls_the_helper[(1,)](np.zeros(1, np.float32))
    assert isinstance(caught.value, CompilationError)
    assert isinstance(caught.value.__cause__, CompilationError)


def test_assertions():
    out = np.zeros(1, np.int32)
    with pytest.raises(CompileTimeAssertionFailure, match="SIZE is too small") as caught:
        checked[(1,)](out, 5, SIZE=1)
    assert isinstance(caught.value, InterpreterError)
    checked[(1,)](out, 2, SIZE=4)
    with pytest.raises(RuntimeError, match=r"in program \(0, 0, 0\): n is too small") as caught:
        checked[(1,)](out, 2, SIZE=4, debug=True)
    assert isinstance(caught.value, InterpreterError)


def test_read_only_array():
    out = np.zeros(8, np.float32)
    out.flags.writeable = False
    with pytest.raises(ValueError, match=r"argument 1 \('out_ptr'\) is a read-only array"):
        double[(1,)](np.ones(8, np.float32), out, 8, BLOCK=8)
    assert (out == 0).all()


@pytest.mark.parametrize(
    "kernel, arguments, words",
    [
        (assembles, (np.zeros(4, np.int32),), "this inline assembly is PTX"),
        (outside, (np.zeros(4, np.int32),), "index 4 is outside of 0 .. 3"),
        (returns_in_a_loop, (3,), "`return` is possible at the end"),
        (types_change, (np.zeros(4, np.float32), 3), "'x' has type"),
    ],
)
def test_errors_of_kernels(kernel, arguments, words):
    with pytest.raises(InterpreterError, match=words):
        kernel[(1,)](*arguments)


def test_traceback_shows_the_users_frames_only():
    with pytest.raises(InterpreterError) as caught:
        asks_the_host[(1,)](np.zeros(1, np.float32))
    cause = caught.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    assert [frame.name for frame in traceback.extract_tb(cause.__traceback__)] == ["inverse"]


def test_breakpoint(monkeypatch):
    seen = []
    monkeypatch.setattr("code.interact", lambda banner, local, exitmsg: seen.append((banner, local)))
    stops[(2,)](np.zeros(1, np.float32), 2.5, SIZE=4)
    assert len(seen) == 2
    banner, names = seen[1]
    assert f"{__file__}:{stops.starting_line_number + 3}, program (1, 0, 0)" in banner
    np.testing.assert_array_equal(names["x"], [1, 2, 3, 4])
    assert names["SIZE"] == 4 and names["ratio"] == 2.5 and names["pair"] == (1, "text")


def test_launch_hooks():
    seen = []
    enter, leave = lambda d: seen.append(("enter", d.get()["name"])), lambda d: seen.append(("leave", d.get()["name"]))
    knobs.runtime.launch_enter_hook.add(enter)
    knobs.runtime.launch_exit_hook.add(leave)
    try:
        counts_programs[(1,)](np.zeros(1, np.int32))
    finally:
        knobs.runtime.launch_enter_hook.remove(enter)
        knobs.runtime.launch_exit_hook.remove(leave)
    assert seen == [("enter", "counts_programs"), ("leave", "counts_programs")]


def test_unknown_option():
    with pytest.raises(KeyError, match="num_warp"):
        double[(1,)](np.ones(8, np.float32), np.ones(8, np.float32), 8, BLOCK=8, num_warp=1)


def test_hooks_see_the_arguments():
    seen = []
    double.add_pre_run_hook(lambda *args, **kwargs: seen.append((args[2], kwargs)))
    double[(1,)](np.ones(8, np.float32), np.ones(8, np.float32), 8, BLOCK=8)
    double.pre_run_hooks.clear()
    assert seen == [(8, {"BLOCK": 8})]
