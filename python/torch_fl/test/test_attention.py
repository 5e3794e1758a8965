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


def _attention(inputs, mask=None, causal=False, compiled=False):
    """The result and the gradients of its squares."""

    def attention(query, key, value, mask):
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=causal)

    function = torch.compile(attention, backend="flagos") if compiled else attention
    inputs = [x.detach().clone().requires_grad_() for x in inputs]
    result = function(*inputs, mask)
    result.float().square().sum().backward()
    return [result.detach(), *(x.grad for x in inputs)]


def _check(device, inputs, mask=None, **how):
    """Results are as near to those of f64 as the CPU's are, and lie in memory in the same way."""
    causal = how.get("causal", False)
    exact_mask = mask.double() if mask is not None and mask.is_floating_point() else mask
    exact = _attention([x.double() for x in inputs], exact_mask, causal)
    theirs = _attention(inputs, mask, causal)
    ours = _attention([x.to(device) for x in inputs], None if mask is None else mask.to(device), **how)
    for right, their, our in zip(exact, theirs, ours, strict=True):
        assert our.stride() == their.stride()
        far, allowed = ((x.cpu().double() - right).abs().max().item() for x in (our, their))
        assert far <= 2 * allowed + 1e-6 * right.abs().max().item()


SIZES = [(2, 3, 24, 24, 16), (1, 2, 70, 130, 64), (2, 2, 130, 70, 40), (1, 2, 3, 50, 16)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_results_and_gradients_are_those_of_the_cpu(device, dtype, causal, size):
    batch, heads, queries, keys, d = size
    torch.manual_seed(0)
    inputs = [torch.randn(batch, heads, length, d, dtype=dtype) for length in (queries, keys, keys)]
    _check(device, inputs, causal=causal)


@pytest.mark.parametrize("causal", [False, True])
def test_in_a_graph(device, causal):
    _check(device, [x.detach().cpu() for x in _inputs("cpu")], causal=causal, compiled=True)


def test_heads_side_by_side(device):
    torch.manual_seed(0)
    wide = torch.randn(2, 40, 3 * 4 * 16)
    _check(device, [part.view(2, 40, 4, 16).transpose(1, 2) for part in wide.chunk(3, -1)], causal=True)


def test_shared_heads_and_strides_of_d(device):
    torch.manual_seed(0)
    query, key, value = (torch.randn(2, 4, 16, 32).transpose(2, 3) for _ in range(3))
    _check(device, [query, key, value])
    _check(device, [query.contiguous(), key, value])


@pytest.mark.parametrize("kind", ["bool", "float", "row", "nothing is seen"])
def test_masks(device, kind):
    torch.manual_seed(0)
    inputs = [torch.randn(2, 3, length, 16) for length in (24, 80, 80)]
    if kind == "float":
        mask = torch.randn(2, 1, 24, 80)
    else:
        mask = torch.rand((2, 1, 1, 80) if kind == "row" else (24, 80)) > 0.3
        mask[..., 0] = True
    if kind == "nothing is seen":
        mask[1] = False
    _check(device, inputs, mask)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda q, k, v: (q, k.cpu(), v), "expected all tensors on one device, got flagos:0 and cpu"),
        (lambda q, k, v: (q, k, v, torch.ones(24, 24)), "expected all tensors on one device, got flagos:0 and cpu"),
        (lambda q, k, v: (q, k, v, torch.ones(24, 24, device=q.device) > 0), "same data type as query"),
        (lambda q, k, v: (q, k, v, torch.ones(24, device=q.device)), "mask dim"),
        (lambda q, k, v: (q[0], k[0], v[0]), "4 dims"),
        (lambda q, k, v: (q, k, v[..., :8]), "same head size"),
    ],
    ids=["key elsewhere", "mask elsewhere", "bool mask", "row as mask", "no batch", "sizes of heads"],
)
def test_what_torch_refuses_is_refused(device, change, message):
    query, key, value, *mask = change(*(x.detach() for x in _inputs(device)))
    with pytest.raises(RuntimeError, match=message):
        getattr(torch.ops.aten, FUSED)(query, key, value, attn_mask=mask[0] if mask else None)


@pytest.mark.parametrize("unfit", ["float64", "few queries", "nothing"])
def test_what_the_kernels_do_not_do_the_cpu_does(device, unfit, monkeypatch):
    from torch_fl.host_attention import operators

    def no_kernels():
        assert unfit == "nothing", "kernels are asked for in vain"

    monkeypatch.setattr(operators, "_kernels", no_kernels)
    dtype = torch.float64 if unfit == "float64" else torch.float32
    inputs = [torch.randn(2, 3, 4 if unfit == "few queries" else 20, 16, dtype=dtype) for _ in range(3)]
    for expected, actual in zip(_attention(inputs), _attention([x.to(device) for x in inputs]), strict=True):
        assert actual.device.type == "flagos"
        assert torch.equal(actual.cpu(), expected)


def test_the_fused_kernel_runs(device):
    with Names() as names, torch.no_grad():
        torch.nn.functional.scaled_dot_product_attention(*_inputs(device))
    assert FUSED in names.seen


def test_what_the_fused_kernel_cannot_do_is_composed(device):
    query, key, value = (x.detach() for x in _inputs(device))
    with Names() as names:
        torch.nn.functional.scaled_dot_product_attention(query, key, value, dropout_p=0.5)
    assert FUSED not in names.seen


@pytest.mark.parametrize("which", range(4), ids=["query", "key", "value", "mask"])
def test_heads_far_apart(device, which):
    """Farther than the kernels' offsets. Little of the memory between is ever used."""
    torch.manual_seed(0)
    shapes = [(3, 1, 24, 16)] * 3 + [(3, 1, 24, 24)]
    tensors = [torch.randn(shape).bfloat16() for shape in shapes]
    ours = [x.to(device) for x in tensors]
    shape = shapes[which]
    ours[which] = torch.empty_strided(
        shape, (2**30 + 2**20, 2**30, shape[-1], 1), dtype=torch.bfloat16, device=device
    ).copy_(tensors[which])
    attention = torch.nn.functional.scaled_dot_product_attention
    theirs = attention(*tensors[:3], attn_mask=tensors[3])
    torch.testing.assert_close(attention(*ours[:3], attn_mask=ours[3]).cpu(), theirs, atol=2e-2, rtol=2e-2)
