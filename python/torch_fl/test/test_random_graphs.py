"""Random graphs, compiled for the device, against the CPU's eager results: a part of what random_graphs.py does."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings("ignore")  # torch's, about means of nothing

COUNT = 8


@pytest.mark.parametrize("dynamic", [None, True], ids=["static", "dynamic"])
def test_random_graphs(device, dynamic):
    from random_graphs import check

    first = 10_000 if dynamic else 0
    failures = [failure for seed in range(first, first + COUNT) if (failure := check(seed, device, dynamic))]
    assert not failures, "\n".join(map(str, failures))


@pytest.mark.slow
def test_many_random_graphs(device):
    from random_graphs import check

    failures = [failure for seed in range(1_000) if (failure := check(seed, device))]
    assert not failures, "\n".join(map(str, failures))


def test_graphs_are_of_many_kinds():
    from random_graphs import generate

    graphs = [generate(seed) for seed in range(100)]
    values = [value for graph, _ in graphs for value in graph.values]
    inputs = [tensor for graph, _ in graphs for tensor in graph.inputs.values()]
    assert all(5 <= len(graph.lines) <= 10 for graph, _ in graphs)
    assert len({value.dtype for value in values}) == 10
    assert any(tensor.numel() == 0 for tensor in inputs)
    assert any(not tensor.is_contiguous() for tensor in inputs)
    assert any(0 in tensor.stride() and tensor.numel() > 1 for tensor in inputs)
    assert any(not value.exact for value in values)
    assert all(generate(seed)[0].lines == graphs[seed][0].lines for seed in range(5))


def test_an_error_beyond_the_bound_is_found():
    from random_graph_values import Value, difference

    exact = Value("v", torch.tensor([1.0, 2.0]), 2, grain=0)
    assert not difference(exact, torch.tensor([1.0, 2.0]))
    assert "1 of 2" in difference(exact, torch.tensor([1.0, 2.0000002]))
    rounded = Value("v", torch.tensor([1.0, 2.0]), 2, grain=None, error=1e-6)
    assert not difference(rounded, torch.tensor([1.0, 2.000001]))
    assert difference(rounded, torch.tensor([1.0, 2.00001]))
    assert "float64" in difference(exact, torch.tensor([1.0, 2.0]).double())
