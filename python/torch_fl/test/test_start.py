"""What a process finds when it starts, in whichever order, and with whichever variables."""

from __future__ import annotations

import pytest
from python_process import run

torch = pytest.importorskip("torch")

SHOW = """
import json, os, sys
import torch._inductor.config as config
print(json.dumps([
    hasattr(torch, "flagos") and torch.flagos is sys.modules["torch_flagos"] is sys.modules["torch_fl.flagos"],
    torch._C._get_privateuse1_backend_name(),
    os.environ.get("TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER"), config.use_static_cuda_launcher, config.compile_threads,
]))
"""


def shown(first: str, **environment: str):
    import json

    return json.loads(run(first + SHOW, **environment).stdout)


HAS_LAUNCHER = hasattr(torch._C, "_StaticCudaLauncher")
PLAIN = [True, "flagos", None if HAS_LAUNCHER else "0", HAS_LAUNCHER]


@pytest.mark.parametrize("order", ["import torch, torch_fl", "import torch_fl, torch", "import torch"])
def test_the_order_of_imports_does_not_matter(order):
    assert shown(order, TORCHINDUCTOR_COMPILE_THREADS="3") == [*PLAIN, 3]


def test_variables_of_the_user_win():
    environment = {
        "TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER": "1",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    }
    assert shown("import torch, torch_fl", **environment) == [True, "flagos", "1", True, 1]


def test_without_autoload_torch_is_as_it_was():
    seen = shown("import torch", TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert seen[:3] == [False, "privateuseone", None]


def test_compile_workers_know_the_device_without_autoload(tmp_path):
    code = """
import torch, torch_fl
from torch._inductor.async_compile import AsyncCompile
x = torch.arange(1000.0, device="flagos")
AsyncCompile.wait_pool_ready()
print(torch.compile(lambda v: (v * 2).sum(), backend="flagos")(x).item())
"""
    environment = {"TORCHINDUCTOR_COMPILE_THREADS": "2", "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)}
    assert run(code, TORCH_DEVICE_BACKEND_AUTOLOAD="0", **environment).stdout.strip() == "999000.0"


def test_an_unknown_platform_is_an_error_of_the_import():
    done = run("import torch_fl", check=False, ACCELERATOR="muse", TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert "ACCELERATOR='muse' is no platform of torch_fl" in done.stderr
    assert "Did you mean 'musa'?" in done.stderr


@pytest.mark.cpu_backend
def test_a_launch_without_torch_imports_neither_torch_nor_the_device():
    code = """
import sys
from triton.runtime import driver
from triton.backends import backends
print(driver.active.get_current_target().backend, "torch" in sys.modules, "flagos" in backends)
import torch_fl
print(backends["flagos"].driver.is_active())
"""
    assert run(code).stdout.split() == ["cpu", "False", "True", "True"]
