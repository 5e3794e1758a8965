"""Choices of TorchInductor that depend on the name `cuda` hold for the device where it is that hardware, only there."""

from __future__ import annotations

import json
import types

import pytest
from python_process import run

torch = pytest.importorskip("torch")


def named(name):
    from torch_fl.profiles import find

    return find(name)


def tensor(kind):
    return types.SimpleNamespace(device=torch.device(kind, 0))


@pytest.mark.parametrize("name", ["host", "npu", "musa"])
def test_platforms_of_their_own_change_nothing(device, name):
    from torch_fl.inductor import like_cuda

    kept = types.SimpleNamespace(can_fuse=lambda a, b: False)
    table = {("mm", "cuda", None): object}
    module = types.SimpleNamespace(
        MixOrderReduction=kept,
        InductorChoices=kept,
        registry=types.SimpleNamespace(_TEMPLATE_HEURISTIC_REGISTRY=table),
        check_device=lambda a, b: False,
    )
    before = dict(vars(module)), dict(vars(kept))
    for change in (
        like_cuda.join_reductions_of_two_orders,
        like_cuda.reduce_softmax_in_one_pass,
        like_cuda.pad_products,
        like_cuda.align_attention,
        like_cuda.tune_products,
        like_cuda.tune_as_cuda,
    ):
        assert not change(module, named(name))
    assert list(table) == [("mm", "cuda", None)]
    assert (vars(module), vars(kept)) == before


@pytest.mark.parametrize(
    ("online", "backend", "taken"), [(True, "triton", True), (True, "halide", False), (False, "triton", False)]
)
def test_a_softmax_is_reduced_in_one_pass_where_that_of_cuda_is(device, online, backend, taken):
    from torch_fl.inductor.like_cuda import reduce_softmax_in_one_pass

    config = types.SimpleNamespace(online_softmax=online, cuda_backend=backend)
    module = types.SimpleNamespace(config=config, prepare_softmax_extra_check=lambda match: "torch's answer")
    assert reduce_softmax_in_one_pass(module, named("cuda"))
    assert not reduce_softmax_in_one_pass(module, named("cuda"))
    matches = [
        types.SimpleNamespace(kwargs={"x": types.SimpleNamespace(meta={"val": tensor(kind)})})
        for kind in (device, "cpu")
    ]
    assert [module.prepare_softmax_extra_check(match) for match in matches] == [taken, "torch's answer"]


def test_nodes_are_on_cuda_while_the_scheduler_asks_whether_to_join_them(device):
    from torch_fl.inductor.like_cuda import join_reductions_of_two_orders

    class Node:
        def __init__(self, kind):
            self.kind = kind

        def get_device(self):
            return torch.device(self.kind, 0) if self.kind else None

    class MixOrderReduction:
        asked = []

        @classmethod
        def can_fuse(cls, node1, node2):
            cls.asked.append([node.get_device() for node in (node1, node2)])
            if node2.kind == "cpu":
                raise NotImplementedError
            return True

    module = types.SimpleNamespace(MixOrderReduction=MixOrderReduction)
    assert join_reductions_of_two_orders(module, named("cuda"))
    assert not join_reductions_of_two_orders(module, named("cuda"))
    node, cuda = Node(device), torch.device("cuda", 0)
    assert MixOrderReduction.can_fuse(node, node)
    assert MixOrderReduction.can_fuse(node, Node(None))
    with pytest.raises(NotImplementedError):
        MixOrderReduction.can_fuse(node, Node("cpu"))
    assert MixOrderReduction.asked == [[cuda, cuda], [cuda, None], [cuda, torch.device("cpu", 0)]]
    assert node.get_device() == torch.device(device, 0)


def test_products_are_padded_as_those_of_cuda(device):
    from torch_fl.inductor.like_cuda import pad_products

    module = types.SimpleNamespace(
        check_device=lambda a, b: a.device.type == b.device.type == "cuda",
        pad_addmm=lambda bias, a, b, rows: (bias, rows),
    )
    assert pad_products(module, named("cuda"))
    assert not pad_products(module, named("cuda"))
    for pair, padded in (((device, device), True), (("cuda", "cuda"), True), ((device, "cpu"), False)):
        assert module.check_device(*map(tensor, pair)) == padded
    a, b = torch.ones(2, 3, device=device), torch.ones(3, 5, device=device)
    bias, rows = module.pad_addmm(None, a, b, 6)
    assert (bias.tolist(), bias.device.type, rows) == ([0] * 5, device, 6)
    assert module.pad_addmm(None, a, b, 6)[0] is bias
    assert module.pad_addmm(b, a, b, 6)[0] is b
    assert module.pad_addmm(None, a.cpu(), b.cpu(), 6)[0] is None


def test_templates_and_their_sizes_are_those_of_cuda(device):
    from torch_fl.inductor.like_cuda import tune_as_cuda, tune_products

    table = {("mm", "cuda", None): int, ("mm", "xpu", None): str, ("bmm", None, None): float}

    def register(template, device_type, op_name):
        return lambda heuristic: table.update({(template, device_type, op_name): heuristic})

    registry = types.SimpleNamespace(_TEMPLATE_HEURISTIC_REGISTRY=table, register_template_heuristic=register)
    package = types.SimpleNamespace(registry=registry)
    assert tune_products(package, named("cuda"))
    assert not tune_products(package, named("cuda"))
    assert table.pop(("mm", device, None)) is int
    assert len(table) == 3

    class InductorChoices:
        def get_config_heuristics(self, device_type="cuda"):
            return device_type

    module = types.SimpleNamespace(InductorChoices=InductorChoices)
    assert tune_as_cuda(module, named("cuda"))
    assert not tune_as_cuda(module, named("cuda"))
    choices = InductorChoices()
    assert [choices.get_config_heuristics(kind) for kind in (device, "cuda", "cpu")] == ["cuda", "cuda", "cpu"]
    assert choices.get_config_heuristics() == "cuda"


def test_arguments_of_attention_are_aligned_as_those_of_cuda(device):
    from torch_fl.inductor.like_cuda import align_attention

    seen = []

    def constraint(node, *arguments, **named_arguments):
        values = [argument.meta["val"] for argument in (*node.args[:2], *node.kwargs.values())]
        seen.append((node.target, [(value.is_cuda, value.stride()) for value in values], node.args[2]))
        return arguments, named_arguments

    def argument(where):
        return types.SimpleNamespace(meta={"val": torch.empty(2, 3, device=where)})

    table = {"attend": constraint, "other": len}
    module = types.SimpleNamespace(sdpa_constraint=constraint, _maybe_layout_constraints=table)
    assert align_attention(module, named("cuda"))
    assert not align_attention(module, named("cuda"))
    node = types.SimpleNamespace(
        target="op", args=(argument(device), argument("cpu"), 0.5), kwargs={"mask": argument(device)}
    )
    assert table["attend"](node, 1, mask=2) == ((1,), {"mask": 2})
    assert seen == [("op", [(True, (3, 1)), (False, (3, 1)), (True, (3, 1))], 0.5)]
    assert table["other"] is len


# Bodies of the kernels of some functions, forward and backward, in a process of its own: no backward pass runs on plain
# `cuda` beside `flagos`.
BODIES = """
import json, re, sys, torch
from torch._inductor.utils import run_and_get_code
F = torch.nn.functional
weight = torch.ones(1024, device=WHERE)

def trained(function):
    def run(x):
        function(x.requires_grad_()).square().sum().backward()
        return x.grad
    return run

functions = {
    "softmax": torch.compile(lambda v: torch.softmax(v, -1)),
    "log_softmax": trained(torch.compile(lambda v: torch.log_softmax(v, -1))),
    "layer_norm": trained(torch.compile(lambda v: F.layer_norm(v, (1024,), weight.detach().requires_grad_()))),
}
found = {}
for name, function in functions.items():
    torch.manual_seed(0)
    x = torch.randn(8192, 1024, device=WHERE)
    _, codes = run_and_get_code(function, x)
    kernels = re.findall(r"async_compile.triton[(]'[^']*', '''(.*?)'''", "".join(codes), re.S)
    found[name] = [kernel[kernel.index("@triton.jit"):] for kernel in kernels]
print(json.dumps(found))
"""


@pytest.mark.cuda_memory
def test_kernels_are_those_of_cuda(device):
    ours, theirs = (
        json.loads(run(f"WHERE = {where!r}\n" + BODIES, TORCH_DEVICE_BACKEND_AUTOLOAD=autoload).stdout.splitlines()[-1])
        for where, autoload in ((device, "1"), ("cuda", "0"))
    )
    assert all(theirs.values())
    for name, kernels in theirs.items():
        assert ours[name] == kernels, name


TUNED = """
import sys, torch
from torch._inductor import select_algorithm
tried = []
select_algorithm.add_feedback_saver(lambda timings, name, inputs, choices, profiled, *_: tried.append((name, timings)))
torch.manual_seed(0)
a, b = torch.randn(256, 128), torch.randn(128, 192)
tuned = torch.compile(lambda v, w: torch.relu(v @ w), backend="flagos", mode="max-autotune")
result = tuned(a.to("flagos").half(), b.to("flagos").half())
torch.testing.assert_close(result.cpu().float(), torch.relu(a @ b), atol=0.1, rtol=0.01)
timed = [(str(choice), time) for name, timings in tried for choice, time in timings.items()]
print(sum("Triton" in choice and time < 1e3 for choice, time in timed), len(timed))
"""


@pytest.mark.cuda_memory
def test_templates_of_products_are_tried_where_all_is_tuned(tmp_path):
    done = run(TUNED, TORCHINDUCTOR_CACHE_DIR=str(tmp_path))
    templates, tried = map(int, done.stdout.split()[-2:])
    assert tried > templates > 3
    assert "No template heuristic" not in done.stderr


@pytest.mark.cuda_memory
@pytest.mark.parametrize("bias", [False, True], ids=["product", "with bias"])
def test_a_product_of_odd_sizes_is_timed_with_padding(device, bias):
    from torch._dynamo.utils import counters
    from torch._inductor.utils import fresh_cache

    torch._dynamo.reset()
    counters.clear()
    torch.manual_seed(0)
    layer = torch.nn.Linear(4095, 4097, bias=bias).to(device, torch.bfloat16)
    x = torch.randn(4093, 4095, device=device, dtype=torch.bfloat16)
    with fresh_cache(), torch.no_grad():
        torch.testing.assert_close(torch.compile(layer, backend="flagos")(x), layer(x), atol=2e-2, rtol=2e-2)
    assert counters["inductor"]["pad_mm_bench"] > 0


@pytest.mark.cuda_memory
@pytest.mark.parametrize("length", [17, 24])
def test_a_mask_of_attention_may_have_any_length(device, length):
    torch._dynamo.reset()
    torch.manual_seed(0)
    parts = [torch.randn(2, 3, length, 16) for _ in range(3)]
    bias = torch.randn(length, length)

    def attend(query, key, value, mask):
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask.sin() * 2)

    ours = [part.to(device).requires_grad_() for part in parts]
    theirs = [part.clone().requires_grad_() for part in parts]
    result = torch.compile(attend, backend="flagos")(*ours, bias.to(device))
    expected = attend(*theirs, bias)
    result.square().sum().backward()
    expected.square().sum().backward()
    torch.testing.assert_close(result.cpu(), expected, atol=1e-4, rtol=1e-4)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine.grad.cpu(), other.grad, atol=1e-3, rtol=1e-3)
