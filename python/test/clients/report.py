"""What the runner scripts share: how results are compared, and how what is wrong is told."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import torch


def difference(actual: Any, expected: Any, tolerance: float) -> str:
    """How a tensor, or a sequence of tensors, differs from the expected one; empty if it does not."""
    if isinstance(expected, torch.Tensor):
        actual, expected = [actual], [expected]
    for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
        if a.shape != e.shape:
            return f"result {i} has shape {list(a.shape)}, expected {list(e.shape)}"
        if not torch.allclose(a.double(), e.double(), rtol=tolerance, atol=tolerance, equal_nan=True):
            return f"result {i} is off by up to {(a.double() - e.double()).abs().max().item():.3g}"
    return ""


def report(names: Collection[str], check: Callable[[str], str], conclusion: str) -> int:
    """Print what `check` finds wrong with each of `names`, and how many `conclusion` holds for; the exit status."""
    failed = 0
    for name in names:
        try:
            wrong = check(name)
        except Exception as error:  # noqa: BLE001  (whatever it is, it belongs into the report)
            wrong = f"{type(error).__name__}: {error}"
        failed += bool(wrong)
        if wrong:
            print(f"{name}: {wrong.strip().replace(chr(10), ' | ')[-600:]}", flush=True)
    print(f"{len(names) - failed} of {len(names)} {conclusion}")
    return 1 if failed else 0
