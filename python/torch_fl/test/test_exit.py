"""How processes end."""

from __future__ import annotations

import pytest
from python_process import run

pytest.importorskip("torch")

# In a thread of its own, as on accelerators.
BACKWARD = """
torch.autograd.set_multithreading_enabled(True)
x = torch.ones(9, device="flagos", requires_grad=True)
(x * 2).sum().backward()
"""

# What the thread of backward passes has to drop takes its time: a process that did not wait would be aborted.
SLOW_TO_DROP = """
import contextvars, torch, torch_fl

class Slow:
    def __del__(self):
        for _ in range(200_000):
            pass

contextvars.ContextVar("slow").set([Slow() for _ in range(20)])
"""

FORKED = """
import os, sys, torch, torch_fl
{backward}
child = os.fork()
if child == 0:
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_process_may_end_right_after_a_backward_pass():
    for _ in range(2):
        done = run("import torch, torch_fl" + BACKWARD)
        assert done.stdout + done.stderr == ""
    assert run(SLOW_TO_DROP + BACKWARD).stderr == ""


@pytest.mark.cpu_memory  # CUDA does not survive a fork
def test_a_forked_child_may_end_after_a_backward_pass_of_its_parent():
    done = run(FORKED.format(backward=BACKWARD))
    assert (done.stdout, done.stderr) == ("5\n", "")


def test_a_process_without_a_backward_pass_starts_no_thread_for_one_when_it_ends(monkeypatch):
    code = """
import os, torch, torch_fl
from torch_fl.flagos._exit import _has_thread, finish_autograd
finish_autograd(os.getpid())
print(_has_thread())
x = torch.ones(9, device="flagos", requires_grad=True)
x.sum().backward()
print(_has_thread())
finish_autograd(os.getpid())
print(x.grad.sum().item())
"""
    assert run(code).stdout.split() == ["False", "True", "9.0"]
