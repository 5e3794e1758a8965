"""spec_path: which file a trunk name resolves to."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "folder", ["triton-work", "triton_v3.6.x", "w/triton", "tritonenv/lib", "plain", "triton/triton"]
)
def test_p1_location_of_the_checkout_does_not_matter(make_tree, folder):
    tree = make_tree(folder)
    tree.specialised_package("tools", compile="WHO = 'trunk'", other="WHO = 'trunk'")
    tree.overlay("tools/compile.py", "WHO = 'acme'")
    code = "import triton.tools.compile as c, triton.tools.other as o; print(c.WHO, o.WHO, c.__file__)"
    who_compile, who_other, file = tree.output(code).split()
    assert (who_compile, who_other) == ("acme", "trunk")
    assert file == str(tree.overlay_root / "tools" / "compile.py")


def test_relative_imports_of_the_trunk_see_the_overlay(tree):
    tree.specialised_package("tools", "from .compile import WHO\n", compile="WHO = 'trunk'")
    tree.overlay("tools/compile.py", "WHO = 'acme'")
    assert tree.output("import triton.tools; print(triton.tools.WHO)") == "acme"


def test_backend_without_that_folder_is_left_alone(tree):
    tree.specialised_package("runtime", jit="WHO = 'trunk'")
    tree.overlay("tools/compile.py", "")
    assert (
        tree.output("import triton.runtime as r, triton.runtime.jit as j; print(j.WHO, len(r.__path__))") == "trunk 1"
    )


def test_no_backend_selected_means_the_plain_trunk(make_tree):
    tree = make_tree(backend=None)
    tree.specialised_package("tools", compile="WHO = 'trunk'")
    code = """
        from triton.flagtree_spec import has_spec, overlay_files, selected_backend, spec, spec_func
        import triton.tools.compile as c
        print(c.WHO, selected_backend(), spec("f"), spec_func("f"), has_spec("f"), overlay_files())
    """
    assert tree.output(code) == "trunk None None None False []"


def test_backend_that_declares_no_overlay_is_quiet(make_tree):
    tree = make_tree(overlay=False)
    tree.specialised_package("tools", compile="WHO = 'trunk'")
    code = """
        import triton.tools.compile as c
        from triton.flagtree_spec import selected_backend, spec_func
        print(c.WHO, selected_backend(), spec_func("f"))
    """
    assert tree.output(code) == "trunk acme None"


@pytest.mark.parametrize("with_init", [False, True])
@pytest.mark.parametrize("depth", ["inner", "inner/deeper"])
def test_p4_overlay_works_at_any_depth_and_siblings_stay_visible(tree, with_init, depth):
    tree.specialised_package("tools")
    name = depth.replace("/", ".")
    for folder in ("inner", "inner/deeper"):
        tree.trunk(f"tools/{folder}/__init__.py", "INIT = 'trunk'")
        tree.trunk(f"tools/{folder}/a.py", "WHO = 'trunk'")
        tree.trunk(f"tools/{folder}/b.py", "WHO = 'trunk'")
    tree.overlay(f"tools/{depth}/a.py", "WHO = 'acme'")
    if with_init:
        tree.overlay(f"tools/{depth}/__init__.py", "INIT = 'acme'")
    code = f"""
        import importlib
        package = importlib.import_module("triton.tools.{name}")
        a = importlib.import_module("triton.tools.{name}.a")
        b = importlib.import_module("triton.tools.{name}.b")
        print(package.INIT, a.WHO, b.WHO)
    """
    assert tree.output(code) == ("acme acme trunk" if with_init else "trunk acme trunk")


def test_p4_overlay_may_add_a_folder_that_the_trunk_lacks(tree):
    tree.specialised_package("tools")
    tree.overlay("tools/extra/only_here.py", "WHO = 'acme'")
    assert tree.output("from triton.tools.extra import only_here as m; print(m.WHO)") == "acme"


def test_p4_an_overlay_package_may_replace_a_trunk_module(tree):
    tree.specialised_package("tools", inner="WHO = 'trunk'")
    tree.overlay("tools/inner/__init__.py", "from .part import WHO")
    tree.overlay("tools/inner/part.py", "WHO = 'acme'")
    code = """
        import triton.tools.inner as first, triton.tools.inner.part as part
        import triton.backends.acme.spec.triton.tools.inner.part as second
        print(first.WHO, part is second)
    """
    assert tree.output(code) == "acme True"


def test_p4_a_folder_beside_a_trunk_module_does_not_hide_it(tree):
    tree.specialised_package("tools", inner="WHO = 'trunk'")
    tree.overlay("tools/inner/part.py", "")
    assert tree.output("import triton.tools.inner as m; print(m.WHO)") == "trunk"


def test_p5_one_overlay_file_is_one_module(tree):
    tree.specialised_package("tools", compile="")
    tree.overlay("__init__.py", "from .tools.compile import Thing as make_thing\n")
    tree.overlay("tools/compile.py", "class Thing: pass\n")
    code = """
        from triton.flagtree_spec import spec
        thing = spec("make_thing")
        import triton.tools.compile as first
        import triton.backends.acme.spec.triton.tools.compile as second
        print(first is second, isinstance(thing, first.Thing), first.__name__, first.__spec__.name)
    """
    assert tree.output(code) == "True True triton.tools.compile triton.tools.compile"


def test_p5_holds_in_nested_packages_too(tree):
    tree.specialised_package("tools")
    tree.trunk("tools/inner/__init__.py", "")
    tree.overlay("tools/inner/__init__.py", "")
    tree.overlay("tools/inner/a.py", "")
    code = """
        import triton.backends.acme.spec.triton.tools.inner.a as second
        import triton.tools.inner.a as first
        print(first is second)
    """
    assert tree.output(code) == "True"


@pytest.mark.parametrize(
    "name", ["triton.tools.compile", "triton.tools", "triton.backends.acme.spec.triton.tools.compile"]
)
def test_p5_holds_whichever_name_comes_first_and_for_relative_imports(tree, name):
    tree.specialised_package("tools", compile="")
    tree.overlay("tools/compile.py", "from . import helper\nfrom .helper import Shared\n")
    tree.overlay("tools/helper.py", "class Shared: pass\n")
    code = f"""
        import importlib
        importlib.import_module({name!r})
        import triton.tools.compile as first, triton.tools.helper as helper
        import triton.backends.acme.spec.triton.tools.compile as second
        import triton.backends.acme.spec.triton.tools.helper as second_helper
        print(first is second, helper is second_helper is first.helper, first.Shared is helper.Shared)
        print(len({{id(m) for n, m in sys.modules.items() if n.endswith("tools.helper")}}))
    """
    assert tree.output(code).splitlines() == ["True True True", "1"]


def test_p5_many_threads_get_one_module(tree):
    tree.specialised_package("tools")
    tree.overlay("tools/compile.py", "import time\ntime.sleep(0.05)\nclass Thing: pass\n")
    code = """
        import importlib, threading, triton
        names = ["triton.tools.compile", "triton.backends.acme.spec.triton.tools.compile"] * 4
        found = []
        threads = [threading.Thread(target=lambda n: found.append(importlib.import_module(n).Thing), args=[n])
                   for n in names]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(len(found), len(set(found)))
    """
    assert tree.output(code) == "8 1"


def test_p5_source_and_reload_work(tree):
    tree.specialised_package("tools")
    file = tree.overlay("tools/compile.py", "VALUE = 1\ndef f(): return 'body'\n")
    code = f"""
        import importlib, inspect, pkgutil
        import triton.tools, triton.tools.compile as module
        print("body" in inspect.getsource(module.f), [m.name for m in pkgutil.iter_modules(triton.tools.__path__)])
        open({str(file)!r}, "w").write("VALUE = 22222\\n")
        importlib.invalidate_caches()
        print(importlib.reload(module) is module, module.VALUE)
    """
    assert tree.output(code).splitlines() == ["True ['compile']", "True 22222"]


def test_p11_a_copy_of_a_trunk_file_finds_the_packages_own_files(tree):
    """Its ``__file__`` lies five folders deeper than the trunk's, so paths come from ``triton``."""
    tree.trunk("_C/library.txt", "trunk's library")
    text = """
        import os, triton
        def library():
            return open(os.path.join(os.path.dirname(os.path.abspath(triton.__file__)), "_C", "library.txt")).read()
    """
    tree.specialised_package("runtime")
    tree.trunk("runtime/build.py", text)
    tree.overlay("runtime/build.py", text + "\n")
    code = "import triton.runtime.build as b; print(b.library(), 'spec' in b.__file__)"
    assert tree.output(code) == "trunk's library True"


def test_p7_a_call_after_the_first_import_is_refused(tree):
    tree.trunk(
        "tools/__init__.py",
        """
        from . import compile
        from triton.flagtree_spec import spec_path
        spec_path(__path__)
        """,
    )
    tree.trunk("tools/compile.py", "")
    tree.overlay("tools/compile.py", "")
    error = tree.error("import triton.tools")
    assert "spec_path() of 'triton.tools' comes too late" in error
    assert "'triton.tools.compile'" in error and "'acme'" in error


def test_calling_twice_is_harmless(tree):
    tree.specialised_package("tools", "spec_path(__path__)\n", compile="")
    tree.overlay("tools/compile.py", "")
    assert tree.output("import triton.tools; print(len(triton.tools.__path__))") == "2"


def test_the_parent_package_itself_is_refused(tree):
    tree.trunk("__init__.py", "from triton.flagtree_spec import spec_path\nspec_path(__path__)\n")
    error = tree.error("import triton")
    assert "ValueError" in error and "not 'triton' itself" in error


def test_overlay_files_lists_folders_without_init(tree):
    tree.overlay("tools/deep/a.py", "")
    tree.overlay("b.py", "").with_name(".#b.py").symlink_to("somebody@somewhere.1234")  # an editor's lock
    code = """
        import os
        from triton.flagtree_spec import overlay_dir, overlay_files
        print([os.path.relpath(file, overlay_dir()) for file in overlay_files()])
    """
    assert tree.output(code) == "['b.py', 'tools/deep/a.py']"
