"""A stand-in for `triton.language` that runs the body of a kernel on NumPy, one program after the other.

It knows what :mod:`program_generator` emits and no more: int32 blocks, booleans, pointers into one-dimensional buffers
of integers that widen to int32. It shares no code with the compiler, which makes it an oracle.
"""

from types import SimpleNamespace

import numpy as np


class Pointer:
    """A buffer and an offset (a number or an array of them)."""

    def __init__(self, buffer: np.ndarray, offset=0):
        self.buffer, self.offset = buffer, offset

    def __add__(self, more):
        return Pointer(self.buffer, self.offset + more)


def block(values) -> np.ndarray:
    return np.asarray(values, np.int32)


def load(pointer, mask=True, other=0):
    offset, mask, other = np.broadcast_arrays(pointer.offset, mask, other)
    values = np.where(mask, pointer.buffer[np.where(mask, offset, 0)], other.astype(pointer.buffer.dtype))
    return block(values)[()]


def store(pointer, value, mask=True):
    offset, value, mask = np.broadcast_arrays(pointer.offset, value, mask)
    pointer.buffer[offset[mask]] = value[mask].astype(pointer.buffer.dtype)


def cumsum(x, axis, reverse=False):
    flipped = np.flip(x, axis) if reverse else x
    sums = np.cumsum(flipped, axis, dtype=np.int32)
    return np.flip(sums, axis) if reverse else sums


def reduce_with(ufunc):
    def run(x, axis):
        return ufunc.reduce(block(x), axis=axis, dtype=np.int32)

    return run


def language(program: int, programs: int) -> SimpleNamespace:
    """The names a kernel body uses, for program `program` of `programs`."""
    return SimpleNamespace(
        program_id=lambda axis: np.int32(program),
        num_programs=lambda axis: np.int32(programs),
        arange=lambda start, end: np.arange(start, end, dtype=np.int32),
        load=load,
        store=store,
        where=lambda condition, x, y: block(np.where(condition, x, y)),
        minimum=lambda x, y: block(np.minimum(x, y)),
        maximum=lambda x, y: block(np.maximum(x, y)),
        sum=reduce_with(np.add),
        max=reduce_with(np.maximum),
        min=reduce_with(np.minimum),
        xor_sum=reduce_with(np.bitwise_xor),
        argmax=lambda x, axis: block(np.argmax(x, axis)),
        cumsum=cumsum,
        trans=lambda x: x.T,
        reshape=lambda x, shape: np.reshape(x, shape),
        broadcast_to=lambda x, shape: np.broadcast_to(x, shape),
        flip=lambda x, axis: np.flip(x, axis),
        gather=lambda x, index, axis: np.take_along_axis(x, index, axis),
        dot=lambda x, y: np.matmul(x.astype(np.int8).astype(np.int32), y.astype(np.int8).astype(np.int32)),
        atomic_add=atomic_add,
    )


def atomic_add(pointer, value, mask=True):
    offset, value, mask = np.broadcast_arrays(pointer.offset, value, mask)
    old = block(pointer.buffer[np.where(mask, offset, 0)])
    np.add.at(pointer.buffer, offset[mask], value[mask])
    return old
