"""Tracebacks of compile errors end at the user's line, not in the compiler."""

from __future__ import annotations

import ast
import os
from types import TracebackType

import triton

from .. import knobs
from ..flagtree_spec import overlay_dir

_PACKAGE_FOLDER = os.path.dirname(os.path.abspath(triton.__file__)) + os.sep
# The compiler's files may be the trunk's or those of a backend's overlay.
_COMPILER_FOLDERS = [os.path.join(root, "compiler") for root in (_PACKAGE_FOLDER, overlay_dir()) if root]
# Modules of the runtime whose errors are about what the user passed.
_ARGUMENT_CHECKS = ("binder.py", "kernel_source.py")


def _is_compiler_frame(frame: TracebackType) -> bool:
    filename = frame.tb_frame.f_code.co_filename
    return filename == ast.__file__ or os.path.dirname(filename) in _COMPILER_FOLDERS


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


def hide_launch_frames(error: BaseException) -> None:
    """Called by the launcher for an error of the Python code that it called: where the mistake is the user's, the
    traceback ends at the launch. Frames of the user's own functions (grids, hooks) stay."""
    if knobs.compilation.front_end_debugging:
        return
    from .errors import CompilationError

    frames = []
    traceback = error.__traceback__
    while traceback is not None:
        frames.append(traceback.tb_frame.f_code.co_filename)
        traceback = traceback.tb_next
    if not frames or not all(name.startswith(_PACKAGE_FOLDER) for name in frames):
        return
    if isinstance(error, CompilationError) or os.path.basename(frames[-1]) in _ARGUMENT_CHECKS:
        error.__traceback__ = None


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
