"""Where the text of a function ends.

`inspect.getblock` answers that with a tokenizer in Python, whose patterns alone take longer to compile than a kernel to
load from the cache. A function ends before the first line that is not indented deeper than its `def` and at which the
text so far is complete; whether it is, the parser knows.
"""

from __future__ import annotations

import ast
import inspect

_DEFINITION = ("def ", "def\t", "async ")
_NO_STATEMENT = (")", "]", "}", "#")


def function_block(lines: list[str]) -> tuple[list[str], ast.stmt | None]:
    """The lines of the function that begins, with its decorators, at the first of `lines`, and its syntax tree.

    The lines of the tree count from somewhere else. It is None for what is no function; then `inspect` decides.
    """
    base = _indent(lines[0])
    begun = False
    for index, line in enumerate(lines):
        text = line.strip()
        if begun and text and _indent(line) <= base and not text.startswith(_NO_STATEMENT):
            found = _parsed(lines[:index], base)
            if found:
                return _without_tail(lines[:index], found), found
        begun = begun or text.startswith(_DEFINITION)
    found = _parsed(lines, base)
    return (_without_tail(lines, found), found) if found else (inspect.getblock(lines), None)


def _indent(line: str) -> int:
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())


def _parsed(lines: list[str], base: int) -> ast.stmt | None:
    """The function whose text is `lines`; None if they are not one whole function."""
    text = "".join(lines)
    try:
        body = ast.parse(f"if 1:\n{text}" if base else text).body
    except SyntaxError:
        return None
    statements = body[0].body if base and isinstance(body[0], ast.If) else body
    only = statements[0] if len(statements) == 1 else None
    return only if isinstance(only, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _without_tail(lines: list[str], function: ast.stmt) -> list[str]:
    """`lines` up to the last of the function or of the comments that are indented like its body."""
    first, single = function.body[0], function.body[0].lineno == function.lineno
    end = len(lines)
    while end > 1:
        line = lines[end - 1]
        text = line.lstrip()
        is_comment = text.startswith("#")
        if text and not (is_comment and (single or len(line) - len(text) < first.col_offset)):
            break
        end -= 1
    return lines[:end]
