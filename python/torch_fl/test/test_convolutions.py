"""Convolutions are those of the device's memory: the same bits in the same layout, eagerly, traced and compiled."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

FORWARD = [torch.nn.functional.conv1d, torch.nn.functional.conv2d, torch.nn.functional.conv3d]
TRANSPOSED = [
    torch.nn.functional.conv_transpose1d,
    torch.nn.functional.conv_transpose2d,
    torch.nn.functional.conv_transpose3d,
]
SETTINGS = [{}, {"stride": 2, "padding": 1}, {"padding": 2, "dilation": 2}, {"groups": 4}, {"groups": 2, "stride": 2}]
FORMATS = {2: torch.channels_last, 3: torch.channels_last_3d}


def arguments(transposed, rank, settings, is_last, dtype):
    """Input, weight and bias; the first two with channels last where that is asked for."""
    torch.manual_seed(0)
    groups = settings.get("groups", 1)
    channels = (4, 8 // groups) if transposed else (8, 4 // groups)
    made = [torch.randn(2, 4, *[7] * rank), torch.randn(*channels, *[3] * rank), torch.randn(8)]
    if is_last and rank in FORMATS:
        made[:2] = [tensor.to(memory_format=FORMATS[rank]) for tensor in made[:2]]
    return [tensor.to(dtype) for tensor in made]


def result_and_gradients(function, settings, tensors):
    result = function(*tensors, **settings)
    return [result, *torch.autograd.grad(result, tensors, torch.ones_like(result))]


def on(where, tensors):
    return [tensor.detach().to(where).requires_grad_() for tensor in tensors]


def layouts(tensors):
    return [(tensor.device.type, tensor.dtype, tuple(tensor.shape), tensor.stride()) for tensor in tensors]


def moved(found, where):
    return [(where, *rest) for _, *rest in found]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("transposed", [False, True])
def test_results_and_layouts_are_those_of_the_memory(device, memory, transposed, rank, is_last, dtype):
    from torch._subclasses import FakeTensorMode

    function = (TRANSPOSED if transposed else FORWARD)[rank - 1]
    for settings in SETTINGS:
        tensors = arguments(transposed, rank, settings, is_last, dtype)
        expected = result_and_gradients(function, settings, on(memory, tensors)) if memory == "cpu" else None
        ours = result_and_gradients(function, settings, on(device, tensors))
        mode = FakeTensorMode()
        fakes = [mode.from_tensor(tensor) for tensor in on(device, tensors)]
        with mode:
            fake = result_and_gradients(function, settings, fakes)
        assert layouts(fake) == layouts(ours), settings
        if expected is None:  # torch runs no backward pass on plain tensors of the accelerator any more
            with torch.no_grad():
                expected = [function(*on(memory, tensors), **settings)]
        assert moved(layouts(expected), device) == layouts(ours)[: len(expected)], settings
        if memory == "cpu":
            assert all(torch.equal(one.cpu(), other) for one, other in zip(ours, expected, strict=True)), settings


@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_layers_have_the_layouts_of_eager_ones(device, dynamic, is_last):
    """A graph checks the strides of what an operator returns, so a wrong guess would be an error."""
    torch.manual_seed(0)
    layers = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 4, 3, groups=4)
    model = torch.nn.Sequential(*layers, torch.nn.ConvTranspose2d(4, 2, 2)).to(device)
    compiled = torch.compile(model, backend="flagos", dynamic=dynamic)
    for batch in (2, 5) if dynamic else (2,):
        x = torch.randn(batch, 3, 8, 8)
        x = (x.to(memory_format=torch.channels_last) if is_last else x).to(device).requires_grad_()
        found = []
        for run in (model, compiled):
            result = run(x)
            found.append([result, *torch.autograd.grad(result.square().sum(), [x, *model.parameters()])])
        for ours, expected in zip(*reversed(found), strict=True):
            torch.testing.assert_close(ours, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.cpu_memory
def test_graphs_of_convolutions_keep_channels_last(device):
    """The choice of the CPU, without a look at how many there are; weights and biases stay as they are."""
    from torch._inductor.graph import GraphLowering
    from torch.fx.experimental.proxy_tensor import make_fx

    convolve = torch.ops.aten.convolution.default

    def graph(where):
        x, weight = torch.ones(1, 2, 4, 4, device=where), torch.ones(2, 2, 3, 3, device=where)

        def two(x, weight):
            once = convolve(x, weight, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)
            return convolve(once, weight, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)

        return make_fx(two, tracing_mode="fake")(x, weight)

    assert GraphLowering.decide_layout_opt(graph(device), is_inference=False)
    assert GraphLowering.decide_layout_opt(graph("cpu"), is_inference=False)
    with torch._inductor.config.patch(layout_optimization=False):
        assert not GraphLowering.decide_layout_opt(graph(device), is_inference=False)


def test_convolutions_of_other_devices_are_traced_as_before(device):
    from torch._subclasses import FakeTensorMode

    layer = torch.nn.Conv2d(3, 4, 3)
    x = torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        fake = layer(mode.from_tensor(x))
    assert (fake.device.type, fake.stride()) == ("cpu", layer(x).stride())


def test_second_derivatives(device):
    torch.manual_seed(0)
    found = []
    for where in ("cpu", device):
        torch.manual_seed(0)
        x, weight = on(where, [torch.randn(1, 2, 5, 5), torch.randn(3, 2, 3, 3)])
        (first,) = torch.autograd.grad(torch.nn.functional.conv2d(x, weight).pow(3).sum(), x, create_graph=True)
        found.append([tensor.cpu() for tensor in torch.autograd.grad(first.square().sum(), [x, weight])])
    torch.testing.assert_close(*found)
