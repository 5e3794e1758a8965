"""``triton.tools.disasm`` for this device, which has no tool of its own: sections instead of instructions.

Whoever imports the module gets this file. What it does not change comes from the file that it replaces.
"""

from __future__ import annotations

import struct

from triton.flagtree_spec import replaced

_trunk = replaced("triton.tools.disasm")
extract = _trunk.extract
get_sass = _trunk.get_sass


def disassemble_object(binary: bytes) -> str:
    """One line, ``N sections``, for an ELF object of 64 bits. ValueError when it is none."""
    if binary[:5] != b"\x7fELF\x02":
        raise ValueError("the binary is no ELF object of 64 bits")
    (count,) = struct.unpack_from("<H", binary, 60)
    return f"{count} sections"
