"""Functions compiled for the device by Triton kernels."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")


def compiled_code(function, *arguments, **options):
    """The result of the compiled function, and the text that Inductor generated for it."""
    from torch._inductor.utils import run_and_get_code

    torch._dynamo.reset()
    result, code = run_and_get_code(torch.compile(function, **options), *arguments)
    return result, "\n".join(code)


def softmax_of_sums(x):
    return torch.softmax(torch.relu(x) * 2 + 1, -1).sum(0)


@pytest.mark.parametrize("options", [{"backend": "flagos"}, {}], ids=["by name", "by default"])
def test_pointwise_and_reductions_run_as_triton_kernels_on_the_device(device, options):
    x = torch.randn(30, 517)
    result, code = compiled_code(softmax_of_sums, x.to(device), **options)
    assert result.device == torch.device(device, 0)
    torch.testing.assert_close(result.cpu(), softmax_of_sums(x))
    assert "@triton_heuristics" in code
    on_the_host, elsewhere = "= empty_strided_flagos(", ("torch.flagos._DeviceGuard(0)", "torch.flagos.device(0)")
    assert on_the_host in code or any(guard in code for guard in elsewhere)
    assert "cuda" not in code.split("async_compile.wait")[1]
    assert "'cpu'" not in code.split("async_compile.wait")[1]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool], ids=str)
def test_types(device, dtype):
    x = (torch.arange(4000) % 7 - 3).to(dtype)

    def function(v):
        return torch.where(v == v.roll(1), v, ~v if v.dtype == torch.bool else v * 2)

    result, code = compiled_code(function, x.to(device), backend="flagos")
    assert torch.equal(result.cpu(), function(x))
    assert "@triton_heuristics" in code


def test_backward(device):
    x = torch.randn(64, 33)
    ours, theirs = x.to(device).requires_grad_(), x.clone().requires_grad_()

    def loss(v):
        return (torch.nn.functional.layer_norm(v, (33,)).sin() * v).sum()

    torch.compile(loss, backend="flagos")(ours).backward()
    loss(theirs).backward()
    assert ours.grad.device.type == device
    torch.testing.assert_close(ours.grad.cpu(), theirs.grad, atol=1e-4, rtol=1e-4)


@pytest.mark.filterwarnings("ignore:(?s).*Online softmax is disabled on the fly")  # torch's, as for `cuda`
def test_dynamic_shapes(device):
    torch._dynamo.reset()
    function = torch.compile(softmax_of_sums, backend="flagos", dynamic=True)
    for size in (17, 40, 129):
        x = torch.randn(size, size + 3)
        torch.testing.assert_close(function(x.to(device)).cpu(), softmax_of_sums(x))


@pytest.mark.parametrize("mode", ["reduce-overhead", "max-autotune"])
def test_modes(device, mode):
    x = torch.randn(20, 100)
    result, _ = compiled_code(softmax_of_sums, x.to(device), backend="flagos", mode=mode)
    torch.testing.assert_close(result.cpu(), softmax_of_sums(x))


def test_an_unknown_option_is_refused_with_the_nearest_one(device):
    from torch_fl.inductor.patches import config_patches
    from torch_fl.profiles import profile

    with pytest.raises(RuntimeError, match="max_autotune"):
        config_patches(profile(), options={"max-autotunee": True})


def test_a_failing_compile_is_an_error_or_an_eager_run_with_a_warning(device, monkeypatch):
    from torch_fl.inductor import backend

    def refuse(*_, **__):
        raise NotImplementedError("no such kernel")

    monkeypatch.setattr("torch._inductor.compile_fx.compile_fx", refuse)
    x = torch.randn(4, device=device)
    graph = torch.fx.symbolic_trace(lambda v: v.sin())
    with pytest.raises(NotImplementedError):
        backend.compile_graph(graph, [x])
    monkeypatch.setenv(backend.FALLBACK, "1")
    with pytest.warns(RuntimeWarning, match="no such kernel"):
        run = backend.compile_graph(graph, [x])
    assert torch.equal(run(x), x.sin())


def test_a_function_may_keep_the_state_of_random_numbers(device):
    @torch.compile(backend="flagos")
    def kept(x):
        with torch.random.fork_rng(device_type="flagos"):  # the default of torch 2.11 is CUDA
            torch.manual_seed(3)
            return torch.rand_like(x) + x

    x = torch.ones(64, device=device)
    before = torch.flagos.get_rng_state()
    result = kept(x)
    assert torch.equal(torch.flagos.get_rng_state(), before)
    assert ((result >= 1) & (result < 2)).all()


def test_state_functions_of_a_generator_are_not_traced(device):
    @torch.compile(backend="flagos")
    def restored(x):
        state = torch.flagos.get_rng_state()
        y = x.sin() * 2
        torch.flagos.set_rng_state(state)
        return y

    x = torch.randn(64)
    torch.testing.assert_close(restored(x.to(device)).cpu(), x.sin() * 2)
