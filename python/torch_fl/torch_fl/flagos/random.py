"""Random numbers. The same seed gives the numbers of the device whose memory it is: those of the CPU, or those of CUDA,
whose default generator is then this one, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from .. import extension
from ._backing import backing
from .device import index_of

default_generators: tuple[torch.Generator, ...] = (extension.default_generator(),)


def manual_seed(seed: int) -> None:
    value = int(seed)
    backing.when_started(lambda: default_generators[0].manual_seed(value) and None)


def manual_seed_all(seed: int) -> None:
    manual_seed(seed)


def seed() -> None:
    """Seeds from the system's entropy."""
    default_generators[0].seed()


def seed_all() -> None:
    for generator in default_generators:
        generator.seed()


def initial_seed() -> int:
    return default_generators[0].initial_seed()


def get_rng_state(device: Any = None) -> torch.Tensor:
    """The state of the device's default generator, a tensor of bytes on the CPU."""
    return default_generators[index_of(device)].get_state()


def set_rng_state(new_state: torch.Tensor, device: Any = None) -> None:
    default_generators[index_of(device)].set_state(new_state)


def get_rng_state_all() -> list[torch.Tensor]:
    return [generator.get_state() for generator in default_generators]


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    for generator, state in zip(default_generators, new_states, strict=True):
        generator.set_state(state)
