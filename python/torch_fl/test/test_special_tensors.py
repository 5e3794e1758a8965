"""Tensors without memory of their own, sparse ones, and operators that read sizes from the device."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

DENSE = [[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]]


def test_a_gradient_that_is_zero_everywhere_has_no_memory(device):
    x = torch.randn(5, device=device, requires_grad=True)
    (gradient,) = torch.autograd.grad(x.sgn(), [x], [torch.ones(5, device=device)])
    assert gradient._is_zerotensor()
    assert gradient.device.type == device
    assert torch.equal(gradient.cpu(), torch.zeros(5))
    assert torch.equal((gradient + x).cpu(), x.detach().cpu())


def test_positions_of_a_split_may_be_on_the_device(device):
    x = torch.arange(6.0, device=device, requires_grad=True)
    first, second, third = x.tensor_split(torch.tensor([1, 2], device=device))
    assert (first.shape, second.shape, third.shape) == ((1,), (1,), (4,))
    (first.sum() * 2 + third.sum()).backward()
    assert torch.equal(x.grad.cpu(), torch.tensor([2.0, 0, 1, 1, 1, 1]))
    assert len(x.tensor_split(torch.tensor(3, device=device))) == 3
    with pytest.raises(RuntimeError, match="int64"):
        x.tensor_split(torch.tensor([1.5], device=device))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_positions_of_a_split(device, dynamic):
    torch._dynamo.reset()
    x = torch.arange(6.0, device=device)
    split = torch.compile(lambda a, b: [part * 2 for part in a.tensor_split(b)], backend="flagos", dynamic=dynamic)
    assert [part.tolist() for part in split(x, torch.tensor([1, 2], device=device))] == [[0], [2], [4, 6, 8, 10]]
    positions = torch.tensor([1, 2, 5], device=device)
    assert [part.tolist() for part in split(x, positions)] == [[0], [2], [4, 6, 8], [10]]
    assert [part.tolist() for part in split(x, torch.tensor(2, device=device))] == [[0, 2, 4], [6, 8, 10]]


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc], ids=str)
@pytest.mark.filterwarnings("ignore:Sparse C:UserWarning")  # torch calls them new
def test_sparse_layouts_keep_their_device_and_travel(device, layout):
    dense = torch.tensor(DENSE)
    sparse = dense.to(device).to_sparse(layout=layout)
    assert (sparse.device.type, sparse.layout) == (device, layout)
    assert torch.equal(sparse.values().cpu(), dense.to_sparse(layout=layout).values())
    assert torch.equal(sparse.to_dense().cpu(), dense)
    there_and_back = dense.to_sparse(layout=layout).to(device).cpu()
    assert there_and_back.device.type == "cpu"
    assert torch.equal(there_and_back.to_dense(), dense)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks are implicitly disabled:UserWarning")  # torch 2.12
def test_sparse_operators(device):
    dense = torch.tensor(DENSE)
    sparse = dense.to(device).to_sparse()
    assert torch.equal(torch.sparse.mm(sparse, dense.T.to(device)).cpu(), dense @ dense.T)
    assert torch.equal((sparse * 2).to_dense().cpu(), dense * 2)
    sparse.add_(sparse)
    assert torch.equal(sparse.to_dense().cpu(), dense * 2)
    twice = torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 2), device=device, check_invariants=True)
    assert twice.coalesce().values().tolist() == [3]


def test_sparse_gradients(device):
    x = torch.tensor(DENSE, device=device, requires_grad=True)
    x.to_sparse().to_dense().sum().backward()
    assert x.grad.device.type == device
    assert torch.equal(x.grad.cpu(), (torch.tensor(DENSE) != 0).float())


def test_sparse_and_dense_of_two_devices_are_refused(device):
    sparse = torch.tensor(DENSE).to_sparse()
    for left, right in ((sparse.to(device), torch.ones(3, 2)), (sparse, torch.ones(3, 2, device=device))):
        with pytest.raises(RuntimeError, match="one device"):
            torch.sparse.mm(left, right)
