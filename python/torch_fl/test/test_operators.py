"""Torch's own samples for each operator, on the device and on the CPU."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

# Results that nobody has written to.
UNWRITTEN = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}

# Operators that differ, with the reason.
KNOWN = {
    "sparse.sampled_addmm": "sparse tensors of the device have no kernels",
    "sparse.mm.reduce": "sparse tensors of the device have no kernels",
    "tensor_split": "torch wants the indices on the CPU, for every accelerator",
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # torch's, about its own samples
def test_operators_agree_with_the_cpu(device):
    pytest.importorskip("expecttest")
    from opinfo import sweep

    outcomes = [o for o in sweep(torch.float32, [], device) if o.reason != "not on the CPU"]
    wrong = {o.name: o.reason for o in outcomes if o.reason}
    assert len(outcomes) - len(wrong) >= 660, wrong
    assert wrong.keys() - UNWRITTEN <= KNOWN.keys(), wrong
