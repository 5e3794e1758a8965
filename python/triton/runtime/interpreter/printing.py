"""What `tl.device_print` writes: a line per element, in the format of compiled code."""

from __future__ import annotations

import sys

import numpy as np

from . import elements as E
from .floats import decode


def _texts(value: E.Value, as_hex: bool, signed: bool) -> list[str]:
    element, data = value.element, np.asarray(value.data)
    if as_hex or element.kind == "ptr":
        digits = max(1, element.bits // 4)
        bits = data.astype(np.uint8) if element is E.I1 else data.view(element.unsigned)
        return [f"0x{n:0{digits}x}" for n in bits.ravel().tolist()]
    if element.kind == "float":
        return [f"{x:f}" for x in decode(element, data).ravel().tolist()]
    if element is E.I1:
        data = data.astype(np.uint8)
    elif not signed:
        data = data.view(element.unsigned)
    return [str(n) for n in data.ravel().tolist()]


def print_values(program: tuple[int, int, int], prefix: str, as_hex: bool, values: list, signed: list) -> None:
    """Writes to standard output: `pid (x, y, z) idx (i, j) prefix: value`."""
    where = "pid ({}, {}, {})".format(*program)
    label = prefix.strip().rstrip(":")  # the front end writes " name: "
    if not values:
        sys.stdout.write(f"{where} {label}\n")
    for value, is_signed in zip(values, signed):
        shape = np.shape(value.data)
        lines = []
        for index, text in zip(np.ndindex(shape), _texts(value, as_hex, bool(is_signed))):
            position = f" idx ({', '.join(map(str, index))})" if shape else ""
            lines.append(f"{where}{position} {label}: {text}\n")
        sys.stdout.write("".join(lines))
    sys.stdout.flush()
