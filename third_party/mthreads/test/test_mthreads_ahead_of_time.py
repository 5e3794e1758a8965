"""triton.tools.compile and triton.tools.link of this backend: what they write is C that compiles and picks variants."""

from __future__ import annotations

import subprocess

import pytest

MUSA_H = """\
#pragma once
typedef int MUresult;
typedef struct stream *MUstream;
typedef struct module *MUmodule;
typedef struct function *MUfunction;
typedef unsigned long long MUdeviceptr;
enum { MUSA_SUCCESS = 0, MUSA_ERROR_INVALID_VALUE = 1, MU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };
MUresult muModuleLoadData(MUmodule *, const void *);
MUresult muModuleUnload(MUmodule);
MUresult muModuleGetFunction(MUfunction *, MUmodule, const char *);
MUresult muFuncSetAttribute(MUfunction, int, int);
MUresult muLaunchKernel(MUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, MUstream,
                        void **, void **);
"""
# Stands for the driver library: the "binary" is the variant's number, which a launch prints with its arguments.
PROGRAM = """\
#include "add.h"
#include <stdio.h>
MUresult muModuleLoadData(MUmodule *m, const void *image) { *m = (MUmodule)image; return MUSA_SUCCESS; }
MUresult muModuleUnload(MUmodule m) { return MUSA_SUCCESS; }
MUresult muModuleGetFunction(MUfunction *f, MUmodule m, const char *name) { *f = (MUfunction)m; return MUSA_SUCCESS; }
MUresult muFuncSetAttribute(MUfunction f, int a, int v) { return MUSA_SUCCESS; }
MUresult muLaunchKernel(MUfunction f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, MUstream s, void **args, void **extra) {
  printf("variant %c grid %u block %u pointer %llu\\n", *(const char *)f, x, bx, *(unsigned long long *)args[0]);
  return MUSA_SUCCESS;
}
int main(void) {
  if (load_add())
    return 1;
  printf("algorithms %d\\n", add_get_num_algos());
  add_default(0, 4096, 2048);
  add_default(0, 4096, 1000);
  add_default(0, 4097, 1000);
  add_default(0, 4096, 1); /* an empty grid: nothing is launched */
  add(0, 4097, 16, 1);
  printf("unknown algorithm %d\\n", add(0, 4096, 16, 7));
  return unload_add();
}
"""
WRITE_VARIANTS = """\
import sys
from pathlib import Path
from triton.tools.aot_signature import parse_signature
from triton.tools.compile import CompiledVariant, write
from triton.tools.link import main

folder = Path(sys.argv[1])
variants = [("*fp32:16, i32:16", b"A", 4), ("*fp32, i32", b"B", 4), ("*fp32:16, i32", b"C", 4), ("*fp32, i32", b"D", 8)]
headers = []
for text, binary, warps in variants:
    signature = parse_signature(["p", "n"], text)
    variant = CompiledVariant("add", signature, ("n / 8", "1", "1"), 31, warps, 1, 32, 0, "add", binary)
    headers.append(str(write(variant, folder / "add")[0]))
main([*headers, "-o", str(folder / "add")])
"""


@pytest.fixture
def linked(installation, tmp_path):
    installation.output(WRITE_VARIANTS, str(tmp_path))
    (tmp_path / "musa.h").write_text(MUSA_H)
    return tmp_path


def test_the_linked_code_compiles_without_warnings_and_picks_the_variant(linked):
    (linked / "main.c").write_text(PROGRAM)
    sources = sorted(str(file) for file in linked.glob("*.c"))
    assert len(sources) == 6
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    subprocess.run([*command, "-I", linked, *sources, "-o", linked / "program"], check=True)
    lines = subprocess.run([linked / "program"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines == [
        "algorithms 2",
        "variant A grid 256 block 128 pointer 4096",
        "variant C grid 125 block 128 pointer 4096",
        "variant B grid 125 block 128 pointer 4097",
        "variant D grid 2 block 256 pointer 4097",
        "unknown algorithm 1",
    ]


def test_headers_are_valid_cpp_too(linked):
    (linked / "main.cpp").write_text('#include "add.h"\nint main() { return add_get_num_algos() == 0; }\n')
    command = ["c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", linked, linked / "main.cpp"]
    subprocess.run(command, check=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*fp32, i32", "has 2 items, the kernel 3 parameters: a, b, c"),
        ("*fp32:8, i32, 1", "parameter a: hint '8' in '*fp32:8' is neither 16 nor 1"),
        ("*fp32:1, i32, 1", "parameter a: '*fp32:1' says that a pointer equals one"),
    ],
)
def test_wrong_signatures_name_the_parameter(installation, text, expected):
    code = f"from triton.tools.aot_signature import parse_signature\nparse_signature(['a', 'b', 'c'], {text!r})"
    done = installation.run(code)
    assert done.returncode != 0
    assert f"ValueError: {expected}" in done.stderr or expected in done.stderr


def test_constants_and_hints_make_the_symbol(installation):
    code = """
        from triton.tools.aot_signature import parse_signature, symbol_of
        names = ["x", "n", "BLOCK", "flag"]
        one = parse_signature(names, "*fp32:16, i32:1, 1024, True")
        two = parse_signature(names, "*fp32:16, i32:1, 512, True")
        print(one.constants, [a.name for a in one.passed], symbol_of("add", one, 4, 1)[-5:])
        print(symbol_of("add", one, 4, 1) != symbol_of("add", two, 4, 1))
    """
    assert installation.output(code).splitlines() == ["{'BLOCK': 1024, 'flag': True} ['x'] _0d1c", "True"]


def test_the_linker_refuses_what_the_compiler_did_not_write(installation, tmp_path):
    header = tmp_path / "other.h"
    header.write_text("int x;\n")
    code = f"from triton.tools.link import main\nmain([{str(header)!r}, '-o', {str(tmp_path / 'out')!r}])"
    done = installation.run(code)
    assert done.returncode == 2
    assert f"{header} was not written by triton.tools.compile" in done.stderr


def test_the_linker_refuses_variants_with_other_arguments(installation, tmp_path):
    code = """
        from pathlib import Path
        from triton.tools.aot_signature import Variant
        from triton.tools.link import LinkerError, read_variants
        variants = [Variant("k", "k_1", (("int32_t", "n", ""),), 4, 1, ""), Variant("k", "k_2", (), 4, 1, "")]
        files = []
        for index, variant in enumerate(variants):
            files.append(Path(f"{__file__}.{index}.h"))
            files[-1].write_text(variant.line() + chr(10))
        try:
            read_variants(files)
        except LinkerError as error:
            print(error)
    """
    assert installation.output(code) == "kernel 'k': k_2 takes (), but k_1 takes (int32_t n)"


def test_compiling_for_the_device_says_what_is_missing(installation, tmp_path):
    kernel = tmp_path / "kernel.py"
    kernel.write_text(
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef add(x, n, BLOCK: tl.constexpr):\n"
        "    i = tl.arange(0, BLOCK)\n    tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)\n"
    )
    code = "import sys\nfrom triton.tools.compile import main\nmain(sys.argv[1:])"
    arguments = [str(kernel), "-n", "add", "-s", "*fp32:16, i32, 64", "-g", "1, 1, 1", "-t", "musa:31:32"]
    done = installation.run(code, *arguments)
    assert "Moore Threads' code generator is not part of this package" in done.stderr
    done = installation.run(code, *[argument.replace("add", "sub") for argument in arguments])
    assert "has no kernel 'sub'; its kernels are: add" in done.stderr


@pytest.mark.parametrize("tool", ["compile", "link"])
def test_the_tools_run_as_modules(installation, tool):
    code = f"""
        import runpy, sys
        sys.argv = [{tool!r}, "--help"]
        runpy.run_module("triton.tools.{tool}", run_name="__main__")
    """
    assert "MUSA" in installation.output(code)
