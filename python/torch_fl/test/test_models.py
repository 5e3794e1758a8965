"""Modules and what surrounds them: moving, saving, loading data, recurrent cells."""

from __future__ import annotations

import io

import pytest

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_recurrent_networks_forward_and_backward(device, kind):
    torch.manual_seed(0)
    ours, theirs = (getattr(torch.nn, kind)(5, 7, num_layers=2) for _ in range(2))
    ours.load_state_dict(theirs.state_dict())
    ours.to(device)
    x = torch.randn(6, 3, 5)
    result, expected = ours(x.to(device))[0], theirs(x)[0]
    result.square().sum().backward()
    expected.square().sum().backward()
    torch.testing.assert_close(result.cpu(), expected)
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(mine.grad.cpu(), other.grad)


def test_a_cell_state_without_a_gradient(device):
    torch.manual_seed(0)
    cell = torch.nn.LSTMCell(3, 4)
    x, state = torch.randn(2, 3), (torch.randn(2, 4), torch.randn(2, 4))
    cell(x, state)[1].sum().backward()
    expected = cell.weight_ih.grad.clone()
    cell.zero_grad()
    cell.to(device)
    cell(x.to(device), tuple(part.to(device) for part in state))[1].sum().backward()
    torch.testing.assert_close(cell.weight_ih.grad.cpu(), expected)


def test_moving_a_module_keeps_its_parameters(device):
    layer = torch.nn.Linear(3, 2)
    parameter = layer.weight
    layer.to(device)
    assert layer.weight is parameter
    assert parameter.device.type == device
    layer.cpu()
    assert layer.weight is parameter
    assert parameter.device.type == "cpu"


def test_a_parameter_takes_data_of_the_device_and_there_are_methods_of_its_name(device):
    parameter = torch.nn.Parameter(torch.zeros(2))
    parameter.data = torch.ones(2, device=device)
    assert parameter.device.type == parameter.flagos().device.type == device
    assert torch.nn.Linear(2, 2).flagos().weight.is_flagos
    assert not torch.ones(2).is_flagos
    assert parameter.untyped_storage().is_flagos
    assert torch.ones(2).untyped_storage().flagos().device.type == device


def test_saving_and_loading(device):
    x = torch.randn(3, 4, device=device)
    file = io.BytesIO()
    torch.save({"x": x, "view": x[1]}, file)
    for where, expected in ((None, device), ("cpu", "cpu")):
        file.seek(0)
        loaded = torch.load(file, map_location=where)
        assert loaded["x"].device.type == expected
        assert torch.equal(loaded["x"].cpu(), x.cpu())
        assert loaded["view"].untyped_storage().data_ptr() == loaded["x"].untyped_storage().data_ptr()


def test_fake_tensors_keep_the_device(device):
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        x = mode.from_tensor(torch.randn(2, 3, device=device))
        assert x.detach().device == torch.device(device, 0)
        weight = torch.empty(4, 3, device=device)
        assert torch.nn.functional.linear(x, weight).shape == (2, 4)


def test_bounds_of_clamp_may_be_tensors_of_the_device(device):
    x = torch.arange(6.0).to(device)
    x.clamp_(torch.full((6,), 1.0, device=device), torch.full((6,), 4.0, device=device))
    assert x.tolist() == [1, 1, 2, 3, 4, 4]


def test_data_loader_workers(device):
    data = torch.utils.data.TensorDataset(torch.arange(8.0))
    loader = torch.utils.data.DataLoader(data, batch_size=4, num_workers=1)
    assert [batch.to(device).sum().item() for (batch,) in loader] == [6, 22]


def test_pinned_memory(device):
    x = torch.arange(4.0).pin_memory()
    assert x.is_pinned()
    assert x[2:].is_pinned()
    assert not torch.arange(4.0).is_pinned()
    assert torch.empty(3, pin_memory=True).is_pinned()
    assert torch.equal(x.to(device, non_blocking=True).cpu(), x)
