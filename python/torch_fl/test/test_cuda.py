"""The device in CUDA memory: what `torch.cuda` sees of it, and how Inductor treats it. Skipped elsewhere."""

from __future__ import annotations

import pytest
from python_process import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.cuda_memory


def test_importing_does_not_start_cuda_and_a_fork_survives():
    code = """
import os, torch
assert not torch.cuda.is_initialized()
torch.manual_seed(5)
assert not torch.cuda.is_initialized()
if (child := os.fork()) == 0:
    assert torch.ones(3, device="flagos").sum().item() == 3
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    run(code, ACCELERATOR="cuda")


def test_a_forked_child_of_a_started_process_is_told(device):
    code = """
import os, torch
torch.ones(1, device="flagos")
if (child := os.fork()) == 0:
    try:
        torch.ones(3, device="flagos")
    except RuntimeError as error:
        os._exit(7 if "was forked" in str(error) else 8)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run(code).stdout.strip() == "7"


def test_the_platform_is_cuda_by_default(device):
    import torch_fl

    assert torch_fl.profile().name == "cuda"
    assert run("import torch_fl; print(torch_fl.profile().name)", ACCELERATOR="").stdout.strip() == "cuda"
    assert torch.flagos.get_device_properties() == torch.cuda.get_device_properties(0)
    assert torch.flagos.get_device_capability() == torch.cuda.get_device_capability(0)


def test_the_host_can_be_chosen():
    code = """
import torch, torch_fl
x = torch.arange(4.0, device="flagos") + 1
print(torch_fl.profile().name, x.tolist(), torch.cuda.is_initialized())
"""
    assert run(code, ACCELERATOR="host").stdout.strip() == "host [1.0, 2.0, 3.0, 4.0] False"


def test_memory_is_that_of_cuda(device):
    before = torch.cuda.memory_allocated()
    x = torch.empty(1 << 20, device=device)
    assert torch.cuda.memory_allocated() == before + (4 << 20)
    assert torch.flagos.memory_allocated() == torch.cuda.memory_allocated()
    error, attributes = torch.cuda.cudart().cudaMemGetInfo(0), torch.flagos.mem_get_info()
    assert error[1] == attributes[1]
    del x
    torch.flagos.empty_cache()
    assert torch.flagos.memory_reserved() == torch.cuda.memory_reserved()


def test_a_plain_tensor_of_cuda_is_another_device(device):
    with pytest.raises(RuntimeError, match=r"same device|one device"):
        torch.ones(3, 3, device=device) @ torch.ones(3, 3, device="cuda")
    x = torch.arange(4.0, device="cuda")
    assert x.to(device).tolist() == x.tolist() == x.to(device).to("cuda").tolist()


def test_streams_are_those_of_cuda(device):
    stream = torch.flagos.Stream()
    with torch.flagos.stream(stream):
        assert torch.cuda.current_stream().stream_id == stream.stream_id
        assert torch.flagos.current_raw_stream() == torch.cuda.current_stream().cuda_stream
        x = torch.randn(1000, 1000, device=device)
        event = stream.record_event()
    torch.flagos.current_stream().wait_event(event)
    x.record_stream(torch.flagos.current_stream())
    (x * 2).record_stream(stream)
    assert torch.isfinite(x).all()
    stream.synchronize()
    assert stream.query()


@pytest.mark.parametrize(
    "event",
    [lambda: torch.Event(device="flagos", enable_timing=True), lambda: torch.flagos.Event(enable_timing=True)],
    ids=["torch.Event", "torch.flagos.Event"],
)
def test_work_of_a_stream_takes_its_time(device, event):
    x = torch.randn(4096, 4096, device=device)
    begin, end = event(), event()
    begin.record()
    for _ in range(10):
        x = torch.relu(x) + 1
    end.record()
    end.synchronize()
    assert begin.elapsed_time(end) > 10 * 2 * 4096 * 4096 * 4 / 1e13 * 1e3  # no memory is faster than 10 TB/s


def test_pinned_memory_is_that_of_cuda(device):
    x = torch.arange(1 << 20).pin_memory()
    assert x.is_pinned()
    y = x.to(device, non_blocking=True)
    torch.flagos.synchronize()
    assert torch.equal(y.cpu(), x)
    back = torch.empty_like(x, pin_memory=True)
    back.copy_(y, non_blocking=True)
    torch.flagos.synchronize()
    assert torch.equal(back, x)


def test_a_seed_is_one_for_both(device):
    torch.flagos.manual_seed(11)
    ours = torch.randn(8, device=device).cpu()
    torch.cuda.manual_seed(11)
    assert torch.equal(torch.randn(8, device=device).cpu(), ours)
    torch.cuda.manual_seed(11)
    assert torch.equal(torch.randn(8, device="cuda").cpu(), ours)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_as_fused_as_on_cuda(device, dtype, causal):
    torch.manual_seed(0)
    parts = [torch.randn(2, 4, 128, 64, dtype=dtype) for _ in range(3)]
    ours, theirs = ([part.to(where) for part in parts] for where in (device, "cuda"))
    choices = [torch._fused_sdp_choice(*tensors, is_causal=causal) for tensors in (ours, theirs)]
    assert choices[0] == choices[1] or choices == [2, 1]  # memory-efficient instead of flash
    result, expected = (
        torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=causal).cpu() for tensors in (ours, theirs)
    )
    torch.testing.assert_close(result, expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_gradients_of_attention(device, dtype):
    torch.manual_seed(0)
    parts = [torch.randn(2, 4, 64, 32) for _ in range(3)]
    ours = [part.to(device, dtype).requires_grad_() for part in parts]
    theirs = [part.clone().requires_grad_() for part in parts]
    for tensors in (ours, theirs):
        torch.nn.functional.scaled_dot_product_attention(*tensors).float().square().sum().backward()
    for mine, other in zip(ours, theirs, strict=True):
        tolerance = {"atol": 5e-2, "rtol": 5e-2} if dtype == torch.bfloat16 else {"atol": 1e-4, "rtol": 1e-4}
        torch.testing.assert_close(mine.grad.cpu().float(), other.grad, **tolerance)


def test_kernels_are_compiled_for_cuda_by_its_backend(device):
    from torch._dynamo.device_interface import get_interface_for_device
    from torch._inductor.runtime.hints import DeviceProperties

    properties = DeviceProperties.create(torch.device(device, 0))
    theirs = DeviceProperties.create(torch.device("cuda", 0))
    assert properties.type == "cuda"
    assert properties.index == 0
    assert properties == theirs
    assert get_interface_for_device(device).get_compute_capability() == theirs.cc


def test_inductor_finds_its_classes_in_the_module(device):
    code = """
import torch
x = torch.arange(8.0, device="flagos")
assert torch.compile(lambda v: v.sin() + 1)(x).device.type == "flagos"
from torch._inductor.codegen.common import device_codegens
from torch._inductor.codegen.cuda_combined_scheduling import CUDACombinedScheduling
assert device_codegens["flagos"].scheduling is torch.flagos.Scheduling is CUDACombinedScheduling
"""
    run(code)


def test_the_static_launcher_starts_kernels_of_the_device(device, monkeypatch):
    from torch._inductor.runtime import triton_heuristics

    launched = []
    kernel = triton_heuristics.StaticallyLaunchedCudaKernel
    original = kernel.run
    monkeypatch.setattr(kernel, "run", lambda self, *a, **k: launched.append(self.name) or original(self, *a, **k))
    torch._dynamo.reset()
    x = torch.randn(1 << 16, device=device)
    torch.testing.assert_close(torch.compile(lambda v: v.sin() * 3.25)(x).cpu(), x.cpu().sin() * 3.25)
    assert launched


def test_graphs_are_refused_by_inductor_itself(device):
    from torch._dynamo.utils import counters

    torch._dynamo.reset()
    counters.clear()
    x = torch.ones(64, device=device)
    assert torch.compile(lambda v: v * 3, mode="reduce-overhead")(x).tolist() == [3] * 64
    assert counters["inductor"]["cudagraph_skips"] == 1


def _captured(run, warm=3):
    """A graph of CUDA with the kernels that `run` starts, and its result, whose memory each replay writes."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(warm):
            run()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = run()
    return graph, result


def test_calls_can_be_captured_as_graphs_of_cuda(device):
    torch._dynamo.reset()
    function = torch.compile(lambda v: torch.softmax(v.sin() * 2, -1).sum(0), backend="flagos")
    x = torch.randn(512, 1024, device=device)
    graph, result = _captured(lambda: function(x))
    fresh = torch.randn(512, 1024)
    x.copy_(fresh)
    graph.replay()
    torch.cuda.synchronize()
    torch.testing.assert_close(result.cpu(), torch.softmax(fresh.sin() * 2, -1).sum(0), atol=1e-4, rtol=1e-4)


@pytest.mark.filterwarnings("ignore:The AccumulateGrad node's stream")
def test_backward_passes_can_be_captured_as_graphs_of_cuda(device):
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 1)).to(device)
    compiled, x = torch.compile(model, backend="flagos"), torch.randn(32, 64, device=device)

    def step():
        model.zero_grad(set_to_none=True)
        compiled(x).sum().backward()
        return [parameter.grad for parameter in model.parameters()]

    graph, gradients = _captured(step)
    fresh = torch.randn(32, 64)
    x.copy_(fresh)
    graph.replay()
    torch.cuda.synchronize()
    model.cpu().zero_grad()
    model(fresh).sum().backward()
    for mine, parameter in zip(gradients, model.parameters(), strict=True):
        torch.testing.assert_close(mine.cpu(), parameter.grad, atol=1e-4, rtol=1e-4)


def test_workers_compile_for_the_device(tmp_path):
    code = """
import torch
x = torch.arange(1000.0, device="flagos")
print(torch.compile(lambda v: (v * 2).sum(), backend="flagos")(x).item())
"""
    environment = {"TORCHINDUCTOR_COMPILE_THREADS": "4", "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)}
    assert run(code, **environment).stdout.strip() == "999000.0"


def test_a_copy_between_tensors_with_gaps(device):
    x = torch.arange(64.0).reshape(8, 8)
    y = torch.zeros(8, 8, device=device)
    y[::2].copy_(x[1::2])
    y[1::2, ::2].copy_(x.to(device)[::2, ::2])
    expected = torch.zeros(8, 8)
    expected[::2] = x[1::2]
    expected[1::2, ::2] = x[::2, ::2]
    assert torch.equal(y.cpu(), expected)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_operators_give_results_of_the_cpu_or_of_cuda(device):
    pytest.importorskip("expecttest")
    from opinfo import Sweep
    from opinfo_on_cuda import NOWHERE, examine
    from opinfo_plain_cuda import PlainCuda

    sweep = Sweep(torch.float32, device)
    with PlainCuda() as plain:
        found = [examine(sweep, op, plain) for op in sweep.operators([])]
    wrong = [outcome for outcome in found if outcome.elsewhere == NOWHERE]
    assert sum(not outcome.skipped for outcome in found) - len(wrong) >= 660, wrong
