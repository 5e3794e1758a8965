"""What a throughput measurement compares."""

from collections.abc import Callable
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Case:
    """One operation: what it must move and compute, and the two implementations over shared inputs."""

    title: str
    ours: Callable[[], object]
    eager: Callable[[], object]
    result: Callable[[], tuple[torch.Tensor, torch.Tensor]]  # ours, eager
    bytes: int
    flops: int
    needed_ratio: float
    needed_share: float | None = None  # of the bandwidth that torch's add reaches
    tolerance: float = 1e-5
