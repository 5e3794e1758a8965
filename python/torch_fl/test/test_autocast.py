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
        assert torch.nn.functional.binary_cross_entropy(a.sigmoid(), b.sigmoid()).dtype == HALF


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


def test_a_check_for_infinity_writes_what_it_found_except_with_out(device):
    gradients = [torch.tensor([1.0, 2.0], device=device), torch.tensor([float("inf")], device=device)]
    found, half = torch.zeros(1, device=device), torch.full((1,), 0.5, device=device)
    check = torch.ops.aten._amp_foreach_non_finite_check_and_unscale
    results = [torch.empty_like(gradient) for gradient in gradients]
    check.out(gradients, found, half, out=results)
    assert (found.item(), results[0].tolist(), gradients[0].tolist()) == (0, [0.5, 1], [1, 2])
    torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, half)
    assert (found.item(), gradients[0].tolist()) == (1, [0.5, 1])
