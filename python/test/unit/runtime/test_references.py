"""Which names a function refers to, in order; the oracle is a visitor of the standard library."""

import ast
from pathlib import Path

import pytest
import triton
from triton.runtime.dependencies import references

FILES = sorted(Path(triton.__file__).parent.glob("language/*.py")) + sorted(Path(__file__).parent.glob("*.py"))


class Visitor(ast.NodeVisitor):
    def __init__(self):
        self.found = []

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.found.append([node.id])

    def visit_Attribute(self, node):
        text = ast.unparse(node)
        if all(part.isidentifier() for part in text.split(".")):
            self.found.append(text.split("."))
        else:
            self.generic_visit(node)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_functions_of_files(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            visitor = Visitor()
            for part in (*node.body, *node.args.defaults, *filter(None, node.args.kw_defaults)):
                visitor.visit(part)
            assert references(node) == visitor.found


def test_each_kind_of_reference():
    source = """
@decorator(of.host)
def f(x: annotation, y=default.a, *, z=other):
    local = module.part.value + call(x)[index].attribute.more
    local.field = -x if not flag and x < limit else f"{text}"
    def inner(a=b):
        return lambda q: q.r
"""
    function = ast.parse(source).body[0]
    found = " ".join(".".join(chain) for chain in references(function))
    assert found == "module.part.value call x index local.field flag x limit x text b q.r default.a other"
