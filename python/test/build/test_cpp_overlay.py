"""C++ specialization: the project's own CMake modules on a small trunk, without LLVM."""

from __future__ import annotations

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
set(LLVM_TARGET_DEFINITIONS ${{PROJECT_SOURCE_DIR}}/include/triton/Ops.td)
mlir_tablegen(Ops.inc)
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
OVERLAY = "third_party/acme/backend/spec"


class CppTree(MiniTree):
    """A trunk with one library (two sources, one header) and the program ``who``, which prints where each came from."""

    def configure(self, backends: str = "acme") -> str:
        done = run(
            *("cmake", "-G", "Ninja", "-S", self.root, "-B", self.root / "b", f"-DTRITON_BACKENDS={backends}"),
            cwd=self.root,
        )
        self.failed = done.returncode != 0
        return " ".join(done.stdout.split())

    def build_and_run(self) -> str:
        done = run("cmake", "--build", self.root / "b", "--target", "who", cwd=self.root)
        assert done.returncode == 0, done.stdout
        return run(self.root / "b" / "who", cwd=self.root).stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> CppTree:
    tree = CppTree(tmp_path / "source")
    tree.write("CMakeLists.txt", PROJECT.format(modules=ROOT / "cmake"))
    tree.write("include/triton/Who.h", '#pragma once\n#define HEADER "trunk"\nconst char *a();\nconst char *b();\n')
    tree.write("include/triton/Ops.td", "trunk\n")
    tree.write("lib/A/Private.h", '#define PRIVATE "private"\n')
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


def test_a_source_of_the_same_path_replaces_the_trunks(tree):
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


def test_c3_adding_and_removing_an_overlay_file_needs_no_manual_configure(tree):
    tree.configure()
    assert tree.build_and_run() == "trunk trunk trunk"
    file = tree.write(f"{OVERLAY}/lib/A/B.cpp", 'const char *b() { return "acme"; }\n')
    assert tree.build_and_run() == "trunk acme trunk"
    file.unlink()
    assert tree.build_and_run() == "trunk trunk trunk"


def test_c2_an_orphan_is_fatal_and_names_the_nearest_trunk_file(tree):
    file = tree.write(f"{OVERLAY}/lib/A/Aa.cpp", "int x;\n")
    message = tree.configure()
    assert tree.failed
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
    message = tree.configure("acme;zenith")
    assert tree.failed
    assert "Two backends specialize lib/A/A.cpp" in message
    assert f"{OVERLAY}/lib/A/A.cpp" in message and "third_party/zenith/backend/spec/lib/A/A.cpp" in message


def test_an_empty_overlay_file_is_fatal(tree):
    tree.write(f"{OVERLAY}/lib/A/A.cpp", "")
    assert "specializes lib/A/A.cpp with an empty file" in tree.configure()
    assert tree.failed


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
