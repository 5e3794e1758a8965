"""flagtree spec list and check: hook points are found, and what nothing asks for is reported."""

from __future__ import annotations

import pytest
from triton.cli._installed import import_setup_tools
from triton.cli._tree import find_tree

from .conftest import HOOKED


def hook_points(outcome, kind):
    return {point["name"]: point for point in outcome.json["hook_points"] if point["kind"] == kind}


def test_functions_and_packages_are_listed_with_their_users(spec, checkout):
    checkout.overlay("__init__.py", "from ._utils import apply\n")
    checkout.overlay("_utils.py", "def apply(f): pass\n")
    checkout.overlay("tools/compile.py", "def compile_it(): return 1\n")
    listed = spec("list")
    assert listed.status == 0
    assert hook_points(listed, "function")["apply"] == {
        "kind": "function",
        "name": "apply",
        "places": ["python/triton/_utils.py:3"],
        "used_by": {"acme": []},
    }
    assert hook_points(listed, "package")["triton.tools"]["used_by"] == {"acme": ["compile.py"]}


@pytest.mark.parametrize(
    "text",
    [
        'from triton.flagtree_spec import spec as ask\nask("other", 1)\n',
        'from . import flagtree_spec\nflagtree_spec.spec("other")\n',
        'import triton.flagtree_spec as s\ndef f():\n    return s.has_spec("other")\n',
        'import triton.flagtree_spec\ntriton.flagtree_spec.spec_func("other")\n',
        'from triton._flagtree_spec import spec_func\ng = spec_func("other") or len\n',
    ],
)
def test_every_way_of_calling_a_hook_is_seen(spec, checkout, text):
    checkout.trunk("more.py", text)
    assert "other" in hook_points(spec("list"), "function")


def test_functions_of_that_name_from_elsewhere_are_no_hooks(spec, checkout):
    checkout.trunk("more.py", 'from triton.flagtree_spec import selected_backend\nfrom x import spec\nspec("other")\n')
    assert "other" not in hook_points(spec("list"), "function")


def test_backends_are_no_part_of_the_trunk(spec, checkout):
    text = 'from triton.flagtree_spec import spec\nspec("other")\n'
    checkout.trunk("backends/other/driver.py", text)
    checkout.write("third_party/acme/backend/x.py", text)
    assert "other" not in hook_points(spec("list"), "function")


def test_a_specialization_that_fits_is_fine(spec, checkout):
    checkout.overlay("__init__.py", "import os\nfrom ._utils import apply\nfrom . import tools\n")
    checkout.overlay("_utils.py", "def apply(f): pass\n")
    checkout.overlay("tools/__init__.py", "from .signature import x\n")
    checkout.overlay("tools/signature.py", "x = 1\n")
    checkout.overlay("tools/compile.py", "def compile_it(): return 1\n")
    outcome = spec("check")
    assert (outcome.status, outcome.json["findings"]) == (0, [])


@pytest.mark.parametrize(
    "top",
    [
        "from ._utils import aply\n",
        "def aply(): pass\n",
        "from ._utils import *\n",
        "from triton.backends.acme.spec.triton._utils import aply\n",
    ],
)
def test_p8_a_function_that_nothing_asks_for_is_reported_with_the_nearest(spec, checkout, top):
    checkout.overlay("__init__.py", top)
    checkout.overlay("_utils.py", "def aply(f): pass\ndef _private(): pass\n")
    outcome = spec("check")
    (problem,) = (found for found in outcome.findings("problem") if "is offered" in found["text"])
    assert outcome.status == 1
    assert problem["subject"] == "third_party/acme/backend/spec/triton/__init__.py:1"
    assert "'aply' is offered" in problem["text"] and "Did you mean 'apply'?" in problem["text"]


def test_p8_a_hook_whose_name_is_computed_is_reported(spec, checkout):
    checkout.trunk("more.py", 'from triton.flagtree_spec import spec\nfor n in "ab":\n    spec(n)\n')
    (problem,) = spec("check").findings("problem")
    assert problem["subject"] == "python/triton/more.py:3" and "no constant" in problem["text"]


@pytest.mark.parametrize("line", ["from . import compile", "import triton.tools.compile", "from triton.tools import x"])
def test_p7_a_late_spec_path_is_reported(spec, checkout, line):
    checkout.trunk("tools/__init__.py", f"{line}\n{HOOKED}")
    (problem,) = spec("check").findings("problem")
    assert problem["subject"] == "python/triton/tools/__init__.py:4"
    assert "too late: line 1" in problem["text"]


def test_an_import_of_a_package_with_a_like_name_is_not_late(spec, checkout):
    checkout.trunk("tools/__init__.py", f"from triton.toolsets import x\nfrom .. import y\n{HOOKED}")
    assert spec("check").status == 0


def test_a_file_in_a_package_that_is_not_hooked_is_an_orphan(spec, checkout):
    checkout.trunk("runtime/__init__.py")
    checkout.trunk("runtime/jit.py", "x = 1\n")
    checkout.overlay("runtime/jit.py", "x = 2\n")
    (problem,) = spec("check").findings("problem")
    assert "nothing loads it" in problem["text"] and "does not call spec_path" in problem["text"]


def test_a_misspelt_file_is_an_orphan_until_it_is_recorded_as_own(spec, checkout):
    file = checkout.overlay("tools/compiler.py", "def compile_it(): return 1\n")
    (problem,) = spec("check").findings("problem")
    assert "it replaces nothing" in problem["text"] and "tools/compile.py" in problem["text"]
    assert spec("drift", "--record", file).json["changed"] == {"acme": ["triton/tools/compiler.py"]}
    assert spec("check").status == 0
    assert spec("drift", "--record").json["changed"] == {"acme": []}, "the record of an own file stays"


def test_a_file_that_adds_a_module_is_a_note(spec, checkout):
    checkout.overlay("tools/quite_different.py", "x = 1\n")
    outcome = spec("check")
    (note,) = outcome.findings("note")
    assert outcome.status == 0 and "adds the module triton.tools.quite_different" in note["text"]


@pytest.mark.parametrize(
    "text", ["from .spec.triton.helpers import x", "import triton.backends.acme.spec.triton.helpers"]
)
def test_a_file_that_the_driver_imports_is_loaded(spec, checkout, text):
    checkout.overlay("helpers.py", "x = 1\n")
    assert spec("check").status == 1
    checkout.write("third_party/acme/backend/driver.py", f"def f():\n    {text}\n")
    assert spec("check").status == 0


def test_a_file_below_the_name_of_a_trunk_module_is_an_orphan(spec, checkout):
    checkout.overlay("tools/compile/extra.py", "x = 1\n")
    (problem,) = spec("check").findings("problem")
    assert "triton/tools/compile.py is a module of the trunk, no package" in problem["text"]
    checkout.overlay("tools/compile/__init__.py", "from .extra import x\n")
    assert spec("check").findings("problem") == []


def test_folders_that_wheels_leave_out_are_reported(spec, checkout, tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "x.py").touch()
    checkout.overlay("tools/compile.py", "def compile_it(): return 1\n")
    (checkout.root / "third_party/acme/backend/spec/triton/tools/shared").symlink_to(tmp_path / "shared")
    (problem,) = spec("check").findings("problem")
    assert problem["subject"].endswith("spec/triton/tools/shared") and "wheels leave it out" in problem["text"]
    checkout.overlay("tools/with-dash/x.py", "x = 1\n")
    found = spec("check").findings("problem")
    assert any("with-dash" in f["subject"] and "no Python identifier" in f["text"] for f in found)


def test_nested_packages_of_a_hooked_package_are_replaced(spec, checkout):
    checkout.trunk("tools/inner/__init__.py", "x = 1\n")
    checkout.trunk("tools/inner/a.py", "x = 1\n")
    checkout.overlay("tools/inner/__init__.py", "x = 2\n")
    checkout.overlay("tools/inner/a.py", "x = 2\n")
    assert spec("check").json["findings"] == []


def test_p9_a_marker_without_its_specialization_is_reported(spec, checkout):
    checkout.trunk("_flagtree_backend.py", 'BACKEND = "acme"\nOVERLAY = True\nBACKENDS = ("acme",)\n')
    (problem,) = spec("check").findings("problem")
    assert "'acme'" in problem["text"] and "backends/acme/spec/triton does not exist" in problem["text"]


def test_a_damaged_marker_is_named(spec, checkout):
    checkout.trunk("_flagtree_backend.py", "BACKEND = run()\n")
    outcome = spec("check")
    assert outcome.status == 2 and "_flagtree_backend.py is damaged" in outcome.err


def test_a_file_with_a_syntax_error_is_named(spec, checkout):
    checkout.overlay("__init__.py", "def broken(:\n")
    outcome = spec("check")
    assert outcome.status == 2
    assert f"{checkout.root}/third_party/acme/backend/spec/triton/__init__.py:1: invalid syntax" in outcome.err


@pytest.mark.parametrize("data", [b"x = '\xff'\n", b"\0"], ids=["no UTF-8", "NUL"])
def test_a_file_that_is_no_text_is_named(spec, checkout, data):
    file = checkout.overlay("tools/compile.py")
    file.write_bytes(data)
    for words in (["check", "--static"], ["drift"]):
        outcome = spec(*words)
        assert outcome.status == 2 and f"flagtree: error: {file}" in outcome.err and "Correct" in outcome.err


def test_what_editors_leave_is_no_module(spec, checkout):
    file = checkout.overlay("tools/compile.py", "def compile_it(): return 1\n")
    file.with_name(".#compile.py").symlink_to("somebody@somewhere.1234")
    (checkout.root / "python/triton/tools/.#compile.py").symlink_to("somebody@somewhere.1234")
    assert spec("check", "--static").status == 0 and spec("drift").status == 0


def test_a_file_may_declare_its_encoding(spec, checkout):
    checkout.overlay("tools/compile.py").write_bytes(b"# coding: latin-1\ndef compile_it(): return '\xe4'\n")
    assert spec("check", "--static").status == 0 and spec("drift").status == 0


def test_unknown_backends_and_roots_are_named(spec, flagtree, checkout, tmp_path):
    outcome = spec("check", "--backend", "acne")
    assert outcome.status == 2 and "there is no backend 'acne'. Did you mean 'acme'?" in outcome.err
    outcome = flagtree("spec", "check", "--root", tmp_path / "nowhere")
    assert outcome.status == 2 and "is no checkout of FlagTree" in outcome.err


def test_backends_outside_of_the_tree_are_looked_at(spec, checkout, tmp_path, monkeypatch):
    folder = tmp_path / "plugins" / "zeta"
    (folder / "backend" / "spec" / "triton").mkdir(parents=True)
    (folder / "backend" / "spec" / "triton" / "__init__.py").write_text("def wrong(): pass\n")
    (folder / "backend.toml").touch()
    monkeypatch.setenv("TRITON_PLUGIN_DIRS", str(folder))
    (problem,) = spec("check").findings("problem")
    assert "'wrong' is offered" in problem["text"]
    monkeypatch.setenv("TRITON_PLUGIN_DIRS", str(tmp_path))
    outcome = spec("check")
    assert outcome.status == 2 and "backend.toml does not exist" in outcome.err


# -- specializations that cannot be imported: tried in a child process, with the real trunk ---------------------------


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Writes files of the specialization of a backend ``zeta`` outside of this checkout."""
    folder = tmp_path / "zeta"

    def write(path: str, text: str) -> None:
        file = folder / "backend" / "spec" / "triton" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    write("tools/link.py", "")
    (folder / "backend" / "__init__.py").touch()
    (folder / "backend.toml").touch()
    monkeypatch.setenv("TRITON_PLUGIN_DIRS", str(folder))
    return write


def check_plugin(flagtree, *options):
    return flagtree("spec", "check", "--backend", "zeta", "--json", *options)


@pytest.mark.parametrize(
    ("file", "text", "error"),
    [
        ("__init__.py", "import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("tools/link.py", "\nraise RuntimeError('at import')\n", "RuntimeError: at import"),
        ("tools/link.py", "from triton.tools.mxfp import NoSuchName\n", "ImportError: cannot import name 'NoSuchName'"),
        ("tools/link.py", "import sys\nsys.exit(3)\n", "SystemExit: 3"),
        ("compiler/errors.py", "import triton.language\nx = undefined\n", "NameError: name 'undefined'"),
    ],
)
def test_p2_a_specialization_that_raises_at_import_is_found(flagtree, plugin, file, text, error):
    plugin(file, text)
    outcome = check_plugin(flagtree)
    (problem,) = outcome.findings("problem")
    assert outcome.status == 1 and problem["subject"].endswith(f"zeta/backend/spec/triton/{file}")
    assert error in problem["text"] and f"{file}:{text.count(chr(10))}" in problem["text"]
    assert check_plugin(flagtree, "--static").status == 0, "reading alone does not see it"


def test_a_specialization_that_ends_the_process_is_found(flagtree, plugin):
    plugin("tools/link.py", "import os\nos.abort()\n")
    (problem,) = check_plugin(flagtree).findings("problem")
    assert "it was killed by SIGABRT" in problem["text"]


def test_a_specialization_is_tried_as_if_it_were_installed(flagtree, plugin):
    plugin("__init__.py", "from .language import language_extend_globals\n")
    plugin("language/__init__.py", "def language_extend_globals(names):\n    names['mine'] = 1\n")
    plugin("language/standard_more.py", "X = 1\n")
    plugin(
        "tools/link.py",
        "import triton.language as tl, triton.language.standard_more as a, triton.flagtree_spec as s\n"
        "import triton.backends.zeta.spec.triton.language.standard_more as b\n"
        "assert tl.mine == 1 and a is b and s.selected_backend() == 'zeta'\nprint('output is no answer')\n",
    )
    assert check_plugin(flagtree).status == 0


def test_static_belongs_to_check(flagtree):
    outcome = flagtree("spec", "list", "--static")
    assert outcome.status == 2 and "--static belongs to 'flagtree spec check'" in outcome.err


def test_p8_the_build_of_add_ons_knows_the_same_hook_points(flagtree):
    trunk = import_setup_tools("trunk", find_tree(environ={}))
    points = hook_points(flagtree("spec", "list", "--json"), "function")
    assert set(trunk.describe(find_tree(environ={}).root).hooks) == set(points)


def test_p8_this_tree_passes(flagtree):
    outcome = flagtree("spec", "check", "--json")
    assert outcome.findings("problem") == []
    points = hook_points(flagtree("spec", "list", "--json"), "function")
    assert "language_extend_globals" in points


def test_for_people(flagtree, checkout):
    checkout.overlay("__init__.py", "def apply(f): pass\ndef wrong(): pass\n")
    outcome = flagtree("spec", "list", "--root", checkout.root)
    assert outcome.out.splitlines()[0].split() == ["kind", "hook", "point", "where", "used", "by"]
    assert "\033" not in outcome.out, "plain where it is no terminal"
    outcome = flagtree("spec", "check", "--root", checkout.root)
    assert outcome.status == 1 and outcome.out.endswith("1 problem\n") and "-> rename it" in outcome.out
