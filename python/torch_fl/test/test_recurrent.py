"""Recurrent networks in host memory are the CPU's: layers of its library, and whole networks without gradients."""

from __future__ import annotations

import collections

import pytest

torch = pytest.importorskip("torch")
from torch.nn.utils.rnn import pack_padded_sequence  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

LAYER = "aten.mkldnn_rnn_layer.default"
KINDS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn": torch.nn.RNN}
SETTINGS = [
    {},
    {"num_layers": 2, "bidirectional": True},
    {"batch_first": True, "bias": False},
    {"num_layers": 2, "dropout": 0.5},
]
pytestmark = [
    pytest.mark.cpu_memory,
    # What the CPU says about its library.
    pytest.mark.filterwarnings("ignore:LSTM with projections is not supported with oneDNN"),
    pytest.mark.filterwarnings("ignore:TF32 acceleration on top of oneDNN"),
]


class Operators(TorchDispatchMode):
    """Counts what is called."""

    def __init__(self):
        super().__init__()
        self.counts = collections.Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.counts[str(function)] += 1
        return function(*args, **(kwargs or {}))


def network(kind, settings, where, dtype=torch.float32):
    torch.manual_seed(0)
    made = KINDS[kind](6, 8, **settings), torch.randn(4, 5, 6)
    return [part.to(where, dtype) for part in made]


def everything(model, x, is_packed=False):
    """Results, with gradients of all that has one, and the result without any; dropout draws the same each time."""
    x = x.requires_grad_()
    torch.manual_seed(5)

    def call():
        output, state = model(pack_padded_sequence(x, [4, 3, 2, 2, 1]) if is_packed else x)
        return [output.data if is_packed else output, *(state if isinstance(state, tuple) else [state])]

    results = call()
    loss = sum(result.float().square().sum() for result in results)
    gradients = torch.autograd.grad(loss, [x, *model.parameters()])
    with torch.no_grad():
        return [*results, *gradients, *call()]


def assert_same(ours, theirs):
    for one, other in zip(ours, theirs, strict=True):
        assert one.stride() == other.stride()
        if one.dtype == torch.bfloat16:  # sums of rounded steps: single elements may be far off
            assert (one.cpu().float() - other.float()).norm() <= 2e-2 * other.float().norm()
        else:
            torch.testing.assert_close(one.cpu(), other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_networks_are_those_of_the_cpu(device, kind, dtype, is_training):
    for settings in [*SETTINGS, *([{"proj_size": 3}] if kind == "lstm" else [])]:
        found, layers = [], []
        for where in ("cpu", device):
            model, x = network(kind, settings, where, dtype)
            model.train(is_training)
            found.append(everything(model, x))
            with Operators() as seen:
                model(x)
            layers.append(seen.counts[LAYER])
        assert_same(*reversed(found))
        assert layers[0] == layers[1], f"{settings}: the library is used where the CPU uses it"


@pytest.mark.parametrize("kind", KINDS)
def test_packed_sequences(device, kind):
    found = [everything(*network(kind, {"bidirectional": True}, where), is_packed=True) for where in ("cpu", device)]
    assert_same(*reversed(found))


def test_lstm_is_a_layer_of_the_library(device):
    model, x = network("lstm", {"num_layers": 2, "bidirectional": True}, device)
    with Operators() as seen:
        model(x)[0].sum().backward()
    assert seen.counts[LAYER] == 4
    assert seen.counts["aten.mkldnn_rnn_layer_backward.default"] == 4
    with torch.backends.mkldnn.flags(enabled=False), Operators() as seen:
        model(x)
    assert not seen.counts[LAYER]


def test_autocast_computes_layers_in_its_type_as_on_the_cpu(device):
    found = []
    for where in ("cpu", device):
        model, x = network("lstm", {}, where)
        with torch.autocast(where, dtype=torch.bfloat16):
            found.append(model(x)[0])
    assert found[0].dtype == found[1].dtype == torch.bfloat16
    torch.testing.assert_close(found[1].cpu(), found[0])


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_by_transformation(device, kind):
    found = []
    for where in ("cpu", device):
        model, x = network(kind, {}, where)
        found.append(torch.func.grad(lambda x, model=model: model(x)[0].square().sum())(x).cpu())
    torch.testing.assert_close(*found)


def test_forward_derivative_without_gradients(device):
    """A whole network on the CPU would lose it."""
    found = []
    for where in ("cpu", device):
        model, x = network("rnn", {}, where)
        with torch.no_grad():
            _, forward = torch.func.jvp(lambda x, model=model: model(x)[0], (x,), (torch.ones_like(x),))
        found.append(forward.cpu())
    torch.testing.assert_close(*found)
    assert found[0].any()


@pytest.mark.parametrize("parameters", [0, 3, 5])
def test_wrong_number_of_parameters_is_an_error_of_torch(device, parameters):
    model, x = network("lstm", {}, device)
    state = torch.zeros(1, 5, 8, device=device)
    given = [*model.parameters(), model.bias_hh_l0][:parameters]
    with pytest.raises((RuntimeError, IndexError)):
        torch.lstm(x, [state, state], given, True, 1, 0.0, False, False, False)


@pytest.mark.parametrize("with_gradient", [False, True])
def test_traced_lstm_is_layers_without_gradients_and_cells_with_them(device, with_gradient):
    """As Inductor does for tensors of the CPU."""
    from torch._inductor.utils import fresh_cache, run_and_get_code

    torch._dynamo.reset()
    model, x = network("lstm", {}, device)
    as_asked = torch.set_grad_enabled(with_gradient), torch._dynamo.config.patch(allow_rnn=True)
    with as_asked[0], as_asked[1], fresh_cache():
        (result, _), code = run_and_get_code(torch.compile(model, backend="flagos", fullgraph=True), x)
    assert any("mkldnn_rnn_layer.default(" in text for text in code) != with_gradient
    torch.testing.assert_close(result, model(x)[0])
    if with_gradient:
        gradients = [torch.autograd.grad(out.square().sum(), model.weight_ih_l0) for out in (result, model(x)[0])]
        torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)


def test_traced_gru_is_cells(device):
    torch._dynamo.reset()
    model, x = network("gru", {}, device)
    with torch.no_grad(), torch._dynamo.config.patch(allow_rnn=True):
        result = torch.compile(model, backend="flagos", fullgraph=True)(x)[0]
        torch.testing.assert_close(result, model(x)[0])
