"""What has to happen before the interpreter ends.

Torch runs backward passes of an accelerator in a thread. That thread drops Python objects after the result is there. A
process that ends at that moment is aborted: the interpreter stops a thread that asks for its lock, inside a destructor.
"""

from __future__ import annotations

import os
from pathlib import Path

import torch

from .._claim import NAME

_THREADS = Path("/proc/self/task")
_NAME_OF_AUTOGRADS = "pt_autograd_"

# What the last backward pass works on. It outlives that pass, so the thread drops nothing of Python's after it.
_kept: list[torch.Tensor] = []


def finish_autograd(owner: int) -> None:
    """Returns when the thread of backward passes has dropped what the passes before needed.

    It works through its passes one after the other, so another one waits for them. That one is started below torch's
    Python, which would lend the thread a Python object for its length. Does nothing in a process forked from `owner`,
    where there is no such thread.
    """
    if os.getpid() != owner or not _has_thread():
        return
    with torch.inference_mode(False), torch.enable_grad():
        x = torch.ones((), device=NAME, requires_grad=True)
        y, gradient = x * 1, torch.ones((), device=NAME)
    _kept.extend((x, y, gradient))
    with torch.autograd.set_multithreading_enabled(True):
        torch.autograd.Variable._execution_engine.run_backward(
            (y,), (gradient,), False, False, (), allow_unreachable=True, accumulate_grad=True
        )


def _has_thread() -> bool:
    """Whether a backward pass has been run on any accelerator: torch starts its threads then."""
    names = (_name(task) for task in _THREADS.iterdir())
    return any(name.startswith(_NAME_OF_AUTOGRADS) for name in names)


def _name(task: Path) -> str:
    try:
        return (task / "comm").read_text(encoding="utf-8")
    except OSError:  # it has ended
        return ""
