"""replaced: an overlay file that changes little takes the rest from the trunk's file whose place it has."""

from __future__ import annotations

TRUNK = "from . import helper\nLIMIT = 1\nclass Base: pass\ndef f(): return LIMIT, helper.WHO\n"
OVERLAY = """
    from triton.flagtree_spec import replaced
    _trunk = replaced("triton.tools.compile")
    class Derived(_trunk.Base): pass
    def __getattr__(name): return getattr(_trunk, name)
"""


def test_the_trunks_module_is_there_once_and_sees_the_overlays_siblings(tree):
    tree.specialised_package("tools", compile=TRUNK, helper="WHO = 'trunk'")
    tree.overlay("tools/compile.py", OVERLAY)
    tree.overlay("tools/helper.py", "WHO = 'acme'")
    code = """
        import pickle
        import triton.tools.compile as c, triton.tools._trunk_compile as t
        from triton.flagtree_spec import replaced
        import triton.backends.acme.spec.triton.tools.compile as second
        print(c._trunk is t is replaced("triton.tools.compile"), c is second, c.f(), issubclass(c.Derived, t.Base))
        print(pickle.loads(pickle.dumps(c.Base)) is t.Base, t.__file__.endswith("triton/tools/compile.py"))
        print("spec" in t.__file__, "spec" in c.__file__)
    """
    assert tree.output(code).splitlines() == ["True True (1, 'acme') True", "True True", "False True"]


def test_it_works_in_nested_packages(tree):
    tree.specialised_package("tools")
    tree.trunk("tools/inner/__init__.py", "")
    tree.trunk("tools/inner/a.py", "X = 1")
    tree.overlay("tools/inner/a.py", "from triton.flagtree_spec import replaced\nX = replaced(__name__).X + 1\n")
    assert tree.output("import triton.tools.inner.a as a; print(a.X)") == "2"


def test_what_is_not_replaced_is_an_error(tree):
    tree.specialised_package("tools", compile="", link="")
    tree.overlay("tools/compile.py", "")
    tree.overlay("tools/own.py", "")
    for name in ("link", "own", "nothing"):
        error = tree.error(f"from triton.flagtree_spec import replaced; replaced('triton.tools.{name}')")
        assert "ImportError" in error and f"backend 'acme': replaced('triton.tools.{name}')" in error


def test_an_error_in_the_trunks_file_is_its_own(tree):
    tree.specialised_package("tools", compile="import no_such_module")
    tree.overlay("tools/compile.py", "from triton.flagtree_spec import replaced\nreplaced(__name__)\n")
    assert "ModuleNotFoundError: No module named 'no_such_module'" in tree.error("import triton.tools.compile")


def test_without_a_specialization_there_is_nothing_replaced(make_tree):
    tree = make_tree(backend=None)
    error = tree.error("from triton.flagtree_spec import replaced; replaced('triton.tools.compile')")
    assert "no specialization is active" in error
