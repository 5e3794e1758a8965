"""Tensors of the device, eagerly."""

from __future__ import annotations

import copy
import pickle

import pytest

torch = pytest.importorskip("torch")


def test_copies_to_and_from_the_cpu_keep_every_type_and_value(device):
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64, torch.uint8, torch.bool):
        x = (torch.arange(12) % 5 - 2).to(dtype).reshape(3, 4)
        assert torch.equal(x.to(device).cpu(), x)
        assert torch.equal(x.to(device).t().contiguous().cpu(), x.t())


def test_operators_without_a_kernel_of_the_device_run_on_the_same_memory(device):
    x = torch.randn(5, 7)
    y = x.to(device)
    pointer = y.data_ptr()
    y.mul_(3)
    assert y.data_ptr() == pointer
    assert torch.equal(y.cpu(), x * 3)
    torch.testing.assert_close(torch.cumsum(y, 1).cpu(), torch.cumsum(x * 3, 1))
    assert (y @ y.t()).device == torch.device(device, 0)


def test_an_out_argument_is_resized(device):
    x = torch.randn(40, 3)
    out = torch.empty(0, device=device)
    assert torch.add(x.to(device), 1, out=out) is out
    assert out.shape == (40, 3)
    assert torch.equal(out.cpu(), x + 1)


def test_views_share_memory(device):
    x = torch.zeros(4, 6, device=device)
    x[1:3, ::2].fill_(1)
    x.view(2, 12)[0].add_(1)
    x.unfold(1, 2, 2)[0, 0].fill_(9)
    expected = torch.zeros(4, 6)
    expected[1:3, ::2] = 1
    expected.view(2, 12)[0] += 1
    expected[0, :2] = 9
    assert torch.equal(x.cpu(), expected)


def test_a_lazy_conjugate_is_resolved_by_a_copy(device):
    x = torch.randn(3, dtype=torch.complex64)
    assert torch.equal(x.to(device).conj().cpu(), x.conj().resolve_conj())
    assert torch.equal(torch.view_as_real(x.to(device)).cpu(), torch.view_as_real(x))


def test_storages_can_be_set_and_resized(device):
    x = torch.arange(6.0).to(device)
    y = torch.empty(0, device=device).set_(x.untyped_storage(), 2, (2, 2), (2, 1))
    assert y.tolist() == [[2, 3], [4, 5]]
    x.resize_(8)
    assert x[:6].tolist() == [0, 1, 2, 3, 4, 5]
    x.untyped_storage().resize_(0)
    assert x.untyped_storage().nbytes() == 0


def test_tensors_of_two_devices_are_refused(device):
    with pytest.raises(RuntimeError, match=r"same device|one device"):
        torch.ones(3, device=device) + torch.ones(3)
    with pytest.raises(RuntimeError, match=r"same device|one device"):
        torch.ones(3, 3, device=device) @ torch.ones(3, 3)


def test_scalars_of_the_cpu_and_indices_of_the_cpu_are_allowed(device):
    x = torch.arange(5.0).to(device)
    assert (x + torch.tensor(1.0)).tolist() == [1, 2, 3, 4, 5]
    assert x[torch.tensor([4, 0])].tolist() == [4, 0]


def test_another_index_is_refused(device):
    with pytest.raises(RuntimeError, match="one flagos device"):
        torch.empty(2, device=f"{device}:1")
    with pytest.raises(ValueError, match="one flagos device"):
        torch.flagos.set_device(3)


def test_memory_is_counted(device):
    before = torch.flagos.memory_allocated()
    torch.flagos.reset_peak_memory_stats()
    x = torch.empty(1024, device=device)
    y = x * 2  # made by an operator of the CPU, or of CUDA
    assert torch.flagos.memory_allocated() == before + 8192
    del x, y
    assert torch.flagos.memory_allocated() == before
    assert torch.flagos.max_memory_allocated() == before + 8192
    assert torch.accelerator.memory_allocated() == before


def test_out_of_memory_says_how_much_and_the_process_goes_on(device):
    with pytest.raises(torch.OutOfMemoryError, match=r"(?i)out of memory.*tried to allocate \d+"):
        torch.empty(1 << 50, dtype=torch.uint8, device=device)
    assert torch.ones(2, device=device).sum().item() == 2


def test_a_seed_gives_the_numbers_of_the_device_underneath(device, memory):
    torch.manual_seed(3)
    expected = torch.rand(9, device=memory).cpu()
    torch.manual_seed(3)
    assert torch.equal(torch.rand(9, device=device).cpu(), expected)
    generator = torch.Generator(device=device).manual_seed(3)
    assert torch.equal(torch.rand(9, device=device, generator=generator).cpu(), expected)
    state = torch.flagos.get_rng_state()
    first = torch.randn(4, device=device)
    torch.flagos.set_rng_state(state)
    assert torch.equal(torch.randn(4, device=device), first)


@pytest.mark.parametrize("duplicate", [lambda g: pickle.loads(pickle.dumps(g)), copy.deepcopy], ids=["pickle", "copy"])
def test_a_duplicate_of_a_generator_goes_on_where_it_was(device, duplicate):
    generator = torch.Generator(device=device).manual_seed(3)
    torch.rand(5, device=device, generator=generator)
    other = duplicate(generator)
    assert other.device == generator.device and other.initial_seed() == 3
    expected = torch.randn(9, device=device, generator=generator)
    assert torch.equal(torch.randn(9, device=device, generator=other), expected)


@pytest.mark.cpu_memory
def test_a_generator_in_host_memory_has_no_offset(device):
    generator = torch.Generator(device=device).manual_seed(3)
    state = generator.get_state()
    generator.set_offset(0)
    assert generator.get_offset() == 0 and torch.equal(generator.get_state(), state)
    with pytest.raises(ValueError, match=r"no offset.*cannot be set to 4.*get_state\(\) and set_state\(\)"):
        generator.set_offset(4)


def test_streams_and_events(device):
    begin, end = (torch.Event(device=device, enable_timing=True) for _ in range(2))
    begin.record()
    torch.ones(1000, device=device).sum()
    end.record()
    end.synchronize()
    assert 0 < begin.elapsed_time(end) < 10_000
    first, last = (torch.flagos.Event(enable_timing=True) for _ in range(2))
    first.record()
    last.record()
    last.synchronize()
    assert first.elapsed_time(last) >= 0
    stream = torch.flagos.Stream()
    with torch.flagos.stream(stream):
        assert torch.flagos.current_stream() == stream
    assert torch.flagos.current_stream() == torch.flagos.default_stream()
    torch.ones(3, device=device).record_stream(stream)


def test_convolution_forward_and_backward_are_those_of_the_cpu(device):
    torch.manual_seed(0)
    layer = torch.nn.Conv2d(3, 4, 3)
    x = torch.randn(2, 3, 8, 8)
    expected = layer(x)
    expected.square().sum().backward()
    gradient = layer.weight.grad.clone()
    layer.zero_grad()
    layer = layer.to(device)
    result = layer(x.to(device))
    result.square().sum().backward()
    torch.testing.assert_close(result.cpu(), expected)
    torch.testing.assert_close(layer.weight.grad.cpu(), gradient)


def test_fallback_can_be_logged(memory):
    from python_process import run

    done = run("import torch_fl, torch; torch.ones(2, device='flagos').cos()", FLAGOS_LOG_FALLBACK="1")
    where = "the CPU" if memory == "cpu" else memory
    assert f"aten::cos.out on {where}" in done.stderr or f"aten::cos on {where}" in done.stderr
