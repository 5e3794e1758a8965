"""flagtree spec, C++: macros, libraries and replaced files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]

HEADER = """\
#ifndef TRITON_X_H
#define TRITON_X_H
#if __has_include("flagtree_spec.h")
#include "flagtree_spec.h"
#endif
#ifndef FLAGTREE_SPEC_Dialect_Op_build_ARG
#define FLAGTREE_SPEC_Dialect_Op_build_ARG int
#endif
#ifdef FLAGTREE_SPEC_Dialect_Op_fold // not FLAGTREE_SPEC_in_a_comment
#endif
#endif
"""


@pytest.fixture
def native(checkout):
    checkout.write("include/triton/X.h", HEADER)
    checkout.write("lib/Dialect/Op.cpp", "int x;\n")
    checkout.write("lib/Dialect/CMakeLists.txt", "add_triton_library(TritonIR\n  Op.cpp\n)\n")
    return checkout


def listed(spec, kind):
    return {point["name"]: point for point in spec("list").json["hook_points"] if point["kind"] == kind}


def test_macros_that_the_trunk_reads_are_hook_points(spec, native):
    native.spec(
        "include/flagtree_spec.h",
        "#ifndef FLAGTREE_SPEC_H\n#define FLAGTREE_SPEC_H\n#define FLAGTREE_SPEC_Dialect_Op_fold 1\n#endif\n",
    )
    macros = listed(spec, "macro")
    assert set(macros) == {"FLAGTREE_SPEC_Dialect_Op_build_ARG", "FLAGTREE_SPEC_Dialect_Op_fold"}
    assert macros["FLAGTREE_SPEC_Dialect_Op_fold"]["places"] == ["include/triton/X.h:9"]
    assert macros["FLAGTREE_SPEC_Dialect_Op_fold"]["used_by"] == {"acme": []}
    assert macros["FLAGTREE_SPEC_Dialect_Op_build_ARG"]["used_by"] == {}
    assert spec("check").status == 0


def test_a_macro_that_no_trunk_file_reads_is_reported(spec, native):
    native.spec("include/acme_Op.h", "#define FLAGTREE_SPEC_Dialect_Op_folds 1\n")
    (problem,) = spec("check").findings("problem")
    assert problem["subject"] == "third_party/acme/backend/spec/include/acme_Op.h:1"
    assert "Did you mean 'FLAGTREE_SPEC_Dialect_Op_fold'?" in problem["text"]


def test_a_header_with_macros_that_is_not_included_is_reported(spec, native):
    native.spec("include/acme_Op.h", "#define FLAGTREE_SPEC_Dialect_Op_fold 1\n")
    native.spec("include/flagtree_spec.h", '#include "acme_Other.h"\n')
    native.spec("include/acme_Other.h", "// nothing\n")
    (problem,) = spec("check").findings("problem")
    assert "acme_Op.h defines macros, but flagtree_spec.h does not include it" in problem["text"]
    native.spec("include/acme_Other.h", '#include "acme_Op.h"\n')
    assert spec("check").status == 0


def test_a_macro_that_only_the_replaced_file_reads_is_reported(spec, native):
    native.spec("include/flagtree_spec.h", "#define FLAGTREE_SPEC_Dialect_Op_fold 1\n")
    native.spec("include/triton/X.h", "int x;\n")
    (problem,) = spec("check").findings("problem")
    assert "FLAGTREE_SPEC_Dialect_Op_fold is defined, but no trunk file reads it" in problem["text"]


def test_a_macro_of_cmake_code_is_looked_at_too(spec, native):
    native.write(
        "third_party/acme/CMakeLists.txt", "# FLAGTREE_SPEC_no\nadd_compile_definitions(FLAGTREE_SPEC_Wrong)\n"
    )
    (problem,) = spec("check").findings("problem")
    assert problem["subject"] == "third_party/acme/CMakeLists.txt:2" and "FLAGTREE_SPEC_Wrong" in problem["text"]


def test_libraries_belong_to_trunk_targets(spec, native):
    native.write("third_party/acme/CMakeLists.txt", "add_library(FlagTree_acme_TritonIR STATIC a.cpp)\n")
    assert listed(spec, "library")["TritonIR"]["used_by"] == {"acme": []}
    assert spec("check").status == 0
    native.write("third_party/acme/CMakeLists.txt", "add_library(FlagTree_acme_TritonIr STATIC a.cpp)\n")
    (problem,) = spec("check").findings("problem")
    assert "FlagTree_acme_TritonIr belongs to no library" in problem["text"] and "'TritonIR'" in problem["text"]


def test_c2_a_source_that_replaces_nothing_is_reported(spec, native):
    native.spec("lib/Dialect/Opp.cpp", "int x;\n")
    native.spec("lib/Dialect/acme_Own.h", "int x;\n")
    native.spec("lib/Dialect/CMakeLists.txt", "# nothing\n")
    (problem,) = spec("check").findings("problem")
    assert problem["subject"].endswith("lib/Dialect/Opp.cpp")
    assert "Nearest trunk file: lib/Dialect/Op.cpp" in problem["text"]


def test_replaced_files_are_listed_and_age(spec, native):
    native.spec("lib/Dialect/Op.cpp", "int y;\n")
    assert listed(spec, "file")["lib/Dialect/Op.cpp"]["used_by"] == {"acme": []}
    assert spec("drift", "--record").json["changed"] == {"acme": ["lib/Dialect/Op.cpp"]}
    assert [finding["level"] for finding in spec("drift").json["findings"]] == ["ok"]
    native.write("lib/Dialect/Op.cpp", "long x;\n")
    (problem,) = spec("drift").findings("problem")
    assert "stale: lib/Dialect/Op.cpp changed" in problem["text"]
    native.write("lib/Dialect/Op.cpp", "int y;\n")
    (problem,) = spec("drift").findings("problem")
    assert "identical to lib/Dialect/Op.cpp" in problem["text"]


def test_the_manual_lists_the_hook_points_of_this_checkout(flagtree):
    points = flagtree("spec", "list", "--root", ROOT, "--json").json["hook_points"]
    manual = (ROOT / "docs" / "specialization-cpp.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `(FLAGTREE_SPEC_\w+)` \|", manual, re.MULTILINE)
    assert documented == [point["name"] for point in points if point["kind"] == "macro"]


def test_the_example_uses_every_hook_point_of_the_trunk_and_the_checks_pass(flagtree, monkeypatch):
    monkeypatch.setenv("TRITON_PLUGIN_DIRS", str(ROOT / "examples" / "backends" / "overlay"))
    options = ("--backend", "overlay", "--root", ROOT, "--json")
    points = flagtree("spec", "list", *options).json["hook_points"]
    assert [point["name"] for point in points if point["kind"] == "macro" and "overlay" not in point["used_by"]] == []
    assert {point["kind"] for point in points if "overlay" in point["used_by"]} == {
        *("function", "package", "macro", "library", "file")
    }
    assert flagtree("spec", "check", *options).status == 0
    assert flagtree("spec", "drift", *options).findings("problem") == []
