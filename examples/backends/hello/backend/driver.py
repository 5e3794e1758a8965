"""Hello devices: how many there are, what they are called, and what happens when a kernel is loaded."""

from __future__ import annotations

import os

from triton.backends.compiler import GPUTarget
from triton.backends.cpu.driver import CPUDriver, CPUUtils

from .compiler import TARGET

greetings: list[str] = []  # one for every kernel that was loaded in this process


def device_count() -> int:
    """`HELLO_DEVICES`, which stands for asking the vendor's runtime."""
    text = os.environ.get("HELLO_DEVICES") or "1"
    if not text.isdecimal():
        raise ValueError(f"HELLO_DEVICES={text} is no number of devices")
    return int(text)


class HelloUtils(CPUUtils):
    def load_binary(self, name: str, binary: bytes, shared: int, device: int) -> tuple[int, int, int, int, int | None]:
        greetings.append(f"hello, {name}")
        return super().load_binary(name, binary, shared, device)


class HelloDriver(CPUDriver):
    """Launches go through the CPU's `driver_abi`, which this inherits: no Python runs in a launch."""

    def __init__(self) -> None:
        self.utils = HelloUtils()

    @classmethod
    def is_active(cls) -> bool:
        return super().is_active() and device_count() > 0

    @classmethod
    def inactive_reason(cls) -> str:
        return "HELLO_DEVICES=0 says that this machine has none" if super().is_active() else super().inactive_reason()

    def get_current_target(self) -> GPUTarget:
        return GPUTarget(TARGET, super().get_current_target().arch, 1)
