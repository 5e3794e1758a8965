"""Backward passes of the host's device run in the thread that asks for them."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from torch_fl._backward import run_in_calling_thread  # noqa: E402
from torch_fl.profiles import find, profile  # noqa: E402


@pytest.mark.skipif(profile().name != "host", reason="accelerators have threads of their own")
def test_gradients_are_computed_in_the_calling_thread(device):
    ran_in = []
    x = torch.ones(3, device=device, requires_grad=True)
    y = x * 2
    y.register_hook(lambda gradient: ran_in.append(threading.get_ident()))
    with torch.autograd.set_multithreading_enabled(False):  # what importing torch_fl did, in the main thread
        y.sum().backward()
    assert ran_in == [threading.get_ident()]
    assert x.grad.tolist() == [2, 2, 2]


def test_set_on_the_host_only():
    calls = []
    autograd = SimpleNamespace(set_multithreading_enabled=calls.append)
    assert run_in_calling_thread(autograd, find("host"))
    assert not run_in_calling_thread(autograd, find("cuda"))
    assert calls == [False]


SCRIPT = """
import torch, torch_fl, threading
x = torch.ones(3, device="flagos", requires_grad=True)
y = x * 2
y.register_hook(lambda gradient: print(threading.current_thread() is threading.main_thread()))
y.sum().backward()
"""


@pytest.mark.skipif(profile().name != "host", reason="accelerators have threads of their own")
def test_from_the_import_on():
    from python_process import run

    assert run(SCRIPT).stdout.split() == ["True"]
