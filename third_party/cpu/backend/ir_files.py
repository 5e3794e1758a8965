"""Kernels in files of LLVM IR: what the launcher has to know stands in attributes of the function.

    define void @add(ptr %0, ptr %1, i64 %2, i64 %3, ptr %4) #0 { ... }
    attributes #0 = { "tt-cpu-arguments"="!tt.ptr<f32>, i32" "tt-cpu-blocking"="0" "tt-cpu-scratch"="64" ... }
"""

from __future__ import annotations

import re
from typing import NamedTuple

_DEFINE = re.compile(r"^define\s+(?!internal|private)[^@\n]*@(?:\"([^\"]+)\"|([\w$.]+))\(([^\n]*?)\)([^\n{]*)\{", re.M)
_GROUP = re.compile(r"#(\d+)")
_ATTRIBUTE = re.compile(r'"(tt-cpu-[a-z]+)"="([^"]*)"')
_INTERFACE = ["ptr", "ptr", "i64", "i64", "ptr"]


class KernelDescription(NamedTuple):
    name: str
    arguments: list[str]  # types as in TTIR
    scratch: int  # bytes per running program
    blocking: bool


def _attributes(text: str, after_parameters: str) -> dict[str, str]:
    """The attributes of a function, those in its groups included."""
    found = dict(_ATTRIBUTE.findall(after_parameters))
    for number in _GROUP.findall(after_parameters):
        group = re.search(rf"^attributes #{number} = \{{(.*)\}}", text, re.MULTILINE)
        found.update(_ATTRIBUTE.findall(group.group(1)) if group else ())
    return found


def describe(text: str) -> KernelDescription:
    """The one kernel in a module of LLVM IR, as text. ValueError says what is missing."""
    kernels = []
    for match in _DEFINE.finditer(text):
        attributes = _attributes(text, match[4])
        if "tt-cpu-arguments" in attributes:
            kernels.append((match[1] or match[2], match[3], attributes))
    if len(kernels) != 1:
        raise ValueError(
            f"expected one kernel in this LLVM IR, found {len(kernels)}: a function `void (ptr args, ptr grid, i64 lo, "
            'i64 hi, ptr scratch)` with the attributes "tt-cpu-arguments" (its types in TTIR, such as '
            '"!tt.ptr<f32>, i32"), "tt-cpu-scratch" (bytes) and "tt-cpu-blocking" (0 or 1)'
        )
    name, parameters, attributes = kernels[0]
    types = [parameter.split()[0] for parameter in parameters.split(",") if parameter.strip()]
    if types != _INTERFACE:
        raise ValueError(f"@{name} has parameters ({', '.join(types)}), but a kernel has ({', '.join(_INTERFACE)})")
    try:
        scratch = int(attributes.get("tt-cpu-scratch", "0"))
    except ValueError:
        raise ValueError(f'@{name}: "tt-cpu-scratch" is no number: {attributes["tt-cpu-scratch"]!r}') from None
    arguments = [a.strip() for a in re.split(r",(?![^<]*>)", attributes["tt-cpu-arguments"]) if a.strip()]
    return KernelDescription(name, arguments, scratch, attributes.get("tt-cpu-blocking", "1") != "0")
