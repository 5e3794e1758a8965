"""C++ specialization: the project's own CMake modules on a small trunk, without LLVM."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from .conftest import ROOT, MiniTree, run

PROJECT = """\
cmake_minimum_required(VERSION 3.25...4.4)
project(mini LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH "{modules}")
include(TritonCompiler)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(mlir_tablegen out)
  file(WRITE ${{CMAKE_CURRENT_BINARY_DIR}}/${{out}} "${{LLVM_TARGET_DEFINITIONS}}")
endfunction()
include(TritonBackends)
include(TritonSpecialization)
include(AddTriton)
triton_read_overlays()
include_directories(${{TRITON_SPEC_INCLUDE_DIRS}} include)
set(MLIR_TABLEGEN_EXE ${{PROJECT_SOURCE_DIR}}/tablegen)
set(LLVM_TARGET_DEFINITIONS ${{PROJECT_SOURCE_DIR}}/include/triton/Ops.td)
mlir_tablegen(Ops.inc -gen-dialect-decls -dialect=tt)
add_subdirectory(lib)
foreach(backend IN LISTS TRITON_BACKENDS)
  triton_backend_dir(${{backend}} dir)
  if(EXISTS ${{dir}}/CMakeLists.txt)
    add_subdirectory(${{dir}} third_party/${{backend}})
  endif()
endforeach()
add_executable(who who.cpp)
target_link_libraries(who PRIVATE MiniA)
triton_finish_specialization()
"""
# What the overlay is checked with before anything is compiled, which needs no compiler.
CHECKS = """\
cmake_minimum_required(VERSION 3.25...4.4)
project(mini LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH "{modules}")
include(TritonBackends)
include(TritonSpecialization)
triton_read_overlays()
"""
# Spares CMake its search and its trial compilations.
KNOWN_COMPILERS = [
    *(f"-DCMAKE_C_COMPILER={shutil.which('cc')}", f"-DCMAKE_CXX_COMPILER={shutil.which('c++')}"),
    *("-DCMAKE_C_COMPILER_WORKS=1", "-DCMAKE_CXX_COMPILER_WORKS=1"),
    *("-DCMAKE_C_ABI_COMPILED=1", "-DCMAKE_CXX_ABI_COMPILED=1"),
]
# Stands for mlir-tblgen: "documents" a file by a copy.
TABLEGEN = """\
#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in *.td) input=$1;; -o) output=$2;; -d) depfile=$2;; esac
  shift
done
cp "$input" "$output" && echo "$output: $input" > "$depfile"
"""
OVERLAY = "third_party/acme/backend/spec"
HOOKED = """\
#pragma once
#if __has_include("flagtree_spec.h")
#include "flagtree_spec.h"
#endif
#ifdef FLAGTREE_SPEC_Who_header
#define HEADER FLAGTREE_SPEC_Who_header
#else
#define HEADER "trunk"
#endif
const char *a();
const char *b();
"""


class CppTree(MiniTree):
    """A trunk with one library (two sources, one header) and the program ``who``, which prints where each came from."""

    def configure(self, backends: str = "acme") -> str:
        """The output on one line; `failed` says how it ended."""
        done = run(
            *("cmake", "-G", "Ninja", "-S", self.root, "-B", self.root / "b", f"-DTRITON_BACKENDS={backends}"),
            *(f"-DPython3_EXECUTABLE={sys.executable}", *KNOWN_COMPILERS),
            cwd=self.root,
        )
        self.failed = done.returncode != 0
        return " ".join(done.stdout.split())

    def check(self, backends: str = "acme") -> str:
        """The message of a configuration that stops at the overlay."""
        self.write("CMakeLists.txt", CHECKS.format(modules=ROOT / "cmake"))
        message = self.configure(backends)
        assert self.failed
        return message

    def build_and_run(self) -> str:
        done = run("cmake", "--build", self.root / "b", "--target", "who", cwd=self.root)
        assert done.returncode == 0, done.stdout
        return run(self.root / "b" / "who", cwd=self.root).stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> CppTree:
    tree = CppTree(tmp_path / "source")
    tree.write("CMakeLists.txt", PROJECT.format(modules=ROOT / "cmake"))
    tree.write("include/triton/Who.h", HOOKED)
    tree.write("include/triton/Ops.td", "trunk\n")
    tree.write("tablegen", TABLEGEN).chmod(0o755)
    tree.write("lib/A/Private.h", '#ifndef PRIVATE_H\n#define PRIVATE_H\n#define PRIVATE "private"\n#endif\n')
    tree.write("lib/A/A.cpp", '#include "triton/Who.h"\n#include "Private.h"\nconst char *a() { return "trunk"; }\n')
    tree.write("lib/A/B.cpp", '#include "triton/Who.h"\nconst char *b() { return "trunk"; }\n')
    tree.write("lib/CMakeLists.txt", "add_subdirectory(A)\n")
    tree.write("lib/A/CMakeLists.txt", "add_triton_library(MiniA A.cpp B.cpp)\n")
    tree.write(
        "who.cpp",
        '#include "triton/Who.h"\n#include <cstdio>\nint main() { std::printf("%s %s %s\\n", a(), b(), HEADER); }\n',
    )
    tree.backend("acme")
    tree.backend("zenith")
    return tree


def test_without_an_overlay_the_trunk_is_built(tree):
    assert "Specialization" not in tree.configure()
    assert tree.build_and_run() == "trunk trunk trunk"


def test_c1_a_source_of_the_same_path_replaces_the_trunks_in_its_target(tree):
    # It includes the trunk's private header by the name the trunk file uses.
    tree.write(f"{OVERLAY}/lib/A/A.cpp", '#include "Private.h"\nconst char *a() { return "acme-" PRIVATE; }\n')
    assert "Specialization of 'acme': lib/A/A.cpp" in tree.configure()
    assert tree.build_and_run() == "acme-private trunk trunk"


def test_a_header_of_the_same_path_is_found_first(tree):
    tree.write(
        f"{OVERLAY}/include/triton/Who.h", '#pragma once\n#define HEADER "acme"\nconst char *a();\nconst char *b();\n'
    )
    tree.configure()
    assert tree.build_and_run() == "trunk trunk acme"


def test_a_td_file_of_the_same_path_is_what_tablegen_reads(tree):
    overlay = tree.write(f"{OVERLAY}/include/triton/Ops.td", "acme\n")
    tree.configure()
    assert (tree.root / "b" / "Ops.inc").read_text() == str(overlay)


def test_c4_the_documentation_is_of_the_td_file_that_was_built(tree):
    def document() -> str:
        done = run("cmake", "--build", tree.root / "b", "--target", "triton-doc", cwd=tree.root)
        assert done.returncode == 0, done.stdout
        return (tree.root / "b" / "docs" / "tt.md").read_text()

    tree.configure()
    assert document() == "trunk\n"
    overlay = tree.write(f"{OVERLAY}/include/triton/Ops.td", "acme\n")
    assert document() == "acme\n"
    overlay.write_text("acme again\n")
    assert document() == "acme again\n"


def test_c3_adding_and_removing_an_overlay_file_needs_no_manual_configure(tree):
    tree.configure()
    assert tree.build_and_run() == "trunk trunk trunk"
    file = tree.write(f"{OVERLAY}/lib/A/B.cpp", 'const char *b() { return "acme"; }\n')
    assert tree.build_and_run() == "trunk acme trunk"
    file.unlink()
    assert tree.build_and_run() == "trunk trunk trunk"


def test_c2_an_orphan_is_fatal_and_names_the_nearest_trunk_file(tree):
    file = tree.write(f"{OVERLAY}/lib/A/Aa.cpp", "int x;\n")
    message = tree.check()
    assert "Backend 'acme' specializes lib/A/Aa.cpp, but the trunk has no such file" in message
    assert f"overlay file: {file} nearest trunk file: lib/A/A.cpp" in message


def test_c2_a_file_that_no_target_compiles_is_fatal(tree):
    tree.write("lib/A/Unused.cpp", "int unused;\n")
    tree.write(f"{OVERLAY}/lib/A/Unused.cpp", "int unused;\n")
    message = tree.configure()
    assert tree.failed
    assert "No target compiles lib/A/Unused.cpp" in message


def test_c2_two_backends_for_one_file_are_fatal(tree):
    for backend in ("acme", "zenith"):
        tree.write(f"third_party/{backend}/backend/spec/lib/A/A.cpp", "int x;\n")
    message = tree.check("acme;zenith")
    assert "Two backends specialize lib/A/A.cpp" in message
    assert f"{OVERLAY}/lib/A/A.cpp" in message and "third_party/zenith/backend/spec/lib/A/A.cpp" in message


@pytest.mark.parametrize("path", ["lib/A/A.cpp", "include/flagtree_spec.h"])
def test_c2_an_empty_overlay_file_is_fatal(tree, path):
    file = tree.write(f"{OVERLAY}/{path}", "")
    message = tree.check()
    assert "with an empty file" in message and str(file) in message


def test_c2_an_overlay_file_that_cannot_be_read_is_fatal(tree):
    file = tree.write(f"{OVERLAY}/lib/A/A.cpp")
    file.unlink()
    file.symlink_to(tree.root / "nowhere.cpp")
    message = tree.check()
    assert f"specializes lib/A/A.cpp with a file that cannot be read: {file}" in message


@pytest.mark.parametrize("path", ["lib/A/Table.inc", "include/triton/Who.hpp"])
def test_c2_files_of_other_kinds_are_not_ignored(tree, path):
    tree.write(path, "1\n")
    tree.write(f"{OVERLAY}/{path}", "2\n")
    assert "only .h, .td and .cpp files can be replaced" in tree.check()


def test_c2_a_misspelt_folder_is_fatal(tree):
    folder = tree.write(f"{OVERLAY}/inlcude/triton/Who.h", "int x;\n").parents[1]
    message = tree.check()
    assert f"{folder}, which specializes nothing. nearest name: include" in message


@pytest.mark.parametrize("path", ["include/triton/Who.h", "include/flagtree_spec.h"])
def test_c2_a_replacement_outside_of_spec_is_ambiguous(tree, path):
    tree.write(f"third_party/acme/{path}", "int x;\n")
    message = tree.check()
    assert f"third_party/acme/{path}, which is ambiguous" in message
    assert f"Move it to {tree.root}/third_party/acme/backend/spec/{path}" in message


def test_a_macro_reaches_the_trunk_and_is_printed(tree):
    tree.write(f"{OVERLAY}/include/flagtree_spec.h", '#include "acme_Who.h"\n')
    tree.write(f"{OVERLAY}/include/acme_Who.h", '#define FLAGTREE_SPEC_Who_header "macro"\n')
    assert "Specialization of acme: FLAGTREE_SPEC_Who_header (include/triton/Who.h:5)" in tree.configure()
    assert tree.build_and_run() == "trunk trunk macro"


def test_c2_a_macro_that_no_trunk_file_reads_is_fatal(tree):
    file = tree.write(f"{OVERLAY}/include/flagtree_spec.h", "\n#define FLAGTREE_SPEC_Who_headers 1\n")
    message = tree.check()
    assert f"{file}:2: FLAGTREE_SPEC_Who_headers is defined, but no trunk file reads it." in message
    assert "Did you mean 'FLAGTREE_SPEC_Who_header'?" in message


def test_c2_a_macro_that_only_the_replaced_file_reads_is_fatal(tree):
    tree.write(f"{OVERLAY}/include/flagtree_spec.h", "#define FLAGTREE_SPEC_Who_header 1\n")
    tree.write(f"{OVERLAY}/include/triton/Who.h", "int x;\n")
    assert "FLAGTREE_SPEC_Who_header is defined, but no trunk file reads it" in tree.check()


def test_c2_a_header_that_is_not_included_is_fatal(tree):
    tree.write(f"{OVERLAY}/include/flagtree_spec.h", "// nothing\n")
    tree.write(f"{OVERLAY}/include/acme_Who.h", '#define FLAGTREE_SPEC_Who_header "macro"\n')
    assert "acme_Who.h defines macros, but flagtree_spec.h does not include it" in tree.check()


def test_c2_two_backends_with_macros_are_fatal(tree):
    for backend in ("acme", "zenith"):
        tree.write(f"third_party/{backend}/backend/spec/include/flagtree_spec.h", "// nothing\n")
    assert "Two backends have a flagtree_spec.h" in tree.check("acme;zenith")


def test_c2_flagtree_spec_in_a_place_where_nothing_finds_it_is_fatal(tree):
    tree.write(f"{OVERLAY}/include/triton/flagtree_spec.h", "// nothing\n")
    message = tree.check()
    assert f"which nothing finds. Move it to {tree.root}/{OVERLAY}/include/flagtree_spec.h" in message


def test_a_private_header_is_replaced_for_the_sources_beside_it(tree):
    tree.write("lib/A/A.cpp", '#include "triton/Who.h"\n#include "Private.h"\nconst char *a() { return PRIVATE; }\n')
    header = tree.write(
        f"{OVERLAY}/lib/A/Private.h", '#ifndef PRIVATE_H\n#define PRIVATE_H\n#define PRIVATE "acme"\n#endif\n'
    )
    tree.configure()
    assert tree.build_and_run() == "acme trunk trunk"
    header.unlink()
    assert tree.build_and_run() == "private trunk trunk"


def test_c2_a_private_header_with_another_include_guard_is_fatal(tree):
    tree.write(f"{OVERLAY}/lib/A/Private.h", "#ifndef ACME_H\n#define ACME_H\n#endif\n")
    message = tree.check()
    assert "whose include guard is 'ACME_H'. It must be the trunk's, 'PRIVATE_H'" in message


def test_c3_a_new_header_is_noticed_where_the_folder_was_there_before(tree):
    tree.write(f"{OVERLAY}/include/acme_Other.h", "// nothing\n")
    tree.configure()
    assert tree.build_and_run() == "trunk trunk trunk"
    file = tree.write(f"{OVERLAY}/include/triton/Who.h", HOOKED.replace("trunk", "replaced"))
    assert tree.build_and_run() == "trunk trunk replaced"
    file.unlink()
    tree.write(f"{OVERLAY}/include/flagtree_spec.h", '#define FLAGTREE_SPEC_Who_header "macro"\n')
    assert tree.build_and_run() == "trunk trunk macro"


def test_the_overlay_of_a_backend_that_is_not_built_has_no_effect(tree):
    tree.write(f"{OVERLAY}/lib/A/Orphan.cpp", "int x;\n")
    assert "Specialization" not in tree.configure("zenith")
    assert not tree.failed


def test_a_library_named_after_a_trunk_target_is_linked_into_it(tree):
    tree.write("lib/A/B.cpp", '#include "triton/Who.h"\nconst char *acme_b();\nconst char *b() { return acme_b(); }\n')
    tree.write(f"{OVERLAY}/lib/A/acme_B.cpp", 'const char *acme_b() { return "library"; }\n')
    tree.write(
        "third_party/acme/CMakeLists.txt", "add_library(FlagTree_acme_MiniA STATIC backend/spec/lib/A/acme_B.cpp)\n"
    )
    assert "library FlagTree_acme_MiniA" in tree.configure()
    assert tree.build_and_run() == "trunk library trunk"


def test_c1_a_library_is_compiled_as_its_trunk_target_is(tree):
    # It finds the private headers of the target, and waits for what the target waits for.
    generate = (
        "add_custom_command(OUTPUT made.h COMMAND ${CMAKE_COMMAND} -E sleep 0.3\n"
        "  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/made.in made.h)\n"
        "add_custom_target(MadeHeader DEPENDS made.h)\n"
        "include_directories(${CMAKE_CURRENT_BINARY_DIR})\n"
    )
    tree.write("lib/made.in", "#define MADE 1\n")
    tree.write("lib/CMakeLists.txt", f"{generate}add_subdirectory(A)\n")
    tree.write("lib/A/CMakeLists.txt", "add_triton_library(MiniA A.cpp B.cpp DEPENDS MadeHeader)\n")
    tree.write("lib/A/B.cpp", '#include "triton/Who.h"\nconst char *acme_b();\nconst char *b() { return acme_b(); }\n')
    tree.write(
        f"{OVERLAY}/lib/A/acme_B.cpp",
        '#include "Private.h"\n#include "made.h"\nconst char *acme_b() { return MADE ? PRIVATE : ""; }\n',
    )
    tree.write(
        "third_party/acme/CMakeLists.txt",
        "include_directories(${PROJECT_BINARY_DIR}/lib)\n"
        "add_library(FlagTree_acme_MiniA STATIC backend/spec/lib/A/acme_B.cpp)\n",
    )
    tree.configure()
    assert tree.build_and_run() == "trunk private trunk"


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ("add_library(FlagTree_acme_MiniB STATIC x.cpp)", "nearest name: FlagTree_acme_MiniA"),
        ("add_library(FlagTree_zenith_MiniA STATIC x.cpp)", "nearest name: FlagTree_acme_MiniA"),
        ("", "backend/spec/lib/A/acme_Own.cpp. Add it to a library"),
        ("get_flagtree_backend_lib(MiniA LIBS)", "get_flagtree_backend_lib(MiniA) is not needed here"),
        ("set_flagtree_backend_td(TD Ops.td)", "set_flagtree_backend_td(TD;Ops.td) is not needed here"),
    ],
)
def test_c2_what_a_backends_lists_get_wrong(tree, lists, message):
    tree.write("third_party/acme/x.cpp", "int x;\n")
    tree.write(f"{OVERLAY}/lib/A/acme_Own.cpp", "int y;\n")
    tree.write("third_party/acme/CMakeLists.txt", lists + "\n")
    assert message in tree.configure()
    assert tree.failed
