"""`function_block` finds what `inspect.getblock` finds."""

import ast
import inspect
import json
import re
import textwrap
import tokenize
import typing
from pathlib import Path

import pytest
import triton
from triton.runtime.source_block import function_block

_ROOT = Path(triton.__file__).parent
FILES = sorted(
    [Path(module.__file__) for module in (ast, inspect, json.decoder, re, textwrap, typing)]
    + [path for name in ("language", "runtime", "compiler") for path in (_ROOT / name).glob("*.py")]
)


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def block_of(lines, node):
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
    found, definition = function_block(lines[first:])
    assert ast.unparse(definition) == ast.unparse(node)
    return found, inspect.getblock(lines[first:])


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_functions_of_files(path):
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    for node in functions(ast.parse(text)):
        found, expected = block_of(lines, node)
        assert found == expected


SOURCES = {
    "text without indentation": '''
        @decorator
        def f(x):
            y = """
        dedented
        def g(): pass
        """
            return x
        z = 1
        ''',
    "long signature": """
        def f(
            x,
            y=(
        1,
        2),
        ):
            return x
        f(1)
        """,
    "one line": """
        def f(x): return x
        # comment
        y = 2
        """,
    "continued line": """
        def f(x):
            return x + \\
        1
        y = 2
        """,
    "comments behind": """
        def f(x):
            return x
            # of the body

          # of nobody
        # of the module
        y = 2
        """,
    "end of the file": """
        def f(x):
            return x
            # last
        """,
    "method": """
        class A:
            @decorator(
        1)
            def f(self):
                '''
        text
                '''

            def g(self):
                pass
        """,
    "branches": """
        def f(x):
            if x:
                return 1
            # comment
            else:
                return 2
        @other
        def g():
            pass
        """,
}


@pytest.mark.parametrize("name", SOURCES)
def test_ends_that_are_hard_to_see(name):
    lines = textwrap.dedent(SOURCES[name]).lstrip("\n").splitlines(keepends=True)
    for node in functions(ast.parse("".join(lines))):
        found, expected = block_of(lines, node)
        assert found == expected


def test_what_is_no_function_is_left_to_inspect():
    lines = ["f = lambda x: (x,\n", "  1)\n", "y = 2\n"]
    assert function_block(lines) == (inspect.getblock(lines), None)
    broken = ["def f(x):\n", "    return (x\n"]
    for block in (function_block, inspect.getblock):
        with pytest.raises(tokenize.TokenError):
            block(broken)
