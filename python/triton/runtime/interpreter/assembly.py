"""Inline assembly: the processor runs it, in a kernel that does nothing else.

The kernel is compiled from text, for a block of as many elements, and kept for the next time.
"""

from __future__ import annotations

import functools
import math
import os
import tempfile
from typing import Any

import numpy as np

from .elements import I1, Element, Value, element_of

_OPERAND = """
    %p{i} = tt.splat %arg{i} : !tt.ptr<{type}> -> tensor<{n}x!tt.ptr<{type}>>
    %q{i} = tt.addptr %p{i}, %at : tensor<{n}x!tt.ptr<{type}>>, tensor<{n}xi32>"""
_LOAD = """
    %x{i} = tt.load %q{i} : tensor<{n}x!tt.ptr<{type}>>"""
_STORE = """
    tt.store %q{i}, %{result} : tensor<{n}x!tt.ptr<{type}>>"""
_SPLAT = """
    %s{i} = tt.splat %r#{i} : {type} -> tensor<{n}x{type}>"""


def _quoted(text: str) -> str:
    """A string of the IR: what is not plain ASCII by its code."""
    plain = (chr(c) if 32 <= c < 127 and chr(c) not in '"\\' else f"\\{c:02X}" for c in text.encode())
    return f'"{"".join(plain)}"'


def kernel_text(asm: str, constraints: str, inputs: list[str], outputs: list[str], pack: int, n: int) -> str:
    """TTIR of a kernel ``assembly(*inputs, *outputs)`` over `n` elements of the types in each.

    Without inputs the assembly gives scalars; each is stored to all `n` places of its output.
    """
    types = [*inputs, *outputs]
    arguments = ", ".join(f"%arg{i}: !tt.ptr<{t}>" for i, t in enumerate(types))
    body = "".join(_OPERAND.format(i=i, type=t, n=n) for i, t in enumerate(types))
    body += "".join(_LOAD.format(i=i, type=t, n=n) for i, t in enumerate(inputs))
    attributes = f"constraints = {_quoted(constraints)}, packed_element = {pack} : i32, pure = false"
    operands = ", ".join(f"%x{i}" for i in range(len(inputs)))
    operand_types = ", ".join(f"tensor<{n}x{t}>" for t in inputs)
    result_types = ", ".join(f"tensor<{n}x{t}>" if inputs else t for t in outputs)
    given = f"{operands} : {operand_types} " if inputs else ""
    body += f"""
    %r:{len(outputs)} = tt.elementwise_inline_asm {_quoted(asm)} {{{attributes}}} {given}-> {result_types}"""
    if not inputs:
        body += "".join(_SPLAT.format(i=i, type=t, n=n) for i, t in enumerate(outputs))
    stored = "r#{}" if inputs else "s{}"
    for i, t in enumerate(outputs):
        body += _STORE.format(i=len(inputs) + i, result=stored.format(i), type=t, n=n)
    return f"""module {{
  tt.func public @assembly({arguments}) attributes {{noinline = false}} {{
    %at = tt.make_range {{end = {n} : i32, start = 0 : i32}} : tensor<{n}xi32>{body}
    tt.return
  }}
}}
"""


@functools.lru_cache(maxsize=256)
def _kernel(text: str, target: Any) -> Any:
    from ...compiler.compiler import compile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "assembly.ttir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return compile(path, target=target)


def _host_target() -> Any:
    """NotImplementedError unless kernels are launched on this processor, as the interpreter's arrays are there."""
    from ..driver import driver

    target = driver.active.get_current_target()
    if target.backend != "cpu":
        raise NotImplementedError(
            f"the interpreter runs inline assembly on the CPU only, and the active driver is {target.backend!r}: set "
            "TRITON_DEFAULT_BACKEND=cpu, or unset TRITON_INTERPRET for this kernel"
        )
    return target


def _type_name(element: Element) -> str:
    """How elements are passed: truth values as bytes, pointers as addresses."""
    return "i8" if element is I1 else "i64" if element.kind == "ptr" else element.name


def run(asm: str, constraints: str, args: list[Value], ir_types: list, pack: int) -> list[Value]:
    """One result for each of `ir_types`, in the shape of the arguments, or of the types where there are none."""
    shape = args[0].data.shape if args else getattr(ir_types[0], "shape", ())
    n = math.prod(shape)
    results = [element_of(t) for t in ir_types]
    names = [_type_name(v.element) for v in args], [_type_name(e) for e in results]
    kernel = _kernel(kernel_text(asm, constraints, *names, pack, n), _host_target())
    inputs = [np.ascontiguousarray(v.data).reshape(n) for v in args]
    outputs = [np.zeros(n, "int8" if e is I1 else e.storage) for e in results]
    kernel[(1, 1, 1)](*inputs, *outputs)
    values = [data & 1 != 0 if e is I1 else data for e, data in zip(results, outputs)]
    return [Value(e, data.reshape(shape)) for e, data in zip(results, values)]
