"""What is registered where, and that nothing else changes."""

from __future__ import annotations

import importlib
import types

import pytest
from python_process import run

torch = pytest.importorskip("torch")


def test_the_compiler_is_found_by_name(device):
    assert device in torch._dynamo.list_backends()


def test_the_device_counts_as_a_gpu_and_is_the_only_one(device):
    from torch._inductor import utils

    assert utils.is_gpu(device)
    assert utils.get_gpu_type() == device
    assert utils.GPU_TYPES.count(device) == 1


def test_interface_and_lines_of_generated_code(device):
    from torch._dynamo.device_interface import get_interface_for_device
    from torch._inductor.codegen.common import get_device_op_overrides

    interface = get_interface_for_device(device)
    assert interface.current_device() == 0
    assert interface.is_bf16_supported(including_emulation=False)
    assert interface.get_device_properties(0).warp_size == 32
    assert issubclass(interface.Event, torch.Event)
    overrides = get_device_op_overrides(device)
    assert overrides.device_guard(0) == "torch.flagos._DeviceGuard(0)"


@pytest.mark.parametrize(("name", "more"), [("host", []), ("hcu", []), ("maca", ["maca"]), ("npu", ["npu"])])
def test_the_interface_answers_to_the_name_that_kernels_are_compiled_for(monkeypatch, name, more):
    from torch_fl.inductor import older_torch, registration
    from torch_fl.profiles import find

    names = []
    module = types.SimpleNamespace(register_interface_for_device=lambda device, _: names.append(device))
    monkeypatch.setattr(registration, "profile", lambda: find(name))
    monkeypatch.setattr(older_torch, "attach_raw_stream", lambda _: None)
    registration._interface(module)
    assert names == ["flagos", "flagos:0", *more]


def test_a_compile_changes_no_setting(device):
    from torch._inductor import config

    torch._dynamo.reset()
    before = config.get_config_copy()
    for choice in ({"mode": "max-autotune"}, {"options": {"epilogue-fusion": False, "triton.cudagraphs": True}}):
        run = torch.compile(lambda v: (v * 2).sum(0), backend="flagos", **choice)
        assert run(torch.ones(3, 5, device=device)).tolist() == [6] * 5
        assert config.get_config_copy() == before


@pytest.mark.cpu_memory
def test_there_are_no_lines_of_cpp_for_the_host(device):
    from torch._inductor.codegen.common import get_device_op_overrides

    with pytest.raises(NotImplementedError):
        get_device_op_overrides(device).cpp_device_guard()


def test_importing_torch_fl_does_not_import_the_compiler():
    run("import torch_fl, sys; assert 'torch._inductor' not in sys.modules and 'triton' not in sys.modules")


def test_registering_again_changes_nothing(device):
    from torch._inductor.codegen.common import device_codegens
    from torch._inductor.utils import GPU_TYPES
    from torch_fl.inductor.registration import register

    importlib.import_module("torch._inductor.codegen.triton")
    before = device_codegens.get(device), list(GPU_TYPES)
    for _ in range(50):
        register()
    assert (device_codegens.get(device), list(GPU_TYPES)) == before


def test_another_owner_of_the_device_slot_is_refused_by_name():
    done = run(
        "import torch; torch.utils.rename_privateuse1_backend('acme'); import torch_fl",
        check=False,
        TORCH_DEVICE_BACKEND_AUTOLOAD="0",
    )
    assert done.returncode == 1
    assert "already has a device 'acme'" in done.stderr


def test_it_works_without_autoload():
    code = "import torch, torch_fl; print(torch.ones(2, device='flagos').sum().item())"
    assert run(code, TORCH_DEVICE_BACKEND_AUTOLOAD="0").stdout.strip() == "2.0"


def test_a_compile_in_worker_processes(tmp_path):
    code = """
import torch, torch_fl
x = torch.arange(1000.0, device="flagos")
print(torch.compile(lambda v: (v * 2).sum(), backend="flagos")(x).item())
"""
    done = run(code, TORCHINDUCTOR_COMPILE_THREADS="2", TORCHINDUCTOR_CACHE_DIR=str(tmp_path))
    assert done.stdout.strip() == "999000.0"


# The last step of a compile, by the memory of the device.
LAST_STEP = {"cpu": "cpu.compiler import CPUBackend as B", "cuda": "nvidia.compiler import CUDABackend as B"}
STEP = {"cpu": "_obj", "cuda": "make_cubin"}


def test_a_second_process_compiles_nothing(tmp_path, memory):
    code = f"""
import torch, torch_fl
from triton.backends.{LAST_STEP[memory]}
calls, make = [], B.{STEP[memory]}
B.{STEP[memory]} = lambda self, *arguments: calls.append(self) or make(self, *arguments)
x = torch.arange(1000.0, device="flagos", requires_grad=True)
torch.compile(lambda v: (v * 2).sin().sum(), backend="flagos")(x).backward()
print(len(calls), x.grad.sum().item())
"""
    environment = {"TORCHINDUCTOR_COMPILE_THREADS": "1", "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)}
    (cold, first), (warm, second) = (run(code, **environment).stdout.split() for _ in range(2))
    assert int(cold) > 0
    assert int(warm) == 0
    assert first == second


def test_an_extension_for_another_torch_is_an_error_that_names_both():
    from torch_fl._extension import ExtensionError, check_versions

    check_versions("2.13.0+cpu", "2.13.1")
    with pytest.raises(ExtensionError, match=r"2\.11\.0.*2\.13\.0\+cpu"):
        check_versions("2.11.0", "2.13.0+cpu")


@pytest.mark.cpu_memory
def test_asking_for_flagtree(device, monkeypatch):
    from torch_fl import flagtree

    monkeypatch.setenv(flagtree.ENVIRONMENT, "1")
    flagtree.assert_flagtree_if_asked()
    monkeypatch.setattr(flagtree, "is_flagtree", lambda: False)
    with pytest.raises(RuntimeError, match="not FlagTree"):
        flagtree.assert_flagtree_if_asked()
