"""Atomic additions that threads collect: the same sums as added one by one, at the latest when the launch returns."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton._C.libtriton import cpu


@pytest.fixture(autouse=True)
def two_threads():
    cpu.set_num_threads(2)
    yield
    cpu.set_num_threads(0)


@triton.jit
def add_kernel(index, values, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    at = tl.load(index + offs, mask=mask, other=0)
    tl.atomic_add(out + at, tl.load(values + offs, mask=mask, other=0), mask=mask)


def is_collected(kernel) -> bool:
    return "triton_cpu_add_later" in kernel.asm["tcir"]


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("places", "n"), [(1, 5000), (256, 100_000), (100_000, 200_000)], ids=["one place", "few places", "many places"]
)
def test_scattered(dtype, places, n):
    torch.manual_seed(0)
    index = torch.randint(0, places, (n,), dtype=torch.int32)
    values = torch.randint(-100, 100, (n,)).to(dtype)  # sums are exact in every type
    out = torch.full((places + 32,), 5, dtype=dtype)
    kernel = add_kernel[(triton.cdiv(n, 512),)](index, values, out[16:], n, BLOCK=512)
    assert is_collected(kernel)
    expected = torch.full_like(out, 5).index_add_(0, index.long() + 16, values)
    assert torch.equal(out, expected)


@triton.jit
def columns_kernel(x, out, columns, shift, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < columns
    tl.atomic_add(out + shift + offs, tl.load(x + tl.program_id(0) * columns + offs, mask=mask), mask=mask)


@pytest.mark.parametrize("shift", [0, 1, 7, 16])
@pytest.mark.parametrize("columns", [1000, 1024, 17])
def test_rows_onto_one(columns, shift):
    x = torch.randint(-8, 8, (300, columns)).float()
    out = torch.full((columns + 40,), -0.0)
    kernel = columns_kernel[(300,)](x, out, columns, shift, BLOCK=1024)
    assert is_collected(kernel)
    assert torch.equal(out[shift : shift + columns], x.sum(0))
    outside = torch.cat([out[:shift], out[shift + columns :]])
    assert (outside == 0).all() and torch.signbit(outside).all()  # not even a zero was added


@triton.jit
def total_kernel(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.atomic_add(out + tl.zeros((BLOCK,), tl.int32), tl.load(x + offs, mask=mask, other=1), mask=mask)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.float64])
def test_a_block_onto_one_place(dtype):
    x = torch.randint(-100, 100, (10_003,)).to(dtype)
    out = torch.tensor([3], dtype=dtype)
    assert is_collected(total_kernel[(20,)](x, out, 10_003, BLOCK=512))
    assert out.item() == 3 + x.sum().item()


@triton.jit
def special_kernel(out, values, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.atomic_add(out + offs, tl.load(values + offs))


def test_special_values():
    start = torch.tensor([-0.0, -0.0, 1.0, float("inf"), float("nan"), 3.0] + [0.0] * 10)
    values = torch.tensor([-0.0, 0.0, float("nan"), float("-inf"), 1.0, float("inf")] + [0.0] * 10)
    out = start.clone()
    special_kernel[(1,)](out, values, BLOCK=16)
    np.testing.assert_array_equal(out.numpy().view(np.int32)[:2], (start + values).numpy().view(np.int32)[:2])
    torch.testing.assert_close(out, start + values, equal_nan=True, rtol=0, atol=0)


def test_integers_wrap():
    out = torch.full((16,), 2**31 - 1, dtype=torch.int32)
    special_kernel[(1,)](out, torch.ones(16, dtype=torch.int32), BLOCK=16)
    assert (out == -(2**31)).all()


def test_elements_that_are_not_aligned():
    memory = torch.zeros(200, dtype=torch.uint8)
    out = torch.from_numpy(np.ndarray((16,), np.int32, memory.numpy(), offset=2))
    special_kernel[(3,)](out, torch.arange(16, dtype=torch.int32), BLOCK=16)
    assert torch.equal(out, 3 * torch.arange(16, dtype=torch.int32))


@triton.jit
def read_back_kernel(out, seen, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.atomic_add(out + offs, 1)
    tl.store(seen + offs, tl.load(out + offs))


def test_a_program_sees_its_own_additions():
    out, seen = torch.zeros(2, 64, dtype=torch.int32)
    kernel = read_back_kernel[(1,)](out, seen, BLOCK=64)
    assert not is_collected(kernel)
    assert (seen == 1).all()


@triton.jit
def last_one_kernel(out, counter, total, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.atomic_add(out + offs, 1)
    if tl.atomic_add(counter, 1) == n - 1:  # everything is there by now
        tl.store(total + offs, tl.load(out + offs))


def test_the_last_program_sees_all_additions():
    out, total = torch.zeros(2, 64, dtype=torch.int32)
    last_one_kernel[(200,)](out, torch.zeros(1, dtype=torch.int32), total, 200, BLOCK=64)
    assert (total == 200).all()


def test_launches_of_several_threads():
    import threading

    index = torch.arange(4096, dtype=torch.int32) % 64
    values = torch.ones(4096)
    out = torch.zeros(64)

    def work():
        for _ in range(20):
            add_kernel[(8,)](index, values, out, 4096, BLOCK=512)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (out == 64 * 80).all()


def test_it_can_be_turned_off():
    index, values, out = torch.zeros(64, dtype=torch.int32), torch.ones(64), torch.zeros(1)
    kernel = add_kernel[(1,)](index, values, out, 64, BLOCK=64, collect_adds=False)
    assert not is_collected(kernel) and out.item() == 64


def test_code_that_is_compiled_ahead_of_time_needs_no_runtime():
    from triton.backends.cpu import aot

    kernel = add_kernel.warmup(torch.int32, torch.float32, torch.float32, 64, BLOCK=64, grid=(1,), **aot.OPTIONS)
    assert "triton_cpu_" not in kernel.asm["tcir"]
