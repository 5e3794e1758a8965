"""Runs where the backend is installed; the README says how."""

from __future__ import annotations

import numpy as np
import triton
import triton.language as tl
from triton.backends import backends
from triton.backends.hello.driver import greetings


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


def test_a_kernel_runs_on_the_device():
    x = np.arange(1000, dtype=np.float32)
    out = np.zeros_like(x)
    kernel = add[(8,)](x, x, out, 1000, BLOCK=128)
    np.testing.assert_array_equal(out, 2 * x)
    assert kernel.metadata.target.backend == "hello"
    assert kernel.packed_metadata == {"greeting": "hello from add"}
    assert greetings == ["hello, add"]


def test_without_devices_kernels_are_left_to_the_cpu(monkeypatch):
    monkeypatch.setenv("HELLO_DEVICES", "0")
    assert not backends["hello"].driver.is_active()
    assert "HELLO_DEVICES=0" in backends["hello"].driver.inactive_reason()
