"""Operators, eagerly, keep the types and values that the CPU gives, for each type of the contract."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.cpu_memory

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
ALL = (*FLOATS, torch.int64, torch.bool)

FOR_ALL = {
    "copy": lambda a, b: a.clone(),
    "compare": lambda a, b: a == b,
    "order": lambda a, b: (a <= b, a.maximum(b)),
    "choose": lambda a, b: torch.where(a != b, a, b),
    "join": lambda a, b: torch.cat([a, b.flip(0)], 1),
    "index": lambda a, b: (a[1], a[:, [2, 0]], a[b != 0]),
    "reduce": lambda a, b: (a.sum(), a.any(0), a.amax(1)),
    "sort": lambda a, b: a.sort(dim=-1, stable=True),
    "fill": lambda a, b: torch.zeros_like(a).masked_fill_(b != 0, 1),
    "item": lambda a, b: torch.tensor([a[0, 0].item(), b[1, 2].item()]).to(a.dtype),
    "convert": lambda a, b: tuple(a.to(dtype) for dtype in ALL),
    "multiply": lambda a, b: (a * b, a * 2, a & b if not a.is_floating_point() else a.abs()),
    "in place": lambda a, b: a.clone().mul_(b).copy_(b.t().contiguous().t()),
}
FOR_NUMBERS = {
    "add": lambda a, b: (a + b, a - 1, -a, a // 2),
    "cumulate": lambda a, b: (a.cumsum(0), a.prod(1)),
    "matrix": lambda a, b: a @ b.t(),
}
FOR_FLOATS = {
    "functions": lambda a, b: (a.sin(), a.exp(), (a * a).sqrt(), torch.tanh(b)),
    "normalize": lambda a, b: (torch.softmax(a, -1), torch.nn.functional.layer_norm(a, (8,))),
    "mean": lambda a, b: (a.mean(), a.var(1), torch.linalg.vector_norm(b)),
    "activate": lambda a, b: (torch.nn.functional.gelu(a), torch.nn.functional.silu(b)),
}
CASES = [
    (name, operator, dtype)
    for group, dtypes in ((FOR_ALL, ALL), (FOR_NUMBERS, ALL[:-1]), (FOR_FLOATS, FLOATS))
    for name, operator in group.items()
    for dtype in dtypes
]


@pytest.mark.parametrize(
    ("operator", "dtype"), [case[1:] for case in CASES], ids=[f"{name}-{dtype}" for name, _, dtype in CASES]
)
def test_types_and_values_are_those_of_the_cpu(device, operator, dtype):
    torch.manual_seed(0)
    a, b = ((torch.randn(5, 8) * 3).to(dtype) for _ in range(2))
    ours, theirs = operator(a.to(device), b.to(device)), operator(a, b)
    for mine, other in zip(*((r if isinstance(r, tuple) else (r,)) for r in (ours, theirs)), strict=True):
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape)
        assert torch.equal(mine.cpu(), other)


def test_every_bit_of_a_double_survives_the_way_to_the_device_and_back(device):
    torch.manual_seed(0)
    bits = torch.randint(-(2**63), 2**63 - 1, (4096,))
    x = bits.view(torch.float64)
    assert torch.equal(x.to(device).cpu().view(torch.int64), bits)
    assert torch.equal(x.to(device).view(torch.int64).cpu(), bits)
    assert torch.equal(torch.empty(4096, dtype=torch.float64, device=device).copy_(x).cpu().view(torch.int64), bits)
    assert [float(value).hex() for value in x[:64].to(device).tolist()] == [float(v).hex() for v in x[:64].tolist()]
