"""What is wrong is said clearly, and the process goes on."""

from __future__ import annotations

import importlib.util
import types
from pathlib import Path

import pytest
from python_process import run

torch = pytest.importorskip("torch")


def compiled(function, **options):
    torch._dynamo.reset()
    return torch.compile(function, backend="flagos", **options)


@pytest.fixture
def goes_on(device):
    """After the test, the device computes, eagerly and compiled."""
    yield
    x = torch.arange(4.0, device=device)
    assert compiled(lambda v: v * 2 + 1)(x).tolist() == (x * 2 + 1).tolist() == [1, 3, 5, 7]


INSTALLATIONS = """
import importlib.machinery, sys, types, torch

def stamp(version):
    module = types.ModuleType("torch_fl._built_for")
    module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, None)
    module.TORCH_VERSION = version
    return module

def attempt(**modules):
    sys.modules.update({f"torch_fl.{name}": module for name, module in modules.items()})
    try:
        import torch_fl
    except ImportError as error:
        print(type(error).__name__, error)
    else:
        print("no error")
    for name in modules:
        sys.modules.pop(f"torch_fl.{name}", None)

real = torch.__version__
for version in ("2.10.1", "2.14.0"):
    torch.__version__ = version
    attempt()
torch.__version__ = real
attempt(_C=None)
attempt(_built_for=stamp("2.9.0"))
attempt(_C=None, _built_for=stamp(real))
attempt()
print(torch.ones(2, device="flagos").sum().item())
"""


def test_installations_that_do_not_fit_are_refused_with_what_to_do_and_torch_goes_on():
    lines = run(INSTALLATIONS, TORCH_DEVICE_BACKEND_AUTOLOAD="0").stdout.splitlines()
    for line, version in zip(lines, ("2.10.1", "2.14.0"), strict=False):
        assert line.startswith(f"ExtensionError torch_fl works with torch 2.11 to 2.13, and this is torch {version}.")
    assert "is missing. Build it again: pip install" in lines[2]
    assert f"built for torch 2.9.0, and this is torch {torch.__version__}. Build it again" in lines[3]
    assert "is missing" in lines[4]
    assert lines[5:] == ["no error", "2.0"]


def test_torchs_own_import_names_the_cause_and_how_to_do_without():
    done = run("import sys; sys.modules['torch_fl._C'] = None; import torch", check=False)
    assert done.returncode == 1
    assert "ExtensionError: torch_fl: the extension torch_fl._C is missing. Build it again" in done.stderr
    assert "disable extension auto-loading with TORCH_DEVICE_BACKEND_AUTOLOAD=0" in done.stderr


def test_a_build_does_not_need_the_installation_that_it_replaces():
    folder = Path(__file__).parents[1]
    code = f"""
import os, runpy, sys
os.chdir({str(folder)!r})
sys.modules["torch_fl._C"] = None
sys.argv = ["setup.py", "--version"]
runpy.run_path("setup.py", run_name="__main__")
"""
    assert run(code).stdout.split()[-1] == "0.1.0"


@pytest.mark.usefixtures("goes_on")
def test_a_triton_without_the_backend_is_named_with_what_to_install(device, monkeypatch):
    from torch_fl.inductor import require

    monkeypatch.setattr(require, "is_flagtree", lambda: False)
    needed = require.needed_backends()[-1]
    others = [name for name in ("amd", "nvidia", "flagos") if name != needed]
    monkeypatch.setattr(require, "installed_backends", lambda: others)
    message = rf"needs a Triton with the backend '{needed}'; triton \d.* has: {', '.join(others)}\. .*"
    with pytest.raises(Exception, match=message):
        compiled(lambda v: v + 1)(torch.ones(2, device=device))
    monkeypatch.setattr(require, "is_flagtree", lambda: True)
    monkeypatch.setattr(require, "backend_name", lambda: "acme")
    assert "built for acme, at" in require.missing_backends()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "needs Triton, which is not installed" in require.missing_backends()
    monkeypatch.undo()
    assert require.missing_backends() is None


def test_a_triton_without_a_cpu_backend_loads_ours_which_supports_nothing(monkeypatch):
    from flagos_triton import host
    from triton.backends.compiler import GPUTarget

    monkeypatch.setattr(host, "part", lambda name: None)
    loaded = {}
    for name in ("compiler", "driver"):
        path = Path(host.__file__).with_name(f"{name}.py")
        spec = importlib.util.spec_from_file_location(f"flagos_triton.{name}", path)
        loaded[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded[name])
    backend, driver = loaded["compiler"].FlagosBackend, loaded["driver"].FlagosDriver
    assert not backend.supports_target(GPUTarget("flagos", "any", 32))
    assert not driver.is_active()
    assert "install the flagtree wheel" in driver.inactive_reason()
    for attempt in (driver, lambda: backend.hash(None), lambda: backend.parse_options(None, {})):
        with pytest.raises(RuntimeError, match="install the flagtree wheel"):
            attempt()


@pytest.mark.usefixtures("goes_on")
def test_tensors_of_two_devices_are_refused_in_a_graph_too(device):
    for function in (torch.add, torch.matmul):
        with pytest.raises(Exception, match=r"two (different )?devices,? flagos:0(,| and) cpu"):
            compiled(function)(torch.ones(3, 3, device=device), torch.ones(3, 3))


@pytest.mark.filterwarnings("ignore:Torchinductor does not support code generation for complex")
def test_complex_numbers_in_a_graph_run_through_the_fallback(device):
    x = torch.randn(8, dtype=torch.complex64)
    result = compiled(lambda v: (v * 2).abs())(x.to(device))
    torch.testing.assert_close(result.cpu(), (x * 2).abs())


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2], ids=str)
def test_eight_bit_numbers_round_in_a_graph_as_on_the_cpu(device, dtype):
    x = torch.linspace(-3, 3, 64)
    result = compiled(lambda v: v.to(dtype).float() * 2)(x.to(device))
    assert torch.equal(result.cpu(), x.to(dtype).float() * 2)


@pytest.mark.usefixtures("goes_on")
def test_out_of_memory_leaves_the_counts_as_they_were(device):
    x = torch.ones(8, device=device)
    before, failed = torch.flagos.memory_allocated(), torch.flagos.memory_stats()["num_ooms"]
    too_much = (
        lambda: torch.empty(1 << 50, device=device),
        lambda: x.expand(1 << 40, 8) * 2,  # the result of a CPU operator
        lambda: torch.empty(0, device=device).resize_(1 << 50),
        lambda: compiled(lambda v, w: torch.mm(v.expand(1 << 45, 8), w))(x, x[:, None]),
    )
    for allocate in too_much:
        with pytest.raises((torch.OutOfMemoryError, RuntimeError), match=r"memory|alloc"):
            allocate()
        assert torch.flagos.memory_allocated() == before
    assert torch.flagos.memory_stats()["num_ooms"] > failed


def last_step(memory):
    """The class of Triton that compiles for the device, and the name of what makes the kernel's binary."""
    if memory == "cuda":
        from triton.backends.nvidia.compiler import CUDABackend

        return CUDABackend, "make_cubin"
    from triton.backends.cpu.compiler import CPUBackend

    return CPUBackend, "_obj"


class TestFailingKernel:
    """One kernel that the compiler refuses."""

    @pytest.fixture(autouse=True)
    def refusing(self, device, memory, monkeypatch):
        from torch._inductor import config

        def refuse(*_):
            raise RuntimeError("no such instruction")

        monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
        with monkeypatch.context() as patch, config.patch(compile_threads=1, fx_graph_cache=False):
            patch.setattr(*last_step(memory), refuse)
            yield
        assert compiled(lambda v: v * 2)(torch.ones(2, device=device)).tolist() == [2, 2]

    def test_is_an_error(self, device):
        with pytest.raises(Exception, match="no such instruction"):
            compiled(lambda v: v.sin() * 3)(torch.ones(2, device=device))

    def test_runs_eagerly_with_a_warning_if_asked(self, device, monkeypatch):
        monkeypatch.setenv("FLAGOS_COMPILE_FALLBACK_EAGER", "1")
        with pytest.warns(RuntimeWarning, match=r"runs eagerly.*no such instruction"):
            result = compiled(lambda v: v.sin() * 3)(torch.ones(2, device=device))
        torch.testing.assert_close(result.cpu(), torch.ones(2).sin() * 3)


def test_a_compiler_that_cannot_be_imported_counts_as_a_failed_compilation(device, monkeypatch):
    import sys

    from torch_fl.inductor.backend import FALLBACK, compile_graph

    x = torch.ones(2, device=device)
    graph = torch.fx.symbolic_trace(lambda v: v + 1)
    monkeypatch.setitem(sys.modules, "torch._inductor.compile_fx", None)
    with pytest.raises(ImportError, match="compile_fx"):
        compile_graph(graph, [x])
    monkeypatch.setenv(FALLBACK, "1")
    with pytest.warns(RuntimeWarning, match=r"compile_fx"):
        assert compile_graph(graph, [x])(x).tolist() == [2, 2]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"mode": "max-autotun"}, "'max-autotun' is no mode of TorchInductor. Did you mean 'max-autotune'?"),
        ({"options": {"max_autotunee": True}}, "'max_autotunee' is no option of TorchInductor. Did you mean"),
        ({"options": {"max_autotune": "yes"}}, "option 'max_autotune' is of type bool, got 'yes'"),
        ({"options": {"max_fusion_size": True}}, "option 'max_fusion_size' is of type int, got True"),
        ({"options": {"cpp_wrapper": True}}, "ahead-of-time compilation; leave option cpp_wrapper"),
    ],
    ids=["mode", "option", "type", "bool for int", "C++ wrapper"],
)
def test_bad_settings_are_errors_even_where_failed_compilations_run_eagerly(device, monkeypatch, setting, message):
    from torch_fl.inductor.backend import FALLBACK, compile_graph

    monkeypatch.setenv(FALLBACK, "1")
    graph = torch.fx.symbolic_trace(lambda v: v + 1)
    with pytest.raises(RuntimeError) as caught:
        compile_graph(graph, [torch.ones(2, device=device)], **setting)
    assert message in str(caught.value)


@pytest.mark.cpu_memory
@pytest.mark.parametrize(
    "draw",
    [
        lambda device, generator: torch.rand(3, device=device, generator=generator),
        lambda device, generator: torch.randperm(3, device=device, generator=generator),
        lambda device, generator: torch.ones(3, device=device).bernoulli_(0.5, generator=generator),
        lambda device, generator: torch.ones((), device=device).normal_(generator=generator),
        lambda device, generator: torch.multinomial(torch.ones(3, device=device), 2, generator=generator),
    ],
    ids=["rand", "randperm", "bernoulli_", "scalar", "multinomial"],
)
def test_generators_belong_to_the_device_of_the_numbers(device, draw):
    with pytest.raises(RuntimeError, match="expected a generator of flagos:0, got one of cpu"):
        draw(device, torch.Generator())
    with pytest.raises(RuntimeError, match="expected a generator of the device of the tensors, got one of flagos"):
        draw("cpu", torch.Generator(device))
    own, other = torch.Generator(device).manual_seed(3), torch.Generator().manual_seed(3)
    assert torch.equal(draw(device, own).cpu(), draw("cpu", other))


def test_the_cpp_wrapper_is_refused_as_a_global_setting_too(device):
    from torch._inductor import config
    from torch_fl.inductor.patches import BadSetting, config_patches
    from torch_fl.profiles import profile

    with config.patch(cpp_wrapper=True):
        with pytest.raises(BadSetting, match=r"no C\+\+ wrapper, .* variable TORCHINDUCTOR_CPP_WRAPPER out"):
            config_patches(profile())
        assert config_patches(profile(), options={"cpp_wrapper": False})["cpp_wrapper"] is False


@pytest.mark.cpu_memory
@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch.export's, about itself
def test_the_cpp_wrapper_is_refused_by_the_default_compiler_and_ahead_of_time_too(device):
    x = torch.ones(3, device=device)
    with pytest.raises(RuntimeError, match=r"no C\+\+ wrapper, and so no ahead-of-time compilation"):
        torch.compile(lambda v: v + 1, options={"cpp_wrapper": True})(x)
    program = torch.export.export(torch.nn.ReLU(), (x,))
    with pytest.raises(RuntimeError, match=r"no C\+\+ wrapper, and so no ahead-of-time compilation"):
        torch._inductor.aoti_compile_and_package(program)


def test_tracing_again_is_no_failed_compilation(device, monkeypatch):
    """TorchInductor asks for it where a number of the graph, here that of batches, depends on an unknown size."""
    import warnings

    from torch_fl.inductor.backend import FALLBACK

    monkeypatch.setenv(FALLBACK, "1")
    expected = torch.nn.BatchNorm1d(5)
    layer = torch.nn.BatchNorm1d(5).to(device)
    x = torch.randn(9, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        result = compiled(layer, dynamic=True)(x.to(device))
    torch.testing.assert_close(result.cpu(), expected(x))
    torch.testing.assert_close(layer.running_var.cpu(), expected.running_var)


def test_asking_for_flagtree_without_it_says_which_triton_is_there(device, monkeypatch):
    from torch_fl import flagtree

    monkeypatch.setenv(flagtree.ENVIRONMENT, "1")
    monkeypatch.setattr(flagtree, "is_flagtree", lambda: False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: types.SimpleNamespace(origin="/elsewhere/triton"))
    with pytest.raises(RuntimeError, match=r"/elsewhere/triton\) is not FlagTree\. Install the flagtree wheel"):
        flagtree.assert_flagtree_if_asked()
