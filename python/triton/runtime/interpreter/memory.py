"""Loads, stores and atomics on addresses of this process. Lanes that are masked off are never touched."""

from __future__ import annotations

import threading

import numpy as np

from . import elements as E
from .floats import decode, encode

# Addresses below are never mapped; a null pointer plus a small offset is one of them.
_FIRST_ADDRESS = 4096
_atomic_lock = threading.Lock()


class MemoryFault(Exception):
    """An access to an address that cannot be right."""


class Unreadable(E.Value):
    """What a load through such an address gives. Only its use is an error: compiled code drops unused loads."""

    __slots__ = ("fault",)

    def __init__(self, element: E.Element, fault: MemoryFault):
        self.element = element
        self.fault = fault

    @property
    def data(self) -> np.ndarray:
        raise self.fault


class ReadOnlyArgument(ValueError):
    """A kernel writes to an array that must not be written."""


class _Described:
    """Lets NumPy make an array over raw memory."""

    __slots__ = ("__array_interface__",)


class Window:
    """The elements at some addresses, readable and writable."""

    def __init__(self, addresses: np.ndarray, storage: np.dtype):
        lowest, highest = int(addresses.min()), int(addresses.max())
        if 0 <= lowest < _FIRST_ADDRESS:
            raise MemoryFault(f"a null pointer (address {lowest:#x})")
        if lowest < 0:
            raise MemoryFault(f"the impossible address {lowest % 2**64:#x}")
        self.lowest, self.end = lowest, highest + storage.itemsize
        self.storage = storage
        offsets = addresses - lowest
        size = storage.itemsize
        self.aligned = size == 1 or not (offsets % size).any()
        described = _Described()
        if self.aligned:
            self.index = offsets // size if size > 1 else offsets
            count, typestr = (highest - lowest) // size + 1, storage.str
        else:
            self.index = offsets[:, None] + np.arange(size)
            count, typestr = self.end - lowest, "|u1"
        described.__array_interface__ = {"data": (lowest, False), "shape": (count,), "typestr": typestr, "version": 3}
        self.array = np.asarray(described)

    def read(self) -> np.ndarray:
        found = self.array[self.index]
        return found if self.aligned else found.view(self.storage)[:, 0]

    def write(self, values: np.ndarray) -> None:
        if not self.aligned:
            values = np.ascontiguousarray(values).view(np.uint8).reshape(self.index.shape)
        self.array[self.index] = values


class Memory:
    """Accesses of one launch. `read_only` lists address ranges of arguments that must not be written."""

    def __init__(self, read_only: list[tuple[int, int, str]]):
        self.read_only = read_only

    def _check_writable(self, window: Window) -> None:
        for start, end, what in self.read_only:
            if window.lowest < end and window.end > start:
                message = f"{what} is a read-only array, but the kernel writes to it; pass a writable copy"
                raise ReadOnlyArgument(message)

    def load(self, element: E.Element, addresses: np.ndarray, mask, other) -> np.ndarray:
        """What lies at `addresses`; `other`, or 0, where `mask` is false."""
        storage = element.storage
        if mask is None:
            return Window(addresses.ravel(), storage).read().reshape(addresses.shape)
        mask = np.broadcast_to(mask, addresses.shape)
        result = np.zeros(addresses.shape, storage)
        if other is not None:
            result[...] = other
        if mask.any():
            result[mask] = Window(addresses[mask], storage).read()
        return result

    def store(self, element: E.Element, addresses: np.ndarray, values: np.ndarray, mask) -> None:
        values = np.broadcast_to(values, addresses.shape)
        if mask is None:
            addresses, values = addresses.ravel(), values.ravel()
        else:
            mask = np.broadcast_to(mask, addresses.shape)
            addresses, values = addresses[mask], values[mask]
        if addresses.size:
            window = Window(addresses, element.storage)
            self._check_writable(window)
            window.write(values)

    def read_modify_write(self, element: E.Element, addresses: np.ndarray, mask, update) -> np.ndarray:
        """Atomics. `update(old, lanes)` gives the new values of those lanes; returns the old ones.

        Lanes with one address take turns in their order.
        """
        shape = addresses.shape
        old = np.zeros(addresses.size, element.storage)
        lanes = np.arange(addresses.size) if mask is None else np.flatnonzero(np.broadcast_to(mask, shape))
        addresses = addresses.ravel()
        with _atomic_lock:
            for turn in _turns(addresses, lanes):
                window = Window(addresses[turn], element.storage)
                self._check_writable(window)
                old[turn] = window.read()
                window.write(update(old[turn], turn))
        return old.reshape(shape)


def _turns(addresses: np.ndarray, lanes: np.ndarray):
    """Groups of lanes of which no two have the same address: first occurrences, second ones, ..."""
    while lanes.size:
        first = np.sort(np.unique(addresses[lanes], return_index=True)[1])
        if first.size == lanes.size:
            yield lanes
            return
        yield lanes[first]
        lanes = np.delete(lanes, first)


def rmw_function(op: str, element: E.Element):
    """New value of an atomic `op` from the old and the given one, both in storage."""
    if op == "fadd":
        return lambda old, new: encode(element, decode(element, old) + decode(element, new))
    unsigned = element.unsigned
    table = {
        "add": np.add,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
        "max": np.maximum,
        "min": np.minimum,
        "exch": lambda old, new: new,
        "umax": lambda old, new: np.maximum(old.view(unsigned), new.view(unsigned)).view(old.dtype),
        "umin": lambda old, new: np.minimum(old.view(unsigned), new.view(unsigned)).view(old.dtype),
    }
    if op not in table:
        raise NotImplementedError(f"the interpreter has no atomic operation {op!r}")
    return table[op]
