"""Mixed precision: which type an operator computes in, and scaling of gradients."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

HALF = torch.float16


def tensors(device, dtype=torch.float32):
    return torch.randn(4, 4, dtype=dtype, device=device), torch.randn(4, 4, dtype=dtype, device=device)


def test_half_precision_is_the_default_and_bfloat16_the_other_choice(device):
    assert torch.get_autocast_dtype(device) == HALF
    assert torch.amp.is_autocast_available(device)
    assert torch.flagos.get_amp_supported_dtype() == [HALF, torch.bfloat16]


@pytest.mark.parametrize("dtype", [HALF, torch.bfloat16], ids=str)
def test_products_use_the_lower_precision(device, dtype):
    a, b = tensors(device)
    with torch.autocast(device, dtype=dtype):
        assert torch.mm(a, b).dtype == dtype
        assert torch.nn.functional.linear(a, b).dtype == dtype
        assert torch.addmm(a, a, b).dtype == dtype
        assert torch.nn.functional.conv2d(a[None, None], b[None, None]).dtype == dtype


def test_sensitive_operators_use_single_precision(device):
    a, b = tensors(device, HALF)
    with torch.autocast(device):
        assert torch.softmax(a, 0).dtype == torch.float32
        assert torch.softmax(a, 0, dtype=HALF).dtype == HALF
        assert torch.nn.functional.layer_norm(a, (4,)).dtype == torch.float32
        assert a.abs().log().dtype == torch.float32
        assert torch.nn.functional.mse_loss(a, b).dtype == torch.float32


def test_promotion_and_operators_on_no_list(device):
    a, b = tensors(device, HALF)
    with torch.autocast(device):
        assert torch.atan2(a, b.float()).dtype == torch.float32
        assert torch.nn.functional.relu(a).dtype == HALF


def test_nesting_restores_the_state(device):
    a, b = tensors(device)
    with torch.autocast(device):
        with torch.autocast(device, enabled=False):
            assert torch.mm(a, b).dtype == torch.float32
        assert torch.mm(a, b).dtype == HALF
    assert torch.mm(a, b).dtype == torch.float32


def test_other_types_disable_it_with_a_warning(device):
    a, b = tensors(device)
    with pytest.warns(UserWarning, match="target dtype is not supported"), torch.autocast(device, dtype=torch.float64):
        assert torch.mm(a, b).dtype == torch.float32


def test_a_compiled_graph_follows_autocast(device):
    a, b = tensors(device)

    @torch.compile(backend="flagos")
    def product(x, y):
        with torch.autocast("flagos", dtype=torch.bfloat16):
            return torch.mm(x, y).relu()

    torch.testing.assert_close(product(a, b).cpu(), (a.bfloat16() @ b.bfloat16()).relu().cpu())


def test_the_scaler_grows_after_a_finite_step_and_skips_an_infinite_one(device):
    scaler = torch.amp.GradScaler(device, init_scale=8.0, growth_interval=1)
    parameter = torch.nn.Parameter(torch.ones(3, device=device))
    optimizer = torch.optim.SGD([parameter], lr=0.5)
    scaler.scale(parameter.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 16
    assert parameter.tolist() == [0.5] * 3
    parameter.grad.fill_(float("inf"))
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 8
    assert parameter.tolist() == [0.5] * 3
