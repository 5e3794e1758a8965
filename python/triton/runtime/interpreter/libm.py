"""Scalar functions of C libraries, applied element by element."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools

import numpy as np

from . import elements as E

_C_TYPES = {
    E.I8: ctypes.c_int8,
    E.I16: ctypes.c_int16,
    E.I32: ctypes.c_int32,
    E.I64: ctypes.c_int64,
    E.F32: ctypes.c_float,
    E.F64: ctypes.c_double,
}


@functools.cache
def _library(path: str) -> ctypes.CDLL:
    return ctypes.CDLL(path or ctypes.util.find_library("m") or None)


@functools.cache
def _function(path: str, symbol: str, arguments: tuple, result: E.Element):
    library = _library(path)
    try:
        function = library[symbol]
    except AttributeError:
        raise NotImplementedError(
            f"the interpreter finds no function {symbol!r} in {path or 'the C library of mathematics'}"
        ) from None
    for element in (*arguments, result):
        if element not in _C_TYPES:
            raise NotImplementedError(f"the interpreter cannot call {symbol!r} with elements of type {element}")
    function.argtypes = [_C_TYPES[a] for a in arguments]
    function.restype = _C_TYPES[result]
    return function


def call(path: str, symbol: str, args: list[E.Value], result: E.Element) -> np.ndarray:
    """`symbol` of the library at `path` (empty: that of C's mathematics) for each group of elements."""
    function = _function(path, symbol, tuple(a.element for a in args), result)
    arrays = np.broadcast_arrays(*(a.data for a in args))
    values = [function(*items) for items in zip(*(a.ravel().tolist() for a in arrays))]
    return np.array(values, result.storage).reshape(arrays[0].shape)


def apply_double(symbol: str, *arrays: np.ndarray) -> np.ndarray:
    """A function of doubles from C's mathematics, on arrays of float64."""
    return call("", symbol, [E.Value(E.F64, a) for a in arrays], E.F64)
