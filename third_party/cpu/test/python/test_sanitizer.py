"""Checked kernels: what lies outside of the arguments is reported and never touched, and nothing else is."""

from __future__ import annotations

import inspect
import pickle
import threading

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.backends.cpu.options import sanitize_mode
from triton.backends.cpu.sanitizer import OutOfBoundsError, extents_of
from triton.tools.tensor_descriptor import TensorDescriptor

ON = {"sanitize": True}
GUARD = 64  # elements around every tested array
FILL = 7.0


def guarded(n: int, dtype=np.float32) -> tuple[np.ndarray, np.ndarray]:
    """An array of its own memory in the midst of a larger one: (the array, all of it)."""
    whole = np.full(n + 2 * GUARD, FILL, dtype)
    middle = np.lib.stride_tricks.as_strided(whole[GUARD:], (n,), (whole.itemsize,))
    return middle, whole


def untouched(whole: np.ndarray) -> bool:
    return bool((whole[:GUARD] == FILL).all() and (whole[-GUARD:] == FILL).all())


def line_of(kernel, text: str) -> int:
    """Number of the line of `kernel`'s source that holds `text`."""
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + next(i for i, line in enumerate(lines) if text in line)


def caught(kernel, grid, *args, **options) -> OutOfBoundsError:
    with pytest.raises(OutOfBoundsError) as found:
        kernel[grid](*args, **ON, **options)
    return found.value


@triton.jit
def copy_kernel(x, out, n, shift, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offs + shift, mask=offs < n, other=0.0)
    tl.store(out + offs, value, mask=offs < n)


@triton.jit
def unmasked_store_kernel(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offs, mask=offs < n, other=0.0)
    tl.store(out + offs, value)


@triton.jit
def unmasked_load_kernel(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offs)
    tl.store(out + offs, value, mask=offs < n)


def test_a_right_kernel_runs():
    x = torch.arange(1000, dtype=torch.float32)
    out = torch.zeros(1000)
    for _ in range(2):
        copy_kernel[(8,)](x, out, 1000, 0, BLOCK=128, **ON)
    assert torch.equal(out, x)


def test_store_past_the_end():
    x, out = torch.ones(1000), torch.zeros(1000)
    error = caught(unmasked_store_kernel, (8,), x, out, 1000, BLOCK=128)
    assert error.operation == "store" and error.argument == "out"
    assert error.places == [(__file__, line_of(unmasked_store_kernel, "tl.store"))]
    assert error.program == (7, 0, 0) and error.index == (104,) and error.shape == (128,)
    assert error.address == out.data_ptr() + 4000 and error.offset == 4000 and error.bytes == 4
    text = str(error)
    assert "0 bytes past the end of 'out'" in text and "tl.store(out + offs, value)" in text
    assert "unmasked_store_kernel" in text and hex(error.address) in text


def test_nothing_is_written_by_the_vector_that_is_partly_outside():
    out, whole = guarded(100)
    view = np.frombuffer(whole, np.float32)[GUARD : GUARD + 100]
    with pytest.raises(OutOfBoundsError):
        unmasked_store_kernel[(1,)](np.ones(100, np.float32), view, 100, BLOCK=128, sanitize="view")
    assert untouched(whole)
    assert (out[96:] == FILL).all()  # lanes of the same vector that were inside


def test_load_that_no_store_needs_is_checked_too():
    x, out = torch.ones(1000), torch.zeros(1000)
    error = caught(unmasked_load_kernel, (8,), x, out, 1000, BLOCK=128)
    assert error.operation == "load" and error.argument == "x" and error.program == (7, 0, 0)
    assert error.index == (104,)


def test_before_the_start():
    x, out = torch.ones(256), torch.zeros(256)
    error = caught(copy_kernel, (2,), x, out, 256, -3, BLOCK=128)
    assert error.program == (0, 0, 0) and error.index == (0,) and error.offset == -12
    assert "12 bytes before the start of 'x'" in str(error)


def test_masked_off_lanes_are_not_checked():
    x, out = torch.ones(3), torch.zeros(3)
    copy_kernel[(1,)](x, out, 3, 0, BLOCK=1024, **ON)
    assert out.tolist() == [1.0] * 3
    copy_kernel[(1,)](torch.ones(0), torch.ones(0), 0, 0, BLOCK=64, **ON)  # no memory at all, but no access


def test_a_pointer_into_another_argument_is_out_of_bounds():
    both = np.zeros(64, np.float32)
    first, second = both[:32], both[32:]
    with pytest.raises(OutOfBoundsError) as found:
        copy_kernel[(1,)](first, second, 32, 1, BLOCK=32, sanitize="view")
    error = found.value
    assert error.argument == "x" and error.offset == 128 and "which is memory of 'out'" in str(error)
    copy_kernel[(1,)](first, second, 32, 1, BLOCK=32, sanitize="storage")  # one array holds both


@triton.jit
def scalar_kernel(x, out, i, j, mask):
    value = tl.load(x + i, mask=mask, other=5.0)
    tl.store(out + j, value, mask=mask)


def test_scalars():
    x, out = torch.ones(4), torch.zeros(4)
    scalar_kernel[(1,)](x, out, 3, 3, True, **ON)
    assert out.tolist() == [0, 0, 0, 1]
    scalar_kernel[(1,)](x, out, 1 << 40, -1 << 40, False, **ON)
    error = caught(scalar_kernel, (1,), x, out, 4, 0, True)
    assert (error.operation, error.argument, error.offset, error.index, error.shape) == ("load", "x", 16, (), ())
    error = caught(scalar_kernel, (1,), x, out, 0, 5, True)
    assert (error.operation, error.argument, error.offset) == ("store", "out", 20)


@triton.jit
def rows_kernel(x, out, rows, columns, stride, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(1) * R + tl.arange(0, R)[:, None]
    c = tl.program_id(0) * C + tl.arange(0, C)[None, :]
    value = tl.load(x + r * stride + c, mask=r < rows, other=0.0)
    tl.store(out + r * stride + c, value, mask=(r < rows) & (c < columns))


def test_two_dimensions_and_a_grid_of_two():
    x, out = torch.ones(20, 48), torch.zeros(20, 48)
    error = caught(rows_kernel, (2, 3), x, out, 20, 48, 48, R=8, C=32)
    # Only the last row's columns past 48 leave the storage.
    assert error.program == (1, 2, 0) and error.index == (3, 16) and error.shape == (8, 32)
    assert error.offset == 20 * 48 * 4


@triton.jit
def strided_kernel(x, out, stride, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out + offs * stride, tl.load(x + offs))


@pytest.mark.parametrize("stride", [1, 3, -1])
def test_strides_known_at_run_time(stride):
    x, out = torch.ones(64), torch.zeros(160)
    error = caught(strided_kernel, (1,), x, out[32:], stride * 4, BLOCK=64)
    expected = next(i for i in range(64) if not 0 <= 32 + i * stride * 4 < 160)
    assert error.index == (expected,) and error.operation == "store"


@triton.jit
def gathered_kernel(x, index, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + tl.load(index + offs)))


def test_addresses_from_memory():
    index = torch.arange(64, dtype=torch.int32) % 16
    x, out = torch.arange(16, dtype=torch.float32), torch.zeros(64)
    gathered_kernel[(1,)](x, index, out, BLOCK=64, **ON)
    assert torch.equal(out, x[index.long()])
    index[37] = 16
    error = caught(gathered_kernel, (1,), x, index, out, BLOCK=64)
    assert error.index == (37,) and error.argument == "x" and error.offset == 64


@triton.jit
def loop_kernel(x, out, n, steps, BLOCK: tl.constexpr):
    pointers = x + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(steps):
        total += tl.load(pointers)
        pointers += BLOCK
    tl.store(out + tl.arange(0, BLOCK), total)


def test_pointers_that_a_loop_carries():
    x, out = torch.ones(256), torch.zeros(64)
    loop_kernel[(1,)](x, out, 256, 4, BLOCK=64, **ON)
    assert out.tolist() == [4.0] * 64
    error = caught(loop_kernel, (1,), x, out, 256, 5, BLOCK=64)
    assert error.argument == "x" and error.offset == 1024 and error.index == (0,)


@triton.jit
def helper(p, value):
    tl.store(p, value)


@triton.jit
def calling_kernel(out, i):
    helper(out + i, 1.0)


def test_calls_are_traced():
    out = torch.zeros(4)
    error = caught(calling_kernel, (1,), out, 4)
    assert error.places == [(__file__, line_of(helper, "tl.store")), (__file__, line_of(calling_kernel, "helper("))]
    assert "called from" in str(error)


@triton.jit
def atomic_kernel(out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.atomic_add(out + offs, 1.0, mask=offs < n)


@triton.jit
def swap_kernel(lock, i):
    tl.atomic_cas(lock + i, 0, 1)


def test_atomics():
    out = torch.zeros(8)
    atomic_kernel[(1,)](out, 8, BLOCK=16, **ON)
    assert out.tolist() == [1.0] * 8
    error = caught(atomic_kernel, (1,), out, 9, BLOCK=16)
    assert (error.operation, error.index, error.argument) == ("atomic", (8,), "out")
    lock = torch.zeros(1, dtype=torch.int32)
    swap_kernel[(1,)](lock, 0, **ON)
    assert lock.item() == 1
    assert caught(swap_kernel, (1,), lock, 1).operation == "atomic"


@triton.jit
def waiting_kernel(x, lock, BLOCK: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.store(x + tl.num_programs(0) * 1000, 1.0)
        tl.atomic_xchg(lock, 1)
    else:
        while tl.atomic_cas(lock, 1, 1) != 1:
            pass


def test_programs_that_wait_for_the_stopped_one_stop():
    from triton._C.libtriton import cpu

    cpu.set_num_threads(2)
    try:
        error = caught(waiting_kernel, (2,), torch.zeros(8), torch.zeros(1, dtype=torch.int32), BLOCK=8)
    finally:
        cpu.set_num_threads(0)
    assert error.program == (0, 0, 0)


@triton.jit
def block_pointer_kernel(x, out, n, CHECK: tl.constexpr, BLOCK: tl.constexpr):
    source = tl.make_block_ptr(x, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    target = tl.make_block_ptr(out, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    if CHECK:
        tl.store(target, tl.load(source, boundary_check=(0,)), boundary_check=(0,))
    else:
        tl.store(target, tl.load(source, boundary_check=(0,)))


def test_block_pointers():
    x, out = torch.ones(100), torch.zeros(100)
    block_pointer_kernel[(2,)](x, out, 100, CHECK=True, BLOCK=64, **ON)
    assert torch.equal(x, out)
    error = caught(block_pointer_kernel, (2,), x, out, 100, CHECK=False, BLOCK=64)
    assert error.operation == "store" and error.program == (1, 0, 0) and error.index == (36,)


@triton.jit
def descriptor_kernel(x, out, rows, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, (rows, BLOCK), (BLOCK, 1), (4, BLOCK))
    row = tl.program_id(0) * 4
    value = source.load([row, 0])
    offs = (row + tl.arange(0, 4))[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(out + offs, value)


def test_descriptors():
    x, out = torch.ones(8, 16), torch.zeros(12, 16)
    descriptor_kernel[(3,)](x, out, 8, BLOCK=16, **ON)  # rows 8.. are the descriptor's zeros
    assert out.sum() == 8 * 16
    error = caught(descriptor_kernel, (3,), x, out, 12, BLOCK=16)  # a lie about the rows
    assert error.operation == "load" and error.argument == "x" and error.index == (0, 0)


@triton.jit
def host_descriptor_kernel(source, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, 4)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(out + offs, source.load([0, 0]))


def test_descriptors_of_the_host():
    x, out = torch.ones(4, 16), torch.zeros(4, 16)
    source = TensorDescriptor.from_tensor(x, [4, 16])
    host_descriptor_kernel[(1,)](source, out, BLOCK=16, **ON)
    assert torch.equal(x, out)
    error = caught(host_descriptor_kernel, (1,), source, out[1:], BLOCK=16)
    assert error.argument == "out" and error.operation == "store" and error.index == (3, 0)
    liar = TensorDescriptor(x, [8, 16], [16, 1], [4, 16])
    host_descriptor_kernel[(1,)](liar, out, BLOCK=16, **ON)  # as long as the block itself is there


@triton.jit
def matmul_kernel(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + start + k[None, :])
        y = tl.load(b + (start + k)[:, None] * N + n[None, :])
        total += tl.dot(x, y)
    tl.store(c + m[:, None] * N + n[None, :], total)


def test_products():
    a, b, c = torch.rand(16, 64), torch.rand(64, 32), torch.zeros(16, 32)
    matmul_kernel[(1,)](a, b, c, 64, M=16, N=32, BK=16, **ON)
    torch.testing.assert_close(c, a @ b)
    error = caught(matmul_kernel, (1,), a, b[:, :16].contiguous(), c, 64, M=16, N=32, BK=16)
    assert error.argument == "b" and error.index == (0, 0) and error.offset == 64 * 16 * 4


@triton.jit
def reduce_kernel(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    value = tl.load(x + offs, mask=offs < n + 1, other=0.0)
    tl.store(out, tl.sum(tl.cumsum(value, 0), 0))


def test_reductions_and_scans():
    error = caught(reduce_kernel, (1,), torch.ones(100), torch.zeros(1), 100, BLOCK=128)
    assert error.index == (100,) and error.places[0][1] == line_of(reduce_kernel, "tl.load")


@triton.jit
def gather_kernel(x, index, out, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(out + offs, tl.gather(tl.load(x + offs), tl.load(index + offs), 0))


@pytest.mark.parametrize("wrong", [32, -1])
def test_indices_of_gather(wrong):
    x, index, out = torch.rand(32), torch.arange(32, dtype=torch.int32), torch.zeros(32)
    gather_kernel[(1,)](x, index, out, N=32, **ON)
    assert torch.equal(x, out)
    index[5] = wrong
    error = caught(gather_kernel, (1,), x, index, out, N=32)
    assert error.operation == "gather" and error.index == (5,) and error.address == wrong


@triton.jit
def indirect_kernel(table, out):
    row = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    offs = tl.arange(0, 4)
    tl.store(out + tl.program_id(0) * 4 + offs, tl.load(row + offs))


def test_pointers_loaded_from_memory():
    rows = [torch.full((4,), float(i)) for i in range(2)]
    table = torch.tensor([row.data_ptr() for row in rows])
    out = torch.zeros(2, 4)
    indirect_kernel[(2,)](table, out, **ON)
    assert torch.equal(out, torch.stack(rows))
    table[1] = 64
    error = caught(indirect_kernel, (2,), table, out)
    assert error.program == (1, 0, 0) and error.address == 64 and "comes from no argument" in str(error)


@triton.jit
def chosen_kernel(x, y, out, which, BLOCK: tl.constexpr):
    source = x if which > 0 else y
    offs = tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(source + offs))


def test_either_of_two_arguments():
    x, y, out = torch.ones(32), torch.ones(16), torch.zeros(32)
    chosen_kernel[(1,)](x, y, out, 2, BLOCK=32, **ON)
    error = caught(chosen_kernel, (1,), x, y, out, 0, BLOCK=32)
    assert error.argument in ("x", "y") and error.operation == "load"


@triton.jit
def plain_address_kernel(x, out, n):
    tl.store(out + n, tl.load(x.to(tl.pointer_type(tl.float32)) + n))


def test_addresses_given_as_integers():
    x, out = torch.ones(4), torch.zeros(4)
    plain_address_kernel[(1,)](x.data_ptr(), out, 2, **ON)
    assert out[2] == 1
    with pytest.raises(OutOfBoundsError):
        plain_address_kernel[(1,)](16, out, 2, **ON)


def test_views():
    base = torch.arange(64, dtype=torch.float32)
    out = torch.zeros(16)
    copy_kernel[(1,)](base[8:16], out, 16, 0, BLOCK=16, sanitize="storage")
    assert torch.equal(out, base[8:24])
    with pytest.raises(OutOfBoundsError) as found:
        copy_kernel[(1,)](base[8:16], out, 16, 0, BLOCK=16, sanitize="view")
    assert found.value.offset == 32
    transposed = torch.zeros(8, 8).t()[:, 2:]
    assert extents_of({"x": "*fp32"}, (transposed,), "view")[0].begin == transposed.data_ptr()
    reverse = np.zeros(8, np.float32)[::-1]
    extent = extents_of({"x": "*fp32"}, (reverse,), "view")[0]
    assert extent.end - extent.begin == 32 and extent.end == reverse.__array_interface__["data"][0] + 4


def test_tuples_of_arguments():
    tensors = (torch.zeros(2), 5, torch.zeros(3))
    extents = extents_of({"a": ("*fp32", "i32", "*fp32"), "N": "constexpr"}, (tensors, 8), "storage")
    assert [e.name for e in extents] == ["a[0]", "a[1]", "a[2]"]
    assert [e.end - e.begin for e in extents] == [8, 0, 12]


def test_the_process_goes_on_and_other_launches_are_not_affected():
    x, out = torch.ones(1000), torch.zeros(1000)
    for _ in range(20):
        caught(unmasked_store_kernel, (8,), x, out, 1000, BLOCK=128)
        copy_kernel[(8,)](x, out, 1000, 0, BLOCK=128)
    assert torch.equal(x, out)


def test_threads_of_python():
    results = []

    def work(bad: bool) -> None:
        x, out = torch.ones(1000), torch.zeros(1000)
        for _ in range(20):
            try:
                (unmasked_store_kernel if bad else copy_kernel).run(
                    *((x, out, 1000) if bad else (x, out, 1000, 0)), BLOCK=128, grid=(8,), warmup=False, **ON
                )
                results.append(not bad)
            except OutOfBoundsError:
                results.append(bad)

    threads = [threading.Thread(target=work, args=(i % 2 == 0,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 80


def test_the_error_can_be_pickled():
    error = caught(unmasked_store_kernel, (8,), torch.ones(1000), torch.zeros(1000), 1000, BLOCK=128)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.program == error.program
    assert isinstance(again, IndexError) and isinstance(again, RuntimeError)


def test_the_variable(monkeypatch):
    @triton.jit
    def kernel(out):
        tl.store(out + 1, 1.0)

    monkeypatch.setenv("TRITON_CPU_SANITIZE", "1")
    with pytest.raises(OutOfBoundsError):
        kernel[(1,)](torch.zeros(1))


def test_the_knob_between_launches_of_one_kernel():
    @triton.jit
    def kernel(out, at):
        tl.store(out + at, 1.0)

    memory = torch.zeros(8)
    kernel[(1,)](memory[:4], 2)
    with triton.knobs.cpu.scope():
        triton.knobs.cpu.sanitize = "view"
        with pytest.raises(OutOfBoundsError):
            kernel[(1,)](memory[:4], 6)
        triton.knobs.cpu.sanitize = True
        kernel[(1,)](memory[:4], 6)  # the storage goes on there
        with pytest.raises(OutOfBoundsError):
            kernel[(1,)](memory[:4], 10)
        triton.knobs.cpu.sanitize = "strict"
        with pytest.raises(ValueError, match="'storage' or 'view', got 'strict'"):
            kernel[(1,)](memory[:4], 2)
    kernel[(1,)](memory[:4], 7)
    assert memory.tolist() == [0, 0, 1, 0, 0, 0, 1, 1]


def test_an_ordinary_kernel_has_no_checks():
    x, out = torch.ones(256), torch.zeros(256)
    plain = copy_kernel[(2,)](x, out, 256, 0, BLOCK=128)
    checked = copy_kernel[(2,)](x, out, 256, 0, BLOCK=128, **ON)
    assert "triton_cpu_check" in checked.asm["tcir"] and "triton_cpu_check" not in plain.asm["tcir"]
    assert plain.hash != checked.hash


@pytest.mark.parametrize(
    ("value", "mode"), [(None, ""), (False, ""), ("0", ""), (True, "storage"), ("1", "storage"), ("View", "view")]
)
def test_modes(value, mode):
    assert sanitize_mode(value) == mode


def test_a_mode_that_does_not_exist():
    with pytest.raises(ValueError, match="'storage' or 'view', got 'strict'"):
        copy_kernel[(1,)](torch.ones(1), torch.ones(1), 1, 0, BLOCK=1, sanitize="strict")


def test_the_variable_counts_after_the_first_launch(monkeypatch):
    @triton.jit
    def kernel(x, n):
        tl.store(x + n, 1.0)

    memory = torch.zeros(8)
    kernel[(1,)](memory[:4], 5)
    assert memory[5] == 1
    monkeypatch.setenv("TRITON_CPU_SANITIZE", "view")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="out of"):
            kernel[(1,)](memory[:4], 5)
    monkeypatch.delenv("TRITON_CPU_SANITIZE")
    kernel[(1,)](memory[:4], 6)
    assert memory[6] == 1
