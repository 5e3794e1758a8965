"""Errors in the source of a kernel."""

from __future__ import annotations

import ast

from ..errors import TritonError


class CompilationError(TritonError):
    """A kernel cannot be compiled. The text shows the source up to the line at fault, with a caret below the column.

    `src` is the source of the function (lines count from its `def`), `node` the part of its syntax tree, and
    `error_message` what is wrong with it. Where a kernel calls a function, the error of the callee is the `__cause__`.
    """

    source_line_count_max_in_message = 12

    def __init__(self, src: str | None, node: ast.AST | None, error_message: str | None = None):
        self.src = src
        self.node = node
        self.error_message = error_message
        self.message = self._format()
        super().__init__(self.message)

    def _format(self) -> str:
        lines = []
        lineno = getattr(self.node, "lineno", None)
        if lineno is not None:
            column = self.node.col_offset
            lines.append(f"at {lineno}:{column}:")
            if self.src is not None:
                shown = self.src.split("\n")[:lineno]
                lines += shown[-self.source_line_count_max_in_message :]
                lines.append(" " * column + "^")
        elif self.src is not None:
            lines.append("in:")
            lines += self.src.split("\n")[: self.source_line_count_max_in_message]
        if self.error_message:
            lines.append(self.error_message)
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self):
        return type(self), (self.src, self.node, self.error_message)


class CompileTimeAssertionFailure(CompilationError):
    """A `tl.static_assert` of the kernel does not hold."""


class UnsupportedLanguageConstruct(CompilationError):
    """The kernel uses a part of Python that cannot be compiled."""
