"""`tl.atomic_load`, `atomic_store` and `atomic_poll`, compiled and interpreted; `tl.squeeze` and `tl.unsqueeze`."""

import threading
import time

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.interpreter import InterpretedFunction


def doubles(x_ptr, out_ptr):
    i = tl.arange(0, 4)
    tl.atomic_store(out_ptr + i, tl.atomic_load(x_ptr + i) * 2, mask=i < 3, sem="relaxed")
    tl.atomic_store(out_ptr + 3, tl.atomic_load(x_ptr + 1, sem="relaxed", scope="sys"))


def polls(flag_ptr, out_ptr, LANES: tl.constexpr, TIMEOUT: tl.constexpr):
    if LANES:
        flag_ptr += tl.arange(0, LANES)
    tl.store(out_ptr, tl.atomic_poll(flag_ptr, 1, timeout_ns=TIMEOUT))


both = pytest.mark.parametrize("make", [triton.JITFunction, InterpretedFunction])


@both
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int16, np.int32, np.uint64])
def test_load_and_store(make, dtype):
    out = np.zeros(4, dtype)
    make(doubles)[(1,)](np.arange(4).astype(dtype), out)
    assert out.tolist() == [0, 2, 4, 1]


@both
@pytest.mark.parametrize("lanes", [0, 4])
def test_poll_ends_at_the_value_or_the_timeout(make, lanes):
    kernel, out = make(polls), np.zeros(1, np.int32)
    kernel[(1,)](np.ones(4, np.int32), out, lanes, None)
    assert out[0] == 1
    out[0] = 7
    kernel[(1,)](np.zeros(4, np.int32), out, lanes, 1_000_000)
    assert out[0] == 0


@pytest.mark.parametrize("lanes", [0, 4])
def test_poll_sees_what_another_thread_writes(lanes):
    kernel, flag, out = triton.JITFunction(polls), np.zeros(4, np.int32), np.zeros(1, np.int32)
    kernel.warmup(flag, out, lanes, None, grid=(1,))
    thread = threading.Thread(target=lambda: (time.sleep(0.02), flag.fill(1)))
    thread.start()
    kernel[(1,)](flag, out, lanes, None)
    thread.join()
    assert out[0] == 1


@triton.jit
def loads_bytes(p):
    tl.atomic_load(p)


@triton.jit
def stores_acquiring(p):
    tl.atomic_store(p, 1, sem="acquire")


@pytest.mark.parametrize(
    ("kernel", "pointer", "message"),
    [
        (loads_bytes, "*i8", "atomics need elements of 16, 32 or 64 bits"),
        (stores_acquiring, "*i32", "sem 'acquire' is not supported; use one of 'release', 'relaxed'"),
    ],
)
def test_errors(error_of, kernel, pointer, message):
    assert message in str(error_of(kernel, p=pointer))


@triton.jit
def reshapes(out_ptr):
    x = tl.unsqueeze(tl.arange(0, 8), 0)
    tl.static_assert(x.shape == [1, 8])
    y = tl.squeeze(x, 0).unsqueeze(1).squeeze(-1)
    tl.static_assert(y.shape == [8])
    tl.store(out_ptr + tl.arange(0, 8), y)


def test_squeeze_and_unsqueeze():
    out = np.zeros(8, np.int32)
    reshapes[(1,)](out)
    assert out.tolist() == list(range(8))
