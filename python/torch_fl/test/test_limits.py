"""What the device does not do, and what happens then."""

from __future__ import annotations

import dataclasses
import types

import pytest

torch = pytest.importorskip("torch")


def test_there_is_one_device(device):
    assert torch.flagos.device_count() == torch.accelerator.device_count() == 1
    for call in (torch.flagos.set_device, torch.flagos.get_device_properties, torch.flagos.memory_allocated):
        with pytest.raises(ValueError, match="one flagos device"):
            call(1)
    with pytest.raises(RuntimeError, match="one flagos device"):
        torch.ones(2).to(f"{device}:1")


def test_graphs_for_replay_are_always_off(device):
    from torch._dynamo.utils import counters

    torch._dynamo.reset()
    x = torch.ones(8, device=device)
    assert torch.compile(lambda v: v * 3, backend="flagos", mode="reduce-overhead")(x).tolist() == [3] * 8
    assert counters["inductor"]["cudagraph_recorded_non_static_inputs"] == 0
    assert not torch._inductor.config.triton.cudagraphs


@pytest.mark.cpu_memory
def test_products_are_left_to_the_fallback_even_where_all_is_tuned(device, capfd):
    from torch._inductor.utils import run_and_get_code

    torch._dynamo.reset()
    torch.manual_seed(0)
    a, b = torch.randn(32, 48), torch.randn(48, 16)
    tuned = torch.compile(lambda x, y: torch.relu(x @ y), backend="flagos", mode="max-autotune")
    result, code = run_and_get_code(tuned, a.to(device), b.to(device))
    torch.testing.assert_close(result.cpu(), torch.relu(a @ b))
    text = "".join(code)
    assert "extern_kernels.mm(" in text
    assert "triton_tem" not in text
    assert "No template heuristic" not in capfd.readouterr().err


@pytest.mark.cpu_memory
def test_products_are_no_reason_to_warn_of_a_small_graphics_card(device, monkeypatch):
    from torch._inductor import utils
    from torch_fl.inductor.codegen import leave_out_templates
    from torch_fl.profiles import find

    said = []
    monkeypatch.setattr(utils.log, "warning", lambda *arguments, **_: said.append(arguments))
    assert not utils.is_big_gpu(torch.device(device, 0))
    assert not utils.is_big_gpu(0)
    assert not said

    counting = types.SimpleNamespace(is_big_gpu=lambda which=0: True, get_gpu_type=lambda: device)
    assert not leave_out_templates(counting, find("cuda"))
    assert counting.is_big_gpu(0)
    assert leave_out_templates(counting, find("host"))
    assert not leave_out_templates(counting, find("host"))
    assert not counting.is_big_gpu()
    assert counting.is_big_gpu(torch.device("cuda", 0))


@pytest.mark.parametrize("name", ["npu", "musa", "gcu", "txda"])
def test_platforms_without_a_clock_or_a_cpp_wrapper_neither_tune_nor_have_one(name):
    from torch_fl.inductor.patches import BadSetting, config_patches
    from torch_fl.profiles import find

    record = find(name)
    assert not record.is_cuda_like
    assert not record.tunes
    patches = config_patches(record, "max-autotune")
    assert not any(patches[key] for key in patches if key.startswith("max_autotune") and key[-8:] != "backends")
    assert not patches["coordinate_descent_tuning"]
    assert not patches["use_joint_graph_passes"]
    with pytest.raises(BadSetting, match=rf"{name!r} of flagos has no C\+\+ wrapper"):
        config_patches(record, options={"cpp-wrapper": True})


def test_platforms_whose_compiler_asks_the_driver_compile_one_kernel_at_a_time(monkeypatch):
    from torch_fl.profiles import PROFILES

    assert {name for name, record in PROFILES.items() if record.compile_threads == 1} == {
        "ppu",
        "npu",
        "musa",
        "gcu",
        "txda",
    }
    assert all(dataclasses.is_dataclass(record) for record in PROFILES.values())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="only where torch.cuda is alive beside flagos")
def test_a_backward_pass_on_plain_cuda_is_refused_beside_flagos(device):
    x = torch.ones(3, device="cuda", requires_grad=True)
    with pytest.raises(RuntimeError, match="stream"):
        (x * 2).sum().backward()


def test_nothing_is_published_for_inductors_own_hook_without_a_cpp_wrapper(device):
    from torch._inductor.codegen.common import get_wrapper_codegen_for_device, init_backend_registration
    from torch_fl.inductor.codegen import NoCppWrapper
    from torch_fl.profiles import profile

    init_backend_registration()
    classes = ("Scheduling", "PythonWrapperCodegen", "CppWrapperCodegen", "WrapperFxCodegen")
    published = [hasattr(torch.flagos, name) for name in classes]
    assert all(published) if profile().is_cuda_like else not any(published)
    assert get_wrapper_codegen_for_device(device) is not None
    has_cpp_wrapper = get_wrapper_codegen_for_device(device, cpp_wrapper=True) is not NoCppWrapper
    assert has_cpp_wrapper == profile().is_cuda_like


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor", "ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda where: torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.qint8).to(where), "empty_quantized"),
        (lambda where: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]).to(where) * 2, "_to_copy"),
        (lambda where: attend(where), "FlexAttention is only supported on"),
    ],
    ids=["quantized", "nested, strided", "flex_attention"],
)
def test_what_torch_has_for_devices_known_by_name_is_refused(device, attempt, message):
    with pytest.raises((NotImplementedError, ValueError), match=message):
        attempt(device)


def attend(where):
    from torch.nn.attention.flex_attention import flex_attention

    x = torch.ones(1, 1, 16, 16, device=where)
    return flex_attention(x, x, x)


def test_jagged_tensors_are_computed_eagerly_and_compiled(device):
    torch._dynamo.reset()
    x = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(1, 3)], layout=torch.jagged).to(device)
    for run in (torch.sin, torch.compile(torch.sin, backend="flagos")):
        torch.testing.assert_close(run(x).values().cpu(), torch.ones(3, 3).sin())


@pytest.mark.cpu_memory
def test_a_graph_names_the_kernel_whose_index_is_out_of_bounds_or_whose_assertion_fails(device):
    torch._dynamo.reset()
    x = torch.ones(4, device=device)
    take = torch.compile(lambda v, i: v[i] + 1, backend="flagos")
    with pytest.raises(RuntimeError, match=r"launch of triton_poi_\w+ failed: .*index out of bounds: 0 <= tmp\d+ < 4"):
        take(x, torch.tensor([7, 1], device=device))
    assert take(x, torch.tensor([3, 1], device=device)).tolist() == [2, 2]

    def checked(v):
        torch._assert_async((v > 9).all(), "too small")
        return v + 1

    with pytest.raises(RuntimeError, match=r"launch of triton_\w+ failed: .*too small"):
        torch.compile(checked, backend="flagos")(x)


@pytest.mark.skipif(not torch.distributed.is_gloo_available(), reason="this torch has no Gloo")
def test_there_are_no_collective_operations(device):
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    try:
        with pytest.raises(RuntimeError, match="device type flagos"):
            torch.distributed.all_reduce(torch.ones(2, device=device))
    finally:
        torch.distributed.destroy_process_group()
