"""Workarounds and choices of platforms that this machine has not, from the graph to the result."""

from __future__ import annotations

import json

import pytest
from fake_platform import run_on

pytest.importorskip("torch")
pytestmark = pytest.mark.cpu_backend

# A graph whose backward pass keeps a mask of bool, in tiles of two dimensions; a user of libdevice; one that is timed.
ASCEND_LIKE = """
import json, types
from torch._inductor.utils import run_and_get_code
from torch._inductor.runtime import triton_heuristics
from triton.backends.cpu.compiler import CPUBackend

options, parse = [], CPUBackend.parse_options
CPUBackend.parse_options = lambda self, given: options.append(dict(given)) or parse(self, given)

def gradient(x, run):
    x = x.detach().requires_grad_()
    (run(x).t().contiguous() * torch.arange(33.0, device=x.device)[:, None]).sum().backward()
    return x.grad

def activation(v):
    return torch.relu(v * 2 - 0.3)

torch.manual_seed(0)
x = torch.randn(70, 33)
ours, code = run_and_get_code(lambda: gradient(x.to("flagos"), torch.compile(activation, backend="flagos")))
library = torch.compile(lambda v: torch.rsqrt(v.double().abs() + 1), backend="flagos", mode="max-autotune")
found = library(x.to("flagos"))
print(json.dumps({
    "equal": torch.equal(ours.cpu(), gradient(x, activation)),
    "close": torch.allclose(found.cpu(), torch.rsqrt(x.double().abs() + 1)),
    "bytes": "*i8" in "".join(code), "bools": "*i1" in "".join(code),
    "linear": [given.get("enable_linearize") for given in options],
    "threads": torch._inductor.config.compile_threads,
}))
"""


def test_gradients_of_relu_are_those_of_the_cpu_where_bytes_are_loaded_linearly(tmp_path):
    changes = {
        "tunes": False,
        "compile_threads": 1,
        "workarounds": ("libdevice", "resource_limits", "byte_loads"),
    }
    seen = json.loads(run_on(changes, ASCEND_LIKE, TORCHINDUCTOR_CACHE_DIR=str(tmp_path)).stdout)
    assert seen["equal"]
    assert seen["close"]
    assert seen["bytes"]
    assert not seen["bools"]
    assert seen["linear"]
    assert any(seen["linear"])


GCU_LIKE = """
import json
from torch._inductor.runtime import triton_heuristics

chosen, offered = [], []
single = triton_heuristics.CachingAutotuner.autotune_to_one_config
def autotune(self, *arguments, **options):
    offered.append([launcher.config.kwargs.get("XBLOCK") for launcher in self.launchers])
    result = single(self, *arguments, **options)
    chosen.append(self.launchers[0].config.kwargs.get("XBLOCK"))
    return result
triton_heuristics.CachingAutotuner.autotune_to_one_config = autotune

def timed(*_, **__):
    raise AssertionError("a kernel was timed")
triton_heuristics.CachingAutotuner.bench = timed

def attempt(run, *arguments):
    try:
        return run(*arguments).tolist()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

x = torch.ones(64, 300, device="flagos")
sums = torch.compile(lambda v: (v.sum(1) * 2)[:3], backend="flagos", options={"max_autotune_pointwise": True})
print(json.dumps({
    "sum": attempt(sums, x),
    "default": attempt(torch.compile(lambda v: v.sum(1)[:2]), x),
    "wide": attempt(torch.compile(lambda v: v[0, :2].to(torch.int64) + 1), x),
    "again": attempt(torch.compile(lambda v: v[0, :2] + 1), x),
    "chosen": chosen, "offered": offered,
}))
"""


def test_the_first_wide_launcher_runs_untimed_and_kernels_of_64_bits_are_refused(tmp_path):
    changes = {"tunes": False, "compile_threads": 1, "minimum_xblock": 4, "workarounds": ("guard_64bit",)}
    seen = json.loads(run_on(changes, GCU_LIKE, TORCHINDUCTOR_CACHE_DIR=str(tmp_path)).stdout)
    assert seen["sum"] == [600, 600, 600]
    assert seen["default"] == [300, 300]
    assert "values of 64 bits" in seen["wide"]
    assert "kernel triton_poi" in seen["wide"]
    assert seen["again"] == [2, 2]
    for chosen, offered in zip(seen["chosen"], seen["offered"], strict=True):
        assert chosen == next((width for width in offered if width >= 4), offered[0])
    assert any(min(offered) < 4 <= max(offered) for offered in seen["offered"])
