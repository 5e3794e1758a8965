"""Large products in f32 on the host: a kernel of Triton computes them, the CPU all others."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch")

from torch_fl.host_products import launch  # noqa: E402
from torch_fl.profiles import profile  # noqa: E402

pytestmark = pytest.mark.skipif(profile().name != "host", reason="accelerators have products of their own")


@pytest.fixture
def calls(monkeypatch):
    """The shapes that the kernel is asked for."""
    from torch_fl import _C

    seen = []

    def multiply(a, b, bias, out):
        seen.append((*a.shape, b.shape[1], None if bias is None else bias.stride()))
        return launch.multiply(a, b, bias, out)

    _C.set_product(multiply)
    yield seen
    _C.set_product(launch.multiply)


def _matrix(rows, columns, layout):
    if layout == "rows":
        return torch.randn(rows, columns)
    if layout == "columns":
        return torch.randn(columns, rows).t()
    return torch.randn(rows, 3 * columns)[:, columns : 2 * columns]


def _close(actual, *factors, bias=0):
    exact = factors[0].double() @ factors[1].double() + (bias.double() if isinstance(bias, torch.Tensor) else bias)
    theirs = factors[0] @ factors[1] + bias
    assert actual.device.type == "flagos"
    far, allowed = ((x.double() - exact).abs().max().item() for x in (actual.cpu(), theirs))
    assert far <= 3 * allowed


@pytest.mark.parametrize("a", ["rows", "columns", "part"])
@pytest.mark.parametrize("b", ["rows", "columns", "part"])
def test_layouts(device, calls, a, b):
    torch.manual_seed(0)
    x, y = _matrix(130, 300, a), _matrix(300, 257, b)
    _close(x.to(device) @ y.to(device), x, y)
    assert calls == [(130, 300, 257, None)]


@pytest.mark.parametrize("shape", [(2048, 64, 64), (512, 1000, 513), (64, 1030, 129), (64, 70, 2000)], ids=str)
def test_shapes(device, calls, shape):
    m, k, n = shape
    torch.manual_seed(0)
    x, y = torch.randn(m, k), torch.randn(k, n)
    _close(x.to(device) @ y.to(device), x, y)
    out = torch.full((n, m), float("nan"), device=device).t()
    _close(torch.mm(x.to(device), y.to(device), out=out), x, y)
    assert len(calls) == 2


@pytest.mark.parametrize("shape", [(256,), (1,), (300, 256), (300, 1), (1, 256)], ids=str)
def test_biases(device, calls, shape):
    torch.manual_seed(0)
    x, y, bias = torch.randn(300, 200), torch.randn(200, 256), torch.randn(shape)
    _close(torch.addmm(bias.to(device), x.to(device), y.to(device)), x, y, bias=bias)
    out = torch.empty(300, 256, device=device)
    torch.addmm(bias.to(device), x.to(device), y.to(device), out=out)
    _close(out, x, y, bias=bias)
    assert len(calls) == 2


def test_a_layer_and_its_gradients(device, calls):
    torch.manual_seed(0)
    weights, x = torch.nn.Linear(256, 300), torch.randn(128, 256)
    results = []
    for where in ("cpu", device):
        layer = copy.deepcopy(weights).to(where)
        given = x.to(where).detach().clone().requires_grad_()
        layer(given).square().sum().backward()
        results.append([given.grad.cpu(), layer.weight.grad.cpu(), layer.bias.grad.cpu()])
    torch.testing.assert_close(results[1], results[0], rtol=1e-4, atol=1e-3)
    assert [call[:3] for call in calls] == [(128, 256, 300), (128, 300, 256), (300, 128, 256)]


@pytest.mark.parametrize("kind", ["small", "narrow", "type", "scaled", "overlap", "resized", "no kernel"])
def test_others_are_the_cpus(device, calls, kind, monkeypatch):
    torch.manual_seed(0)
    x, y = torch.randn(300, 300), torch.randn(300, 300)
    if kind == "small":
        x = x[:4]
    if kind == "narrow":
        x, y = torch.randn(16, 1024), torch.randn(1024, 1024)
    if kind == "type":
        x, y = x.double(), y.double()
    if kind == "no kernel":
        monkeypatch.setattr(launch, "_kernel", lambda: None)
    ours, theirs = (x.to(device), y.to(device)), (x, y)
    results: list[torch.Tensor] = []
    for a, b in (ours, theirs):
        if kind == "scaled":
            results.append(torch.addmm(a, a, b, beta=0.5, alpha=2))
        elif kind == "overlap":
            a = a.clone()
            results.append(a.addmm_(a.clone(), b))
        elif kind == "resized":
            results.append(torch.addmm(a, a, b, alpha=3, out=torch.empty(0, device=a.device)))
        else:
            results.append(torch.mm(a, b))
    assert torch.equal(results[0].cpu(), results[1])
    assert len(calls) == (1 if kind == "no kernel" else 0)


def test_what_cannot_be_multiplied_is_refused(device):
    x = torch.randn(300, 300, device=device)
    with pytest.raises(RuntimeError, match="shape"):
        torch.mm(x, x[:299])
    with pytest.raises(RuntimeError):
        torch.addmm(torch.randn(7, device=device), x, x)
    with pytest.raises(RuntimeError, match="flagos"):
        torch.mm(x, torch.randn(300, 300))


def test_blocks_are_smaller_where_threads_would_wait():
    assert (launch.block(512, 1024, 2), launch.block(256, 256, 2), launch.block(4096, 4096, 64)) == (128, 128, 128)
    assert (launch.block(130, 130, 4), launch.block(512, 1024, 64)) == (64, 64)


def test_rows_far_apart(device):
    """Farther than the kernel's offsets. Little of the memory between is ever used."""
    a = torch.empty_strided((128, 128), (2**24 + 2**23, 1), device=device)
    a.copy_(torch.randn(128, 128))
    b = torch.randn(128, 512)
    torch.testing.assert_close((a @ b.to(device)).cpu(), a.cpu() @ b)
    assert not launch.multiply(a, b.to(device), None, torch.empty(128, 512, device=device))
