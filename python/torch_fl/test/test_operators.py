"""Torch's own samples for each operator, on the device and on the CPU: a part of the sweeps of opinfo.py.

The slow tests take all operators with one sample; the others every n-th, so that each kind is there.
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

# torch's warnings are about its own samples.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.cpu_memory]

# Operators that agree eagerly, by type.
EAGER = {
    torch.float16: 535, torch.bfloat16: 540, torch.float32: 665, torch.float64: 665, torch.int64: 455, torch.bool: 340,
}  # fmt: skip
# Operators that agree compiled, and those of them with a kernel, by type and whether gradients are compared.
COMPILED = {
    (torch.float32, False): (660, 400),
    (torch.bfloat16, False): (530, 350),
    (torch.float16, False): (520, 350),
    (torch.int64, False): (450, 300),
    (torch.bool, False): (330, 200),
    (torch.float32, True): (520, 400),
    (torch.bfloat16, True): (430, 340),
}


def swept(sweep, every=1):
    """The outcomes of every so many operators of `sweep`; fails for one that differs for no known reason."""
    from opinfo import compare, line, unexplained

    found = [compare(sweep, op) for op in sweep.operators([])[::every]]
    wrong = unexplained(sweep, found)
    assert not wrong, "\n".join(line(sweep, outcome) for outcome in wrong)
    return [outcome for outcome in found if not outcome.skipped and not outcome.reason]


@pytest.mark.parametrize("dtype", EAGER, ids=str)
def test_some_eager_operators(device, dtype):
    from opinfo import Sweep

    every = 1 if dtype == torch.float32 else 5
    assert len(swept(Sweep(dtype, device, samples=1), every)) >= EAGER[dtype] // every - 2


@pytest.mark.slow
@pytest.mark.parametrize("dtype", EAGER, ids=str)
def test_eager_operators(device, dtype):
    from opinfo import Sweep

    assert len(swept(Sweep(dtype, device, samples=2))) >= EAGER[dtype]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_eager_gradients(device, dtype):
    from opinfo import Sweep

    assert len(swept(Sweep(dtype, device, backward=True, samples=2))) >= 450


@pytest.mark.parametrize(("dtype", "backward"), COMPILED, ids=str)
def test_some_compiled_operators(device, dtype, backward):
    from opinfo import Sweep

    every = 60
    agree = swept(Sweep(dtype, device, compiled=True, backward=backward, samples=1), every)
    operators, kernels = COMPILED[dtype, backward]
    assert len(agree) >= operators // every - 2
    assert sum(outcome.kernels > 0 for outcome in agree) >= kernels // every // 2


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "backward"), COMPILED, ids=str)
def test_compiled_operators(device, dtype, backward):
    from opinfo import Sweep

    agree = swept(Sweep(dtype, device, compiled=True, backward=backward, samples=1))
    operators, kernels = COMPILED[dtype, backward]
    assert len(agree) >= operators
    assert sum(outcome.kernels > 0 for outcome in agree) >= kernels
