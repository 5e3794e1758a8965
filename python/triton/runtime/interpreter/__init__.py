"""Runs kernels in Python on NumPy instead of compiling them: what `TRITON_INTERPRET=1` selects.

The rules of the language are those of the compiler: its code generator walks the kernel and its semantic checks and
converts operands. Here the builder below them computes values instead of emitting operations, and control flow runs.
Only `InterpretedFunction` is imported with the package; the rest comes with the first launch.
"""

from __future__ import annotations

from .function import InterpretedFunction

__all__ = ["InterpretedFunction"]
