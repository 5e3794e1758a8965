"""How processes end."""

from __future__ import annotations

import pytest
from python_process import run

pytest.importorskip("torch")


@pytest.mark.parametrize("attempt", range(3))
def test_a_process_may_end_right_after_a_backward_pass(attempt):
    code = "import torch, torch_fl; x = torch.ones(9, device='flagos', requires_grad=True); (x * 2).sum().backward()"
    assert run(code).stderr == ""
