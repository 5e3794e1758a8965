"""docs/specialization.md: every test that it names exists, every hook point is in it, and its examples work."""

from __future__ import annotations

import ast
import re

import pytest
from triton.cli._hooks import find_hook_points

from .linked import ROOT

TEXT = (ROOT / "docs" / "specialization.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`([\w/]+\.py)::(test_\w+)`", TEXT)


def test_every_rule_has_a_row_and_every_row_a_test():
    rows = [line for line in TEXT.splitlines() if line.startswith("| P")]
    assert [row.split()[1] for row in rows] == [f"P{n}" for n in range(1, 14)]
    for line in TEXT.partition("## Rules")[2].splitlines():
        if line.startswith("| ") and not line.startswith(("| rule", "| what")):
            assert "::test_" in line, f"a rule without a test: {line}"


@pytest.mark.parametrize("file", sorted({file for file, _ in NAMED}))
def test_the_tests_that_it_names_exist(file):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert [name for other, name in NAMED if other == file and name not in defined] == []


def test_every_hook_point_is_explained():
    points = find_hook_points(ROOT / "python" / "triton")
    explained = re.findall(r"^\| `(\w+)` \| `([\w/.]+)`", TEXT, re.MULTILINE)
    found = {
        (name, place.file.relative_to(ROOT / "python" / "triton").as_posix())
        for name, places in points.functions.items()
        for place in places
    }
    assert found == {(name, file.removeprefix("triton/")) for name, file in explained}
    for package in points.packages:
        assert f"`{package}`" in TEXT, package


def test_the_original_documents_examples_work(tree):
    """A whole file, a call that extends the globals of a package, a definition: word for word the three forms."""
    tree.specialised_package("tools", compile="WHO = 'trunk'", mxfp="WHO = 'trunk'")
    for name in ("compile", "link", "ragged_tma"):
        tree.overlay(f"tools/{name}.py", "WHO = 'overlay'")
    tree.trunk("language/standard.py", "def squeeze(): return 's'\ndef unsqueeze(): return 'u'\n")
    tree.trunk(
        "language/__init__.py",
        "from triton.flagtree_spec import spec\nfrom . import standard\n"
        'spec("language_extend_globals", globals())\n__all__ = ["standard"]\n',
    )
    tree.trunk(
        "_utils.py", 'from triton.flagtree_spec import spec_func\napply_with_path = spec_func("apply_with_path")\n'
    )
    tree.overlay("__init__.py", "from .language import language_extend_globals\nfrom ._utils import apply_with_path\n")
    tree.overlay(
        "language/__init__.py",
        """
        def language_extend_globals(globals_dict):
            from triton.language.standard import squeeze, unsqueeze
            globals_dict["squeeze"] = squeeze
            globals_dict["unsqueeze"] = unsqueeze
        """,
    )
    tree.overlay("_utils.py", "def apply_with_path(value, fn): return fn((), value)\n")
    code = """
        import triton.language as tl
        from triton._utils import apply_with_path
        from triton.tools import compile, link, mxfp, ragged_tma
        print(tl.squeeze(), tl.unsqueeze(), apply_with_path(3, lambda path, leaf: (path, leaf)))
        print(compile.WHO, link.WHO, ragged_tma.WHO, mxfp.WHO)
    """
    assert tree.output(code).splitlines() == ["s u ((), 3)", "overlay overlay overlay trunk"]


def test_without_a_backend_the_same_trunk_code_does_nothing(make_tree):
    tree = make_tree(backend=None)
    tree.specialised_package("tools", compile="WHO = 'trunk'")
    code = """
        from triton.flagtree_spec import spec, spec_func
        from triton.tools import compile
        print(compile.WHO, spec("language_extend_globals", globals()), spec_func("apply_with_path"))
    """
    assert tree.output(code) == "trunk None None"
