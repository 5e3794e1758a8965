"""Matrix products: `tt.dot` and `tt.dot_scaled`."""

from __future__ import annotations

import numpy as np

from . import elements as E
from .floats import decode, encode

_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def dot(a: E.Value, b: E.Value, acc: E.Value) -> E.Value:
    """`a @ b + acc`. Floats are summed in float64 and rounded once; integers wrap in the type of `acc`.

    The precision that was asked for float32 operands is a permission to compute with less; it is not used.
    """
    element = acc.element
    if element.kind == "int":
        # Products and sums of int8 are exact in float64.
        product = np.matmul(a.data.astype(np.float64), b.data.astype(np.float64)).astype(np.int64)
        return E.Value(element, (product + acc.data).astype(element.storage))
    x, y, z = (decode(v.element, v.data).astype(np.float64) for v in (a, b, acc))
    return E.Value(element, _rounded(element, np.matmul(x, y) + z))


def _rounded(element: E.Element, values: np.ndarray) -> np.ndarray:
    return encode(element, values if element is E.F64 else values.astype(np.float32))


def _unpacked(x: E.Value, axis: int) -> np.ndarray:
    """Two 4-bit floats a byte, the low half first along `axis`."""
    codes = x.data.view(np.uint8)
    pairs = np.stack([codes & 15, codes >> 4], axis=-1)
    pairs = np.moveaxis(pairs, -1, axis % codes.ndim + 1)
    shape = list(codes.shape)
    shape[axis] *= 2
    return _E2M1[pairs.reshape(shape)]


def _operand(x: E.Value, fmt: str, pack_axis: int) -> np.ndarray:
    return _unpacked(x, pack_axis) if fmt == "e2m1" else decode(x.element, x.data).astype(np.float64)


def _scales(scale: E.Value) -> np.ndarray:
    """Powers of two from biased exponents, one for 32 elements along the last dimension; 255 is NaN."""
    codes = scale.data.view(np.uint8).astype(np.int32)
    values = np.where(codes == 255, np.nan, np.ldexp(1.0, codes - 127))
    return np.repeat(values, 32, axis=-1)


def dot_scaled(
    a: E.Value, a_scale, a_format: str, b: E.Value, b_scale, b_format: str, acc: E.Value, a_k_pack: bool, b_k_pack: bool
) -> E.Value:
    """The product of operands whose groups of 32 along K share a scale, plus `acc`."""
    x = _operand(a, a_format, -1 if a_k_pack else -2)
    y = _operand(b, b_format, -2 if b_k_pack else -1)
    if a_scale is not None:
        x = x * _scales(a_scale)
    if b_scale is not None:
        y = y * np.swapaxes(_scales(b_scale), -1, -2)
    total = np.matmul(x, y) + decode(acc.element, acc.data).astype(np.float64)
    return E.Value(acc.element, _rounded(acc.element, total))
