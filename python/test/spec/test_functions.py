"""spec, spec_func, has_spec: functions of the overlay's top module, and what is said when something is wrong."""

from __future__ import annotations

import sys

import pytest


def test_spec_func_returns_the_backends_definition(tree):
    tree.overlay("__init__.py", "from ._utils import apply\n")
    tree.overlay("_utils.py", "def apply(x): return x + 1\n")
    assert (
        tree.output("from triton.flagtree_spec import *; print(spec_func('apply')(1), spec_func('nope'))") == "2 None"
    )


def test_spec_extends_the_globals_of_its_caller(tree):
    tree.overlay("__init__.py", "from .language import language_extend_globals\n")
    tree.overlay(
        "language/__init__.py",
        """
        def language_extend_globals(names):
            from triton.language.standard import squeeze
            names["squeeze"] = squeeze
        """,
    )
    tree.specialised_package(
        "language",
        """
        from triton.flagtree_spec import spec
        from . import standard
        spec("language_extend_globals", globals())
        """,
        standard="def squeeze(): return 'squeezed'\n",
    )
    assert tree.output("import triton.language as tl; print(tl.squeeze())") == "squeezed"


def test_p2_an_import_error_in_backend_code_is_not_taken_for_no_backend(tree):
    tree.overlay("__init__.py", "import a_module_that_is_not_there\n")
    error = tree.error("from triton.flagtree_spec import spec; spec('anything')")
    assert "backend 'acme'" in error and "a_module_that_is_not_there" in error
    assert str(tree.overlay_root / "__init__.py") in error


def test_p2_an_overlay_module_that_fails_names_backend_and_file(tree):
    tree.specialised_package("tools", compile="")
    file = tree.overlay("tools/compile.py", "import a_module_that_is_not_there\n")
    error = tree.error("import triton.tools.compile")
    assert "No module named 'a_module_that_is_not_there'" in error
    assert str(file) in error
    if sys.version_info >= (3, 11):
        assert "raised by backend 'acme', which specializes 'triton.tools.compile'" in error


def test_p2_an_exception_of_the_function_keeps_its_type(tree):
    tree.overlay("__init__.py", "def broken(): raise KeyError('inner')\n")
    code = """
        from triton.flagtree_spec import spec
        try:
            spec("broken")
        except KeyError as error:
            print("KeyError", error)
    """
    assert tree.output(code) == "KeyError 'inner'"


def test_p2_a_missing_top_module_is_an_overlay_without_functions(tree):
    tree.overlay("tools/compile.py", "")
    assert tree.output("from triton.flagtree_spec import *; print(spec('f'), has_spec('f'))") == "None False"


@pytest.mark.parametrize("value", ["None", "0", "False", "[]"])
def test_p3_no_such_function_differs_from_an_empty_result(tree, value):
    tree.overlay("__init__.py", f"def answer(): return {value}\n")
    code = """
        from triton.flagtree_spec import has_spec, spec
        print(has_spec("answer"), spec("answer"), has_spec("other"), spec("other"))
    """
    assert tree.output(code) == f"True {value} False None"


def test_p9_a_marker_without_its_overlay_names_both(make_tree):
    tree = make_tree()
    tree.specialised_package("tools")
    error = tree.error("import triton.tools")
    assert "backend 'acme'" in error
    assert str(tree.package / "_flagtree_backend.py") in error
    assert str(tree.overlay_root) in error


@pytest.mark.parametrize("text", ["", "rubbish", "def", "\0"], ids=["empty", "a name", "no Python", "zeros"])
def test_p9_a_damaged_marker_is_named(tree, text):
    marker = tree.trunk("_flagtree_backend.py", text)
    error = tree.error("from triton.flagtree_spec import spec; spec('f')")
    assert "ImportError" in error
    assert f"{marker}, which names the backend" in error and "Install FlagTree again" in error


def test_a_submodule_is_not_a_function(tree):
    tree.overlay("__init__.py", "from .language import f\n")
    tree.overlay("language/__init__.py", "def f(): pass\n")
    assert (
        tree.output("from triton.flagtree_spec import has_spec; print(has_spec('f'), has_spec('language'))")
        == "True False"
    )


def test_something_that_is_not_callable_is_refused(tree):
    tree.overlay("__init__.py", "limit = 3\n")
    error = tree.error("from triton.flagtree_spec import spec; spec('limit')")
    assert "TypeError" in error and "'limit'" in error and "not a function" in error


def test_asking_during_the_import_of_the_top_module_is_refused(tree):
    tree.overlay("__init__.py", "import triton.language\ndef language_extend_globals(names): pass\n")
    tree.trunk("language.py", "from triton.flagtree_spec import spec\nspec('language_extend_globals', globals())\n")
    error = tree.error("from triton.flagtree_spec import spec; spec('language_extend_globals', {})")
    assert "is still being imported" in error


def test_p2_a_top_module_that_needs_the_module_which_asks_is_told_what_to_do(tree):
    """``knobs`` asks while it is imported; the backend's file imports what needs ``knobs``."""
    tree.trunk("knobs.py", "from triton.flagtree_spec import spec\nspec('knobs_extend_globals', {})\ncache = 1\n")
    tree.trunk("runtime.py", "from triton.knobs import cache\n")
    tree.overlay("__init__.py", "import triton.runtime\ndef knobs_extend_globals(names): pass\n")
    error = tree.error("import triton.knobs")
    assert "backend 'acme': its specialization" in error and "partially initialized" in error
    assert "import trunk modules inside of the functions" in error


def test_alias_module_is_the_same_module(tree):
    assert tree.output("import triton._flagtree_spec as a, triton.flagtree_spec as b; print(a is b)") == "True"


def test_importing_it_loads_nothing_else(make_tree):
    tree = make_tree(backend=None)
    code = """
        import os
        before = set(sys.modules)
        import triton.flagtree_spec as s
        s.spec_func("f")
        print(sorted(set(sys.modules) - before))
    """
    assert tree.output(code) == "['triton', 'triton.flagtree_spec']"
