"""Tracebacks of compile errors end at the user's line, not in the compiler."""

from __future__ import annotations

import ast
import os
from types import TracebackType

from .. import knobs

_COMPILER_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _is_compiler_frame(frame: TracebackType) -> bool:
    filename = frame.tb_frame.f_code.co_filename
    return filename == ast.__file__ or os.path.dirname(filename) == _COMPILER_FOLDER


def hide_compiler_frames(error: Exception) -> Exception:
    """`error`, and its causes, without frames of the compiler. `TRITON_FRONT_END_DEBUGGING=1` keeps them."""
    if knobs.compilation.front_end_debugging:
        return error
    from .errors import CompilationError

    if not isinstance(error, CompilationError):
        return error  # an error of the compiler itself: its frames are the information
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        current.__traceback__ = _filtered(current.__traceback__)
        current = current.__cause__
    return error


def _filtered(traceback: TracebackType | None) -> TracebackType | None:
    kept = []
    while traceback is not None:
        if not _is_compiler_frame(traceback):
            kept.append(traceback)
        traceback = traceback.tb_next
    result = None
    for frame in reversed(kept):
        frame.tb_next = result
        result = frame
    return result
