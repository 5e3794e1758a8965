"""Copies of tensors and modules: in this process, in files, and in other processes."""

from __future__ import annotations

import copy
import io
import multiprocessing
import pickle
from pathlib import Path

import pytest
from python_process import run

torch = pytest.importorskip("torch")


def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2))


def stored(value, **how):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **how)


def test_copies_of_tensors_and_modules_are_on_the_device_and_apart(device):
    x = torch.arange(6.0, device=device).reshape(2, 3).t()
    for same in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert (same.device, same.stride(), same.tolist()) == (x.device, x.stride(), x.tolist())
        same.add_(1)
        assert x[0, 0].item() == 0
    parameter = pickle.loads(pickle.dumps(torch.nn.Parameter(x)))
    assert isinstance(parameter, torch.nn.Parameter)
    assert parameter.requires_grad
    ours = model().to(device)
    twin = copy.deepcopy(ours)
    with torch.no_grad():
        next(twin.parameters()).zero_()
    assert next(ours.parameters()).abs().sum() > 0
    assert {value.device.type for value in twin.state_dict().values()} == {device}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool], ids=str)
def test_files_go_both_ways(device, dtype):
    x = (torch.arange(6) % 3 - 1).to(dtype).reshape(2, 3)
    ours = x.to(device)
    places = {None: device, "cpu": "cpu", device: device, f"{device}:0": device}
    for where, expected in places.items():
        loaded = stored(ours, map_location=where)
        assert loaded.device.type == expected
        assert torch.equal(loaded.cpu(), x)
    assert stored(x, map_location=device).device.type == device
    assert stored({"x": ours}, map_location={f"{device}:0": "cpu"})["x"].device.type == "cpu"
    with pytest.raises(RuntimeError, match="on FLAGOS device 1 but"):
        stored(x, map_location=f"{device}:1")


def test_a_checkpoint_of_the_device_continues_on_the_cpu_and_back(device, tmp_path):
    def trained(where, checkpoint):
        net = model().to(where)
        optimizer = torch.optim.Adam(net.parameters(), lr=0.1, eps=1e-2)
        if checkpoint:
            states = torch.load(checkpoint, map_location=where, mmap=where == "cpu")
            net.load_state_dict(states["net"])
            optimizer.load_state_dict(states["optimizer"])
        for step in range(3):
            optimizer.zero_grad()
            data = torch.full((4, 3), step + 1.0) * torch.arange(4.0)[:, None]
            net(data.to(where)).square().sum().backward()
            optimizer.step()
        path = tmp_path / f"{where}-{checkpoint is not None}.pt"
        torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, path)
        return path, [parameter.detach().cpu() for parameter in net.parameters()]

    ours, theirs = (trained(where, None) for where in (device, "cpu"))
    for file in (ours[0], theirs[0]):
        # Accelerators add in another order. A step moves by up to 0.1, so what is not restored is seen; `eps` keeps the
        # bias before the normalization, whose gradient is rounding alone, from moving as far.
        torch.testing.assert_close(trained(device, file)[1], trained("cpu", file)[1], atol=1e-3, rtol=1e-3)


def sum_of(batch_loader):
    return sum(batch.to("flagos", non_blocking=True).sum().item() for (batch,) in batch_loader)


@pytest.mark.parametrize("pin", [False, True], ids=["plain", "pinned"])
def test_workers_load_data(device, pin):
    data = torch.utils.data.TensorDataset(torch.arange(32.0))
    loader = torch.utils.data.DataLoader(data, batch_size=8, num_workers=2, pin_memory=pin)
    assert all(batch.is_pinned() == pin for (batch,) in loader)
    assert sum_of(loader) == 496


class OfTheDevice(torch.utils.data.Dataset):
    """Items are computed on the device."""

    def __init__(self):
        self.values = torch.arange(8.0, device="flagos").reshape(4, 2).t()

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return {"column": self.values[:, i] * 2, "weight": torch.nn.Parameter(self.values[0, i].clone())}


@pytest.mark.cpu_memory
def test_what_workers_make_on_the_device_arrives_there(device):
    loader = torch.utils.data.DataLoader(OfTheDevice(), batch_size=None, num_workers=1, timeout=60)
    items = list(loader)
    assert {item[key].device.type for item in items for key in item} == {device}
    assert [item["column"].tolist() for item in items] == [[0, 2], [4, 6], [8, 10], [12, 14]]
    assert all(item["weight"].requires_grad for item in items)
    columns = [item["column"] for item in items]
    stacked = torch.utils.data.DataLoader(columns, batch_size=4, num_workers=1, timeout=60)
    assert torch.equal(next(iter(stacked)), torch.stack(columns))


def in_child(connection, function, argument):
    connection.send(function(argument))


def double_sum(x):
    return (x * 2).sum().item() + torch.ones(2, device="flagos").sum().item()


def backward_of_a_child(x):
    try:
        x.detach().requires_grad_().sum().backward()
    except RuntimeError as error:
        return str(error)
    return "no error"


def answer(function, argument):
    mine, other = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=in_child, args=(other, function, argument))
    process.start()
    assert mine.poll(60)
    result = mine.recv()
    process.join()
    assert process.exitcode == 0
    return result


@pytest.mark.cpu_memory  # CUDA does not survive a fork
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_forked_child_uses_the_tensors_and_kernels_of_its_parent(device):
    x = torch.arange(5.0, device=device)
    function = torch.compile(lambda v: (v * 3).sum(), backend="flagos")
    assert function(x).item() == 30
    assert answer(double_sum, x) == 22
    assert answer(lambda v: function(v).item(), x) == 30


@pytest.mark.cpu_memory  # CUDA does not survive a fork
def test_a_backward_pass_in_a_forked_child_is_refused_by_torch_if_its_parent_has_run_one(device):
    x = torch.arange(5.0, device=device)
    x.clone().requires_grad_().sum().backward()
    assert "autograd's threading in combination with fork" in answer(backward_of_a_child, x)


SPAWNED = """
import sys, torch, torch.multiprocessing
sys.path.insert(0, {folder!r})
from test_processes import double_sum, double_sum_of_the_cpu

if __name__ == "__main__":
    with torch.multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(double_sum_of_the_cpu, (torch.arange(5.0),)))
        try:
            pool.apply(double_sum, (torch.arange(5.0, device="flagos"),))
        except RuntimeError as error:
            print(error)
"""


def double_sum_of_the_cpu(x):
    return double_sum(x.to("flagos"))


def test_a_spawned_process_takes_tensors_of_the_cpu_only(tmp_path):
    script = tmp_path / "spawned.py"
    script.write_text(SPAWNED.format(folder=str(Path(__file__).parent)))
    lines = run(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')").stdout.splitlines()
    assert lines[0] == "22.0"
    assert "does not go to another process" in lines[1]
    assert "Send tensor.cpu()" in lines[1]
