"""Which thread runs backward passes."""

from __future__ import annotations

from typing import Any

from .profiles import Profile


def run_in_calling_thread(autograd: Any, profile: Profile) -> bool:
    """Has backward passes of the host's device run in the thread that asks for them, as the CPU's do.

    Torch starts a thread for each accelerator's. On the host its operators would have a second team of threads, which
    competes with the first one for the processor while that waits for more work: 20 % of a small training step. Holds
    for the thread that imports torch_fl; ``torch.autograd.set_multithreading_enabled`` changes it as ever. True if
    anything changed.
    """
    if profile.name != "host":
        return False
    autograd.set_multithreading_enabled(False)
    return True
