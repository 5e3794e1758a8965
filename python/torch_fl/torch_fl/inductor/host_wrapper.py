"""The Python code around kernels of the host: as Inductor writes it, less what costs time and does nothing there.

A small kernel takes a few microseconds, and so does a line of Python whose code is not in the processor's caches.
"""

from __future__ import annotations

from typing import Any

from .._claim import NAME

_EMPTY = "empty_strided_flagos"


def allocation(line: str, name: str, dtype: Any) -> str:
    """Inductor's line that allocates `name` by ``torch.empty_strided``, by our own function. Others stay as they are.

    >>> allocation("b = empty_strided((2, ), (1, ), device='flagos', dtype=torch.int8)", "b", "torch.int8")
    'b = empty_strided_flagos((2, ), (1, ), torch.int8)'
    """
    begin, end = f"{name} = empty_strided(", f", device='{NAME}', dtype={dtype})"
    if not line.startswith(begin) or end not in line:
        return line
    return f"{name} = {_EMPTY}(" + line.removeprefix(begin).replace(end, f", {dtype})", 1)


def make_host_wrapper() -> type:
    """The class, a subclass of Inductor's, which takes long to import."""
    from torch._inductor import config
    from torch._inductor.codegen.wrapper import PythonWrapperCodegen

    class HostWrapperCodegen(PythonWrapperCodegen):
        """Parts of graphs that are functions of their own keep Inductor's lines."""

        @staticmethod
        def create(is_subgraph: bool, *arguments: Any, **named: Any) -> PythonWrapperCodegen:
            if is_subgraph:
                return PythonWrapperCodegen.create(is_subgraph, *arguments, **named)
            return HostWrapperCodegen()

        def __init__(self) -> None:
            self._written_guards: list[bool] = []
            super().__init__()

        def write_header(self) -> None:
            super().write_header()
            self.imports.writeline(f"from torch_fl._C import empty_strided as {_EMPTY}")

        def make_allocation(self, name: str, device: Any, dtype: Any, *shapes: Any, **named: Any) -> str:
            return allocation(super().make_allocation(name, device, dtype, *shapes, **named), name, dtype)

        def codegen_device_guard_enter(self, device_idx: int, num_streams: int = 1, *streams: Any) -> None:
            """There is no other device to come from."""
            written = num_streams > 1 or config.triton.autotune_at_compile_time
            self._written_guards.append(written)
            if not written:
                self.last_seen_device_guard_index = device_idx
            elif streams:
                super().codegen_device_guard_enter(device_idx, num_streams, *streams)
            else:  # torch 2.11 has no other arguments
                super().codegen_device_guard_enter(device_idx)

        def codegen_device_guard_exit(self) -> None:
            if self._written_guards.pop():
                super().codegen_device_guard_exit()

    return HostWrapperCodegen
