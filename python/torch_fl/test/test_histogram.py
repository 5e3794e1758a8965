"""`histc` of integers: the CPU has none, every accelerator has, and mixtures of experts count their tokens with it."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]


def counted(values: list[int], bins: int, first: int, last: int) -> list[int]:
    """What Python's exact integers say."""
    if first == last and values:
        first, last = min(values), max(values)
    if first == last:
        first, last = first - 1, last + 1
    counts = [0] * bins
    for value in values:
        if first <= value <= last:
            counts[min((value - first) * bins // (last - first), bins - 1)] += 1
    return counts


@pytest.mark.cpu_memory
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("bins, first, last", [(4, 0, 3), (4, 0, 0), (3, 2, 9), (100, 0, 100), (1, 5, 5)])
def test_counts(device, dtype, bins, first, last):
    values = torch.randint(0, 12, (3, 40), dtype=dtype)
    found = torch.histc(values.to(device).T, bins, first, last)
    assert found.dtype == dtype and found.device.type == device
    assert found.tolist() == counted(values.flatten().tolist(), bins, first, last)


@pytest.mark.cpu_memory
def test_limits_of_the_type(device):
    ends = torch.iinfo(torch.int64)
    values = [ends.min, -1, 0, ends.max]
    assert torch.histc(torch.tensor(values, device=device), 4).tolist() == counted(values, 4, ends.min, ends.max)


def test_one_value_and_none(device):
    assert torch.histc(torch.full((5,), 7, device=device), 3).tolist() == [0, 5, 0]
    assert torch.histc(torch.empty(0, dtype=torch.int32, device=device), 3).tolist() == [0, 0, 0]


def test_floating_point_is_that_of_the_backing_device(device):
    values = torch.linspace(-1, 1, 37)
    assert torch.equal(torch.histc(values.to(device), 5).cpu(), torch.histc(values, 5))


@pytest.mark.cpu_memory
def test_out(device):
    values = torch.randint(0, 4, (20,), device=device)
    out = torch.empty(0, dtype=torch.int64, device=device)
    assert torch.histc(values, 4, 0, 3, out=out) is out
    assert torch.equal(out, torch.bincount(values, minlength=4))
    with pytest.raises(RuntimeError, match="expected out of type Long, got Float"):
        torch.histc(values, 4, out=torch.empty(4, device=device))


@pytest.mark.cpu_memory
@pytest.mark.parametrize("limits, message", [((0, 0, 0), "at least one bin"), ((4, 3, 1), "min 3 and max 1")])
def test_bad_arguments(device, limits, message):
    with pytest.raises(RuntimeError, match=message):
        torch.histc(torch.arange(4, device=device), *limits)


@pytest.mark.cpu_memory
def test_tokens_of_experts_in_a_graph(device):
    """Rows are sorted by expert, and each expert's rows multiplied by its own matrix."""

    def experts(rows, of, weights):
        order = torch.argsort(of)
        ends = torch.histc(of[order].int(), bins=weights.shape[0], min=0, max=weights.shape[0] - 1).cumsum(0).int()
        return torch.zeros_like(rows).index_copy(0, order, torch._grouped_mm(rows[order], weights, offs=ends))

    rows, weights = torch.randn(24, 16).bfloat16(), torch.randn(3, 16, 16).bfloat16()
    of = torch.randint(0, 3, (24,))
    wanted = torch.stack([row @ weights[i] for row, i in zip(rows, of, strict=True)])
    compiled = torch.compile(experts, backend="flagos", fullgraph=True)
    for function in (experts, compiled):
        found = function(rows.to(device), of.to(device), weights.to(device))
        torch.testing.assert_close(found.cpu(), wanted, rtol=2e-2, atol=2e-2)
