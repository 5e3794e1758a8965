"""The stages of the compiler: what LLVM IR looks like, what is refused and how, and how the toolkit's tools are run."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess

import pytest

KERNEL = """
import sys
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def add(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.exp(tl.load(x + i, i < n)), i < n)

@triton.jit
def plain(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.sum(tl.load(x + i), 0) + i)

@triton.jit
def prints(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.device_print("x", tl.load(x + i))
    tl.device_assert(i < 8, "must hold")

@triton.jit
def assembly(x, BLOCK: tl.constexpr):
    tl.store(x, tl.inline_asm_elementwise("nop", "=r,r", [tl.load(x)], tl.float32, True, 1))

@triton.jit
def large(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = i[:, None] * BLOCK + i[None, :]
    tl.store(x + at, tl.trans(tl.load(x + at)))

@triton.jit
def lacking(x, BLOCK: tl.constexpr):
    tl.store(x, libdevice.normcdf(tl.load(x)))

def compile(kernel, signature, arch=31, warp=32, block=64, **options):
    names = dict(zip(kernel.arg_names, [*signature, "constexpr"]))
    source = ASTSource(kernel, names, {(len(signature),): block}, {(0,): [["tt.divisibility", 16]]})
    return triton.compile(source, target=GPUTarget("musa", arch, warp), options=options)

def show(*arguments, **options):
    try:
        compiled = compile(*arguments, **options)
    except Exception as error:
        print(type(error).__name__ + ":", error)
    else:
        print(compiled.asm["mubin"].decode())
"""
KEEP_LLIR = """
def keep(backend, stages, options, language, capability):
    stages["mubin"] = lambda text, metadata: text.encode()
triton.knobs.runtime.add_stages_inspection_hook = keep
"""
# A tool that writes its name, its arguments and the first line of its input into its output.
TOOL = """#!/bin/sh
input=
output=
previous=
for argument in "$@"; do
  case "$previous" in -o) output="$argument" ;; esac
  case "$argument" in *.ll|*kernel.bc|*.o) [ "$previous" = -o ] || input="$argument" ;; esac
  previous="$argument"
done
{{ echo "$0 $*"; head -n 20 "$input"; }} > "$output"
echo "$(dirname "$output")" >> "{log}"
"""


@pytest.fixture
def toolkit(tmp_path):
    """A folder like MUSA_HOME, with tools that only log; returns (folder, folder of the log)."""
    home = tmp_path / "musa"
    (home / "bin").mkdir(parents=True)
    for tool in ("llc", "ld.lld", "llvm-link"):
        write_tool(home / "bin" / tool, TOOL.format(log=tmp_path / "folders"))
    for library in ("libdevice.bc", "libdevice.31.bc"):
        (home / "mtgpu" / "bitcode").mkdir(parents=True, exist_ok=True)
        (home / "mtgpu" / "bitcode" / library).write_text("bitcode")
    return home


def write_tool(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def show(compiler, tmp_path):
    """Runs one line after the kernels; returns what it prints."""

    def run(line, **env):
        return compiler.output(KERNEL + line, TRITON_CACHE_DIR=str(tmp_path / "cache"), **env)

    return run


# -- LLVM IR ---------------------------------------------------------------------------------------------------------


def test_the_llvm_ir_is_for_the_target(show):
    text = show(KEEP_LLIR + 'show(add, ("*fp32", "i32"))')
    for expected in (
        'target triple = "mtgpu-mt-musa"',
        'target datalayout = "e-p:64:64:64:64-p1:64:64:64:64-p2:64:64:64:64-p3:32:32-',
        "define mtgpu_kernel void @add(ptr addrspace(1) %0, i32 %1)",
        "call i32 @llvm.musa.read.ptx.sreg.tid.x()",
        "call i32 @llvm.musa.read.ptx.sreg.ctaid.y()",
        "call float @__nv_expf(float ",
        "!musa.annotations = !{!1, !2}",
        '!{ptr @add, !"kernel", i32 1}',
        '!{ptr @add, !"maxntidx", i32 128}',
    ):
        assert expected in text, text
    assert "simt." not in text


def test_nothing_in_the_llvm_ir_is_newer_than_the_tools(show):
    """LLVM 14 reads opaque pointers, but not these."""
    text = show(KEEP_LLIR + 'show(add, ("*fp32", "i32")); show(plain, ("*bf16",)); show(large, ("*fp16",))')
    for newer in ("memory(", "nneg", "disjoint", "samesign", "splat (", "captures(", " range(", " nuw ", "inrange"):
        assert newer not in text, newer
    assert "call void @llvm.musa.barrier0()" in text
    assert "@global_smem = external addrspace(3) global [0 x i8], align 16" in text
    assert "declare void @llvm.musa.barrier0() #" in text and "convergent" in text


def test_llvm_14_reads_the_llvm_ir(show):
    """The toolkit's LLVM, besides the calling convention, which is number 102 to LLVM's own tools."""
    tool = shutil.which("llvm-as-14")
    if tool is None:
        pytest.skip("llvm-as-14 is not installed (Debian: llvm-14)")
    kernels = ('add, ("*fp32", "i32")', 'plain, ("*bf16",)', 'large, ("*fp16",)', 'prints, ("*fp32",), debug=True')
    for kernel in kernels:
        text = show(f"{KEEP_LLIR}show({kernel})").replace("mtgpu_kernel", "cc102")
        subprocess.run([tool, "-opaque-pointers", "-o", os.devnull, "-"], input=text, text=True, check=True)


def test_prints_and_assertions_are_those_of_the_device(show):
    text = show(KEEP_LLIR + 'show(prints, ("*fp32",), debug=True)')
    assert r'c"pid (%d, %d, %d) idx (%d) x: %f\0A\00"' in text
    assert "call i32 (ptr, ...) @printf(ptr @printed_text.0, i32 " in text
    assert "assertion `must hold` failed in pid" in text and "call void @llvm.musa.exit()" in text


def test_every_function_of_the_lowering_has_a_name(show):
    line = (
        "from triton._C.libtriton import mthreads\n"
        "from triton.backends.mthreads.target import MATH_NAMES\n"
        "names = {f'simt.math.{f}.{t}' for f in mthreads.math_functions() for t in ('f32', 'f64')}\n"
        "print(sorted(names ^ set(MATH_NAMES)))"
    )
    assert show(line) == "[]"


def test_a_function_without_a_name_is_named(show):
    line = "from triton.backends.mthreads import target\ndel target.MATH_NAMES['simt.math.exp.f32']\n"
    assert "the target has no name for 'simt.math.exp.f32'" in show(line + 'show(add, ("*fp32", "i32"))')


# -- what is refused -------------------------------------------------------------------------------------------------


def test_operations_without_a_lowering_are_named_with_their_place(show):
    text = show('show(assembly, ("*fp32",))')
    assert "operation 'tt.elementwise_inline_asm' is not supported" in text
    assert "program.py" in text and "RuntimeError" in text


def test_functions_that_the_target_lacks_are_named(show):
    text = show('show(lacking, ("*fp32",))')
    assert text.startswith("CompilationError: ") and "libdevice.normcdf(tl.load(x))" in text


def test_shared_memory_beyond_the_limit(show):
    text = show('show(large, ("*fp32",), block=256, num_warps=32)')
    assert text.startswith("OutOfResources: out of resource: shared memory, Required: 262144, Hardware limit: 196608")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("num_warps=3", "ValueError: num_warps = 3 is not a power of two"),
        ("num_warps=64", "a block of 2048 threads; it can have 1024, so num_warps can be 32 at most"),
        ("arch=22, warp=128, num_warps=16", "so num_warps can be 8 at most"),
        ("extern_libs={'m': 'm.bc'}", "ValueError: extern_libs = {'m': 'm.bc'} is not supported by the musa target"),
        ("num_ctas=2", "num_ctas = 2: the musa target has no clusters"),
        ("arch=99", "does not know the architecture 99; it knows mp_21, mp_22, mp_31"),
        ("arch='ph1'", "does not know the architecture 'ph1'"),
    ],
)
def test_wrong_options(show, options, expected):
    assert expected in show(f'show(add, ("*fp32", "i32"), {options})')


def test_without_its_part_of_libtriton_the_compiler_says_how_to_get_it(installation, tmp_path):
    hide = (
        "import sys\nfrom triton._C import libtriton\nvars(libtriton).pop('mthreads', None)\n"
        "sys.modules.pop('triton._C.libtriton.mthreads', None)\n"
    )
    text = installation.output(hide + KERNEL + 'show(add, ("*fp32", "i32"))', TRITON_CACHE_DIR=str(tmp_path))
    assert "built without the mthreads backend" in text and "FLAGTREE_BACKEND=mthreads pip install ." in text


# -- the toolkit -----------------------------------------------------------------------------------------------------


def test_a_missing_toolkit_is_explained(show, tmp_path):
    text = show('show(add, ("*fp32", "i32"))', MUSA_HOME=str(tmp_path))
    assert text.startswith("ToolchainError: kernel 'add' was compiled to LLVM IR, but not to a binary for mp_31: ")
    for file in ("bin/llc", "bin/ld.lld", "bin/llvm-link", "mtgpu/bitcode/libdevice.31.bc"):
        assert str(tmp_path / file) in text
    assert "set MUSA_HOME to its root" in text and "TRITON_DEFAULT_BACKEND=cpu" in text


def test_only_what_is_needed_must_be_there(show, toolkit):
    (toolkit / "bin" / "llvm-link").unlink()
    assert "/bin/ld.lld" in show('show(plain, ("*fp32",))', MUSA_HOME=str(toolkit))
    text = show('show(add, ("*fp32", "i32"))', MUSA_HOME=str(toolkit))
    assert "were not found: " + str(toolkit / "bin" / "llvm-link") + " (" in text


def test_the_default_place_is_named(show):
    if os.path.exists("/usr/local/musa"):
        pytest.skip("this machine has a MUSA toolkit")
    text = show('show(plain, ("*fp32",))')
    assert "MUSA_HOME is not set, so /usr/local/musa" in text and "/usr/local/musa/bin/llc" in text


def test_the_tools_run_one_after_the_other(show, toolkit, tmp_path):
    text = show('show(plain, ("*fp32",))', MUSA_HOME=str(toolkit), TRITON_MUSA_LLC_OPTIONS="-mtgpu-opt-level=1 '-x y'")
    linker, code_generator, first = text.splitlines()[:3]
    folder = (tmp_path / "folders").read_text().splitlines()[0]
    assert linker == f"{toolkit}/bin/ld.lld -flavor gnu -shared {folder}/kernel.o -o {folder}/kernel.mubin"
    assert code_generator == (
        f"{toolkit}/bin/llc {folder}/kernel.ll -march=mtgpu -mcpu=mp_31 --opaque-pointers -O2 -filetype=obj "
        f"-mtgpu-opt-level=1 -x y -o {folder}/kernel.o"
    )
    assert first == "; ModuleID = 'triton'"
    assert not os.path.exists(folder), "temporary files are deleted"


@pytest.mark.parametrize(("arch", "warp", "library"), [(22, 128, "libdevice.bc"), (31, 32, "libdevice.31.bc")])
def test_functions_are_linked_from_the_bitcode_library(show, toolkit, arch, warp, library):
    text = show(f'show(add, ("*fp32", "i32"), arch={arch}, warp={warp})', MUSA_HOME=str(toolkit))
    _, code_generator, bitcode_linker = text.splitlines()[:3]
    assert f"kernel.bc -march=mtgpu -mcpu=mp_{arch} " in code_generator
    assert bitcode_linker.startswith(f"{toolkit}/bin/llvm-link --opaque-pointers ")
    assert f"kernel.ll --only-needed {toolkit}/mtgpu/bitcode/{library} -o " in bitcode_linker


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("#!/bin/sh\necho Cannot select >&2; exit 6\n", "failed with status 6: Cannot select\ncommand: {llc} "),
        ("#!/bin/sh\nkill -6 $$\n", "failed with status -6: it printed nothing"),
        ("#!/bin/sh\nexit 0\n", "wrote no kernel.o: it printed nothing"),
        ("#!/no/such/interpreter\n", "cannot be run: No such file or directory"),
    ],
)
def test_a_failing_tool_is_reported(show, toolkit, tmp_path, script, expected):
    llc = toolkit / "bin" / "llc"
    write_tool(llc, script)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    text = show('show(plain, ("*fp32",))', MUSA_HOME=str(toolkit), TMPDIR=str(temporary))
    assert text.startswith("ToolchainError: kernel 'plain' was compiled to LLVM IR, but not to a binary for mp_31: ")
    assert expected.format(llc=llc) in text
    assert not os.listdir(temporary)


def test_another_tool_compiles_again(show, toolkit):
    line = 'show(plain, ("*fp32",))'
    first = show(line, MUSA_HOME=str(toolkit))
    assert show(line, MUSA_HOME=str(toolkit)) == first, "from the cache: the temporary folder is the same"
    write_tool(toolkit / "bin" / "llc", "#!/bin/sh\necho replaced >&2\nexit 1\n")
    assert "replaced" in show(line, MUSA_HOME=str(toolkit))
