"""Fused attention on the host: which kernel torch takes, and that its results are the CPU's."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch_fl.profiles import profile  # noqa: E402

pytestmark = pytest.mark.skipif(profile().name != "host", reason="accelerators choose among kernels of their own")
FUSED = "_scaled_dot_product_flash_attention_for_cpu"


class Names(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        self.seen.append(function.overloadpacket.__name__)
        return function(*arguments, **(keywords or {}))


def _inputs(device, dtype=torch.float32, length=24):
    torch.manual_seed(0)
    return [torch.randn(2, 3, length, 16, dtype=dtype).to(device).requires_grad_() for _ in range(3)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_results_and_gradients_are_those_of_the_cpu(device, dtype, causal, compiled):
    def attention(query, key, value):
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=causal)

    results = []
    for where in ("cpu", device):
        inputs = _inputs(where, dtype)
        function = torch.compile(attention, backend="flagos") if compiled and where == device else attention
        function(*inputs).square().sum().backward()
        results.append([x.grad.cpu() for x in inputs])
    for expected, actual in zip(*results, strict=True):
        torch.testing.assert_close(actual, expected, rtol=2e-2 if dtype is torch.bfloat16 else 1e-4, atol=1e-2)


def test_the_fused_kernel_runs(device):
    with Names() as names, torch.no_grad():
        torch.nn.functional.scaled_dot_product_attention(*_inputs(device))
    assert FUSED in names.seen


def test_what_the_fused_kernel_cannot_do_is_composed(device):
    query, key, value = (x.detach() for x in _inputs(device))
    with Names() as names:
        torch.nn.functional.scaled_dot_product_attention(query, key, value, dropout_p=0.5)
    assert FUSED not in names.seen


def test_a_mask_is_taken(device):
    mask = torch.rand(24, 24) > 0.3
    mask[:, 0] = True
    results = []
    for where in ("cpu", device):
        with torch.no_grad():
            results.append(
                torch.nn.functional.scaled_dot_product_attention(*_inputs(where), attn_mask=mask.to(where)).cpu()
            )
    torch.testing.assert_close(results[1], results[0], rtol=1e-5, atol=1e-5)
