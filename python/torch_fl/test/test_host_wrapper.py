"""The Python code around kernels on the host: what is written, and that nothing else is changed by it."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.cpu_memory

from torch_fl import _C  # noqa: E402
from torch_fl.inductor.host_wrapper import allocation  # noqa: E402


def _code(function, *arguments):
    from torch._inductor.utils import run_and_get_code

    torch._dynamo.reset()
    result, codes = run_and_get_code(torch.compile(function, backend="flagos"), *arguments)
    return result, "\n".join(codes)


def test_allocation_is_short_and_there_is_no_guard(device):
    x = torch.randn(33, 20, device=device)
    result, code = _code(lambda x: torch.softmax(x @ x.t(), -1) + 1, x)
    torch.testing.assert_close(result.cpu(), torch.softmax(x.cpu() @ x.cpu().t(), -1) + 1)
    assert "= empty_strided_flagos((33, 33), (33, 1), torch.float32)" in code
    assert "_DeviceGuard" not in code and "set_device" not in code


def test_sizes_that_are_not_known(device):
    function = torch.compile(lambda x: (x @ x.t()).relu() * x.shape[0], backend="flagos", dynamic=True)
    for length in (3, 5, 9):
        x = torch.randn(length, 4, device=device)
        torch.testing.assert_close(function(x).cpu(), (x.cpu() @ x.cpu().t()).relu() * length)


def test_a_part_that_is_a_function_of_its_own(device):
    def function(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() * 2, (x,))

    x = torch.ones(40, device=device)
    for value in (x, -x):
        result, _ = _code(function, value)
        expected = value.cpu().sin() + 1 if value is x else value.cpu().cos() * 2
        torch.testing.assert_close(result.cpu(), expected)


@pytest.mark.parametrize(
    "line",
    [
        "b = empty_strided_cpu((2, ), (1, ), torch.int8)",
        "b = tracked_empty_strided((2, ), (1, ), dtype=torch.int8, device='flagos', name='b')",
        "b = empty_strided((2, ), (1, ), device='other', dtype=torch.int8)",
    ],
)
def test_other_lines_stay_as_they_are(line):
    assert allocation(line, "b", "torch.int8") == line


def test_a_line_with_a_view_keeps_it():
    line = "b = empty_strided((4, ), (1, ), device='flagos', dtype=torch.int8).as_strided((2, ), (1, ))"
    short = "b = empty_strided_flagos((4, ), (1, ), torch.int8).as_strided((2, ), (1, ))"
    assert allocation(line, "b", "torch.int8") == short


@pytest.mark.parametrize(("size", "stride"), [((2, 3), (3, 1)), ((), ()), ((4, 0), (1, 1)), ((3, 5), (1, 3))])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.bfloat16])
def test_the_function_is_torchs(device, size, stride, dtype):
    ours, theirs = _C.empty_strided(size, stride, dtype), torch.empty_strided(size, stride, device=device, dtype=dtype)
    assert (ours.shape, ours.stride(), ours.dtype, ours.device) == (
        theirs.shape, theirs.stride(), theirs.dtype, theirs.device)  # fmt: skip
    ours.fill_(1)
    assert bool((ours == 1).all())


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (((2,), (1,)), TypeError),
        (((2,), (1,), "float32"), TypeError),
        (([2], (1,), torch.float32), TypeError),
        (((2.5,), (1,), torch.float32), TypeError),
        (((2,), (1, 1), torch.float32), RuntimeError),
        (((-2,), (1,), torch.float32), RuntimeError),
    ],
)
def test_bad_arguments_are_refused(arguments, error):
    with pytest.raises(error):
        _C.empty_strided(*arguments)
