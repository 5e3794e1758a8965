"""Streams and events. On the host, work is complete when the call that started it returns, so streams never wait."""

from __future__ import annotations

from typing import Any

import torch

from .._claim import NAME
from ._backing import backing
from .device import index_of


class Stream(torch.Stream):
    """A stream of the device."""

    def __new__(cls, device: Any = None, priority: int = 0, **arguments: Any) -> Stream:
        if "stream_id" in arguments:
            return super().__new__(cls, **arguments)
        return super().__new__(cls, device=torch.device(NAME, index_of(device)), priority=priority)


class Event(torch.Event):
    """An event of the device. Calling this makes a `torch.Event`: torch measures no time between others."""

    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Any:
        return torch.Event(
            torch.device(NAME), enable_timing=enable_timing, blocking=blocking, interprocess=interprocess
        )


def _stream_of(raw: torch.Stream) -> Stream:
    return Stream(stream_id=raw.stream_id, device_index=raw.device_index, device_type=raw.device_type)


def current_stream(device: Any = None) -> Stream:
    return _stream_of(torch.accelerator.current_stream(torch.device(NAME, index_of(device))))


def default_stream(device: Any = None) -> Stream:
    raw = torch.accelerator.current_stream(torch.device(NAME, index_of(device)))
    return Stream(stream_id=0, device_index=raw.device_index, device_type=raw.device_type)


def set_stream(stream: torch.Stream | None) -> None:
    """Makes `stream` the current one; None changes nothing."""
    if stream is not None:
        torch.accelerator.set_stream(stream)


current_raw_stream = backing.current_raw_stream


def synchronize(device: Any = None) -> None:
    """Waits until all work of the device is done."""
    index_of(device)
    backing.synchronize()


class stream:
    """Context in which a stream is the current one; None changes nothing."""

    def __init__(self, stream: torch.Stream | None):
        self._stream = stream

    def __enter__(self) -> None:
        self._previous = current_stream()
        set_stream(self._stream)

    def __exit__(self, *_: Any) -> None:
        set_stream(self._previous)
