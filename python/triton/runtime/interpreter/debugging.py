"""`breakpoint()` in an interpreted kernel, and tracebacks without the frames of the interpreter."""

from __future__ import annotations

import code
import os
from types import TracebackType
from typing import Any

import triton

from ... import knobs
from ...language._values import base_value, constexpr
from ...language._values import tuple as tl_tuple
from .floats import decode

_PACKAGE_FOLDER = os.path.dirname(os.path.abspath(triton.__file__)) + os.sep


def shown(value: Any) -> Any:
    """A value of the kernel as Python has it: arrays for tensors, plain objects for constants, tuples for tuples."""
    if isinstance(value, constexpr):
        return value.value
    if isinstance(value, tl_tuple):
        return tuple(shown(v) for v in value.values)
    handle = getattr(value, "handle", None)
    if handle is None or not isinstance(value, base_value):
        return value
    if handle.element.kind == "float":
        return decode(handle.element, handle.data)
    return handle.data.view(handle.element.unsigned) if value.dtype.is_int_unsigned() else handle.data


def interact(evaluator: Any) -> None:
    """A Python prompt at the current line of a kernel. The names of the kernel are there, as `shown` gives them."""
    line = evaluator.first_line + evaluator.current_node.lineno
    program = "({}, {}, {})".format(*evaluator.builder.program)
    banner = f"{evaluator.fn.__name__}, {evaluator.file}:{line}, program {program}. End of input goes on."
    code.interact(banner, local={name: shown(value) for name, value in evaluator.lscope.items()}, exitmsg="")


def hide_frames(error: BaseException | None) -> None:
    """Takes the frames of this package out of the traceback of `error` and of its causes; the user's stay."""
    if knobs.compilation.front_end_debugging:
        return
    while error is not None:
        error.__traceback__ = _users_frames(error.__traceback__)
        error = error.__cause__


def _users_frames(traceback: TracebackType | None) -> TracebackType | None:
    if traceback is None:
        return None
    rest = _users_frames(traceback.tb_next)
    if traceback.tb_frame.f_code.co_filename.startswith(_PACKAGE_FOLDER):
        return rest
    traceback.tb_next = rest
    return traceback
