"""Kernels that a user launches, with tensors of the device and of the CPU."""

from __future__ import annotations

from pathlib import Path

import pytest
import triton
import triton.language as tl
from python_process import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.cpu_memory


@triton.jit
def doubled(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n) * 2, at < n)


@pytest.mark.parametrize("where", ["cpu", "flagos"])
def test_a_launch_takes_tensors_of_both_devices(device, where):
    x = torch.arange(100.0, device=where)
    y = torch.empty_like(x)
    doubled[(4,)](x, y, 100, BLOCK=32)
    assert torch.equal(y.cpu(), x.cpu() * 2)


def test_a_user_kernel_in_a_graph(device):
    @torch.compile(backend="flagos")
    def function(x):
        y = torch.empty_like(x)
        doubled[(triton.cdiv(x.numel(), 32),)](x, y, x.numel(), BLOCK=32)
        return y + 1

    x = torch.arange(70.0)
    assert torch.equal(function(x.to(device)).cpu(), x * 2 + 1)


def test_the_devices_driver_may_be_the_first_to_be_asked_for():
    code = """
import torch, torch_fl
from triton.backends import backends
print(backends["flagos"].driver.is_active())
"""
    done = run(code)
    assert (done.stdout.strip(), done.stderr) == ("True", "")


LATER = """
import sys, numpy, torch, triton
from triton.runtime import driver
sys.path.insert(0, {folder!r})
first = driver.active
import torch_fl
from test_launches import doubled
x = torch.arange(64.0, device="flagos")
y = torch.zeros_like(x)
doubled[(2,)](x, y, 64, BLOCK=32)
print(driver.active is first, y.sum().item(), driver.active.get_current_target().backend)
torch.compile(lambda v: v * 2, backend="flagos")(x)
host = numpy.arange(64, dtype=numpy.float32)
doubled[(2,)](host, host, 64, BLOCK=32)
doubled[(2,)](x, x, 64, BLOCK=32)
print(host.sum(), x.sum().item())
"""


def test_the_cpus_driver_stays_the_default_and_takes_tensors_of_a_device_that_comes_later():
    code = LATER.format(folder=str(Path(__file__).parent))
    done = run(code, TORCH_DEVICE_BACKEND_AUTOLOAD="0", TORCHINDUCTOR_COMPILE_THREADS="1")
    assert done.stdout.split() == ["True", "4032.0", "cpu", "4032.0", "4032.0"]


INTERPRETED = """
import sys, torch, torch_fl
sys.path.insert(0, {folder!r})
from test_launches import doubled
x = torch.arange(100.0, device="flagos")
y = torch.empty_like(x)
doubled[(4,)](x, y, 100, BLOCK=32)
print(type(doubled).__name__, torch.equal(y.cpu(), x.cpu() * 2))
a = torch.randn(8, 33)
found = torch.compile(lambda v: torch.softmax(v, -1).sort(-1)[0].sum(0), backend="flagos")(a.to("flagos"))
torch.testing.assert_close(found.cpu(), torch.softmax(a, -1).sort(-1)[0].sum(0))
"""


def test_the_interpreter_runs_kernels_and_graphs_on_tensors_of_the_device():
    done = run(INTERPRETED.format(folder=str(Path(__file__).parent)), TRITON_INTERPRET="1")
    assert done.stdout.split() == ["InterpretedFunction", "True"]
