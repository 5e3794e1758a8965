"""triton.tools.compile and triton.tools.link of this backend: what they write is C that compiles and picks variants."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PROGRAM = """\
#define FAKE_MUSA_DRIVER
#include <musa.h>
#include "joint.h"

int main(void) {
  int status = load_add();
  printf("load %d, loaded %d\\n", status, loaded);
  printf("algorithms %d\\n", add_get_num_algos());
  add_default(0, 4096, 2048, 1);
  add_default(0, 4096, 1000, 1);
  add_default(0, 4097, 1000, 1);
  add_default(0, 4096, 1, 1); /* an empty grid: nothing is launched */
  printf("negative grid %d\\n", add_default(0, 4096, -8, 1));
  add(0, 4097, 16, 1, 1);
  printf("unknown algorithm %d\\n", add(0, 4096, 16, 1, 7));
  printf("no variant %d\\n", add_default(0, 4096, 16, 2));
  status = unload_add();
  printf("unload %d, loaded %d\\n", status, loaded);
  return 0;
}
"""
# Letters stand for binaries. The last argument always equals one, and the grid reads it.
WRITE_VARIANTS = """\
import sys
from pathlib import Path
from types import SimpleNamespace
from triton.backends.compiler import GPUTarget
from triton.backends.mthreads.aot import write
from triton.tools.aot import Variant, parse_signature
from triton.tools.link import link

folder = Path(sys.argv[1])
variants = [
    ("*fp32:16, i32:16, i32:1", b"A", 4, 31, 0), ("*fp32, i32, i32:1", b"B", 4, 31, 0),
    ("*fp32:16, i32, i32:1", b"C", 4, 31, 60000), ("*fp32, i32, i32:1", b"D", 8, 31, 0),
    ("*fp32, i32, i32:1", b"E", 4, 21, 0), ("*fp32, i32, i32:1", b"F", 8, 21, 0),
]
headers = []
for text, binary, warps, arch, shared in variants:
    variant = Variant("add", tuple(parse_signature(text, ["p", "n", "one"])), warps, 1, ("n / 8", "one", "1"))
    target = GPUTarget("musa", arch, 128 if arch == 21 else 32)
    metadata = SimpleNamespace(target=target, shared=shared, name="add_kernel", num_warps=warps)
    compiled = SimpleNamespace(metadata=metadata, kernel=binary)
    headers.append(write(compiled, variant, folder / "add.x" / binary.decode())[0])
link(headers, folder / "add.x" / "joint")
"""


@pytest.fixture(scope="module")
def linked(installation, tmp_path_factory):
    """A folder with the C files of six variants, their joint functions and <musa.h>."""
    folder = tmp_path_factory.mktemp("linked")
    (folder / "add.x").mkdir()
    installation.output(WRITE_VARIANTS, str(folder))
    shutil.copy(HERE / "fake_musa.h", folder / "add.x" / "musa.h")
    return folder / "add.x"


@pytest.fixture(scope="module")
def program(linked):
    (linked / "main.c").write_text(PROGRAM)
    sources = sorted(str(file) for file in linked.glob("*.c"))
    assert len(sources) == 8
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", linked, *sources]
    subprocess.run([*command, "-o", linked / "program"], check=True)

    def run(**environment):
        done = subprocess.run([linked / "program"], capture_output=True, text=True, check=True, env=environment)
        return done.stdout.splitlines()

    return run


def test_the_linked_code_compiles_without_warnings_and_picks_the_variant(program):
    assert program(FAKE_ARCH="31") == [
        "attribute 8 of C is 60000",
        "load 0, loaded 4",
        "algorithms 2",
        "variant A grid 256 1 1 block 128 1 1 shared 0 pointer 4096",
        "variant C grid 125 1 1 block 128 1 1 shared 60000 pointer 4096",
        "variant B grid 125 1 1 block 128 1 1 shared 0 pointer 4097",
        "negative grid 1",
        "variant D grid 2 1 1 block 256 1 1 shared 0 pointer 4097",
        "unknown algorithm 1",
        "no variant 1",
        "unload 0, loaded 0",
    ]


def test_variants_of_the_current_devices_architecture_are_used_and_loaded(program):
    lines = program(FAKE_ARCH="21")
    assert lines[:2] == ["load 0, loaded 2", "algorithms 2"]
    assert [line for line in lines if line.startswith("variant")] == [
        "variant E grid 256 1 1 block 512 1 1 shared 0 pointer 4096",
        "variant E grid 125 1 1 block 512 1 1 shared 0 pointer 4096",
        "variant E grid 125 1 1 block 512 1 1 shared 0 pointer 4097",
        "variant F grid 2 1 1 block 1024 1 1 shared 0 pointer 4097",
    ]


def test_a_device_that_no_variant_is_for_is_an_error(program):
    assert program(FAKE_ARCH="22")[:2] == ["load 101, loaded 0", "algorithms 2"]


def test_errors_of_the_driver_are_passed_on_and_leave_nothing_loaded(program):
    assert program()[0] == "load 201, loaded 0", "no current context"
    assert program(FAKE_ARCH="31", FAKE_NO_SHARED="1")[:2] == ["attribute 8 of C is 60000", "load 2, loaded 0"]


def test_headers_are_valid_cpp_too(linked):
    (linked / "main.cpp").write_text('#include "joint.h"\nint main() { return add_get_num_algos() == 0; }\n')
    command = ["c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", linked, linked / "main.cpp"]
    subprocess.run(command, check=True)


def test_variants_for_one_architecture_also_work_with_the_trunks_linker(installation, linked, tmp_path):
    """As in an installation whose specialization is another backend's, or none."""
    code = """
        import sys
        from pathlib import Path
        from triton.tools.link import link
        link(list(map(Path, sys.argv[2:])), Path(sys.argv[1]))
    """
    headers = [next(linked.glob(f"{letter}*.h")) for letter in "ABCD"]
    out = tmp_path / "joint"
    installation.output(code, str(out), *map(str, headers), FLAGTREE_SPECIALIZATION="none")
    assert "tt_result add(" in (tmp_path / "joint.h").read_text()
    (tmp_path / "main.c").write_text(PROGRAM)
    sources = [tmp_path / "main.c", tmp_path / "joint.c", *(header.with_suffix(".c") for header in headers)]
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", tmp_path, "-I", linked, *sources]
    subprocess.run([*command, "-o", tmp_path / "program"], check=True)
    environment = {"FAKE_ARCH": "31"}
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True, env=environment)
    assert [line[:9] for line in done.stdout.splitlines() if line.startswith("variant")] == [
        *("variant A", "variant C", "variant B", "variant D"),
    ]


# -- the tools -------------------------------------------------------------------------------------------------------

KERNEL = (
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef add(x, {n}, BLOCK: tl.constexpr):\n"
    "    i = tl.arange(0, BLOCK)\n    tl.store(x + i, tl.load(x + i, i < {n}) + 1, i < {n})\n"
)
COMPILE = "import sys\nfrom triton.tools.compile import main\nsys.exit(main(sys.argv[1:]))"
LINK = "import sys\nfrom triton.tools.link import main\nsys.exit(main(sys.argv[1:]))"


@pytest.fixture
def compile_kernel(installation, tmp_path):
    """Runs the tool on a kernel; the parameter between pointer and constant may be renamed."""

    def run(*options, parameter="n", signature="*fp32:16, i32, 64", grid="1, 1, 1"):
        (tmp_path / "kernel.py").write_text(KERNEL.format(n=parameter))
        arguments = ["-n", "add", "-s", signature, "-g", grid, "-o", str(tmp_path / "add"), *options]
        environment = {"TRITON_CACHE_DIR": str(tmp_path / "cache"), "MUSA_HOME": str(tmp_path)}
        return installation.run(COMPILE, str(tmp_path / "kernel.py"), *arguments, **environment)

    return run


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "no MUSA device is active here (kernels go to cpu), so the target has to be named: -t musa:31"),
        (["-t", "musa:new"], "target 'musa:new': expected musa:ARCHITECTURE, such as musa:31, or mp_31"),
        (["-t", "musa:31:128"], "target 'musa:31:128': mp_31 runs 32 threads in step, not 128"),
        (["-t", "mp_21", "-w", "16"], "16 warps of 128 threads are more than the 1024 threads"),
        (["-t", "mp_31", "-w", "64"], "at most --num-warps 32"),
        (["-t", "mp_31", "-n", "sub"], "no kernel 'sub'; it has ['add']"),
        (["-t", "mp_31", "-g", "1, 1"], "expected three"),
    ],
)
def test_requests_that_cannot_be_met_are_one_line(compile_kernel, options, expected):
    done = compile_kernel(*options)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("triton.tools.compile: ") and expected in done.stderr


def test_without_the_toolkit_the_reason_is_one_line(compiler, compile_kernel):
    done = compile_kernel("-t", "mp_31")
    assert done.returncode == 1 and done.stderr.startswith("triton.tools.compile: kernel ")
    assert "Traceback" not in done.stderr and "set MUSA_HOME" in done.stderr


def test_a_kernel_goes_through_compiler_linker_and_a_c_program(compiler, compile_kernel, tmp_path):
    """With tools that stand for the toolkit's: the "binary" is the letter of its architecture."""
    (tmp_path / "bin").mkdir()
    script = """#!/bin/sh
while [ $# -gt 1 ]; do
  case $1 in -mcpu=*) cpu=${1#-mcpu=mp_};; -o) out=$2;; *.o) object=$1;; esac
  shift
done
if [ -n "$object" ]; then cat "$object" > "$out"; else [ "$cpu" = 31 ] && printf X > "$out" || printf Y > "$out"; fi
"""
    for tool in ("llc", "ld.lld"):
        (tmp_path / "bin" / tool).write_text(script)
        (tmp_path / "bin" / tool).chmod(0o755)
    headers = []
    for target in ("mp_31", "musa:21"):
        for signature in ("*fp32:16, i32, 64", "*fp32, i32, 64"):
            done = compile_kernel("-t", target, signature=signature, grid="n, 1, 1")
            assert done.returncode == 0, done.stderr
            headers.append(done.stdout.split()[0])
    assert sorted(Path(header).name.rpartition("_")[2] for header in headers) == ["mp21.h"] * 2 + ["mp31.h"] * 2
    done = compiler.run(LINK, *headers, "-o", str(tmp_path / "joint"))
    assert done.returncode == 0, done.stderr
    shutil.copy(HERE / "fake_musa.h", tmp_path / "musa.h")
    (tmp_path / "main.c").write_text(
        '#define FAKE_MUSA_DRIVER\n#include <musa.h>\n#include "joint.h"\n'
        "int main(void) { return add_default(0, 4096, 3) + add_default(0, 4097, 5) + unload_add(); }\n"
    )
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", tmp_path, *tmp_path.glob("*.c")]
    subprocess.run([*command, "-o", tmp_path / "program"], check=True)
    for arch, letter, threads in (("31", "X", 128), ("21", "Y", 512)):
        done = subprocess.run(
            [tmp_path / "program"], capture_output=True, text=True, check=True, env={"FAKE_ARCH": arch}
        )
        assert [line.partition(" shared")[0] for line in done.stdout.splitlines()] == [
            f"variant {letter} grid 3 1 1 block {threads} 1 1",
            f"variant {letter} grid 5 1 1 block {threads} 1 1",
        ]


def test_other_targets_are_the_trunks_with_its_defaults(compile_kernel, installation, tmp_path):
    target = installation.output(
        "import triton\nt = triton.runtime.driver.active.get_current_target()\n"
        "print(f'{t.backend}:{t.arch}:{t.warp_size}')"
    )
    done = compile_kernel("-t", target)
    assert done.returncode == 0, done.stderr
    header, source, binary = map(Path, done.stdout.split())
    assert binary.read_bytes()[:4] == b"\x7fELF" and "warps=1,stages=3" in header.read_text()
    done = installation.run(LINK, str(header), "-o", str(tmp_path / "joint"))
    assert done.returncode == 0, done.stderr
    assert "tt_result add(" in (tmp_path / "joint.h").read_text() and "musa" not in source.read_text()


def test_targets_are_not_mixed(installation, linked, tmp_path):
    (tmp_path / "other.h").write_text("// tt-linker: f_1|f|int32_t:0:n|x\n")
    arguments = [str(tmp_path / "other.h"), str(next(linked.glob("A*.h"))), "-o", str(tmp_path / "joint")]
    done = installation.run(LINK, *arguments)
    assert done.returncode == 1 and "other.h is not for MUSA, unlike others that are named" in done.stderr
    assert not list(tmp_path.glob("joint*"))


def test_the_linker_refuses_what_the_compiler_did_not_write(installation, tmp_path):
    (tmp_path / "other.h").write_text("int x;\n")
    done = installation.run(LINK, str(tmp_path / "other.h"), "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert f"{tmp_path}/other.h: no line starts with '// tt-linker: '" in done.stderr
    done = installation.run(LINK, str(tmp_path / "none.h"), "-o", str(tmp_path / "out"))
    assert done.returncode == 1 and "none.h" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("volatile", "parameter 'volatile' of kernel 'add' is a word of C: rename it"),
        ("stream", "parameter 'stream' of kernel 'add' is used by the generated code: rename it"),
    ],
)
def test_names_that_c_cannot_have_are_refused(installation, tmp_path, name, expected):
    code = f"""
        from pathlib import Path
        from triton.backends.mthreads.aot import write
        from triton.tools.aot import Variant, parse_signature
        write(None, Variant("add", tuple(parse_signature("i32", [{name!r}])), 4, 1, ("1", "1", "1")), Path("x"))
    """
    done = installation.run(code)
    assert f"ValueError: {expected}" in done.stderr


@pytest.mark.parametrize("tool", ["compile", "link"])
def test_the_tools_run_as_modules(installation, tool):
    code = f"""
        import runpy, sys
        sys.argv = [{tool!r}, "--help"]
        runpy.run_module("triton.tools.{tool}", run_name="__main__")
    """
    assert "MUSA" in installation.output(code)
