"""Ahead-of-time compilation, descriptors, FileCheck."""

import shutil
import subprocess
import sys

import numpy as np
import pytest
import triton
import triton.language as tl
from triton._filecheck import MatchError, filecheck_test, run_filecheck_test
from triton.tools.aot import parse_argument
from triton.tools.compile import main as compile_main
from triton.tools.link import main as link_main
from triton.tools.ragged_tma import create_ragged_descriptor, load_ragged, store_ragged
from triton.tools.tensor_descriptor import TensorDescriptor

KERNEL = """
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=live) + tl.load(y_ptr + at, mask=live), mask=live)
"""

MAIN = """
#include "kernels.h"
float x[1001], y[1001], out[1001];
int main(void) {
  for (int i = 0; i < 1001; i++) { x[i] = i; y[i] = 2 * i; }
  if (load_add()) return 1;
  for (int algo = 0; algo < add_get_num_algos(); algo++) {
    for (int i = 0; i < 1001; i++) out[i] = 0;
    if (add(0, x, y, out, 1000, algo)) return 2;         /* aligned */
    if (add(0, x + 1, y + 1, out + 1, 1000, algo)) return 3; /* not */
    for (int i = 0; i < 1001; i++) if (out[i] != 3 * i) return 4;
  }
  if (add_get_num_algos() != 2 || add(0, x, y, out, 1000, 2) == 0) return 5;
  return unload_add();
}
"""


def aot(folder, signature, grid="(n + 255) / 256, 1, 1", name="add"):
    (folder / "kernel.py").write_text(KERNEL)
    return compile_main([str(folder / "kernel.py"), "-n", name, "-s", signature, "-g", grid, "-o", str(folder / "add")])


@pytest.mark.parametrize("flags", [[], ["-fopenmp"]], ids=["serial", "openmp"])
def test_ahead_of_time(tmp_path, flags):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    for hint, block in ((":16", 256), ("", 256), (":16", 64), ("", 64)):
        pointer = f"*fp32{hint}"
        signature = f"{pointer}, {pointer}, {pointer}, i32, {block}"
        assert aot(tmp_path, signature, f"(n + {block - 1}) / {block}, 1, 1") == 0
    headers = sorted(map(str, tmp_path.glob("add.*.h")))
    assert len(headers) == 4
    assert link_main([*headers, "-o", str(tmp_path / "kernels")]) == 0
    (tmp_path / "main.c").write_text(MAIN)
    sources = [*map(str, tmp_path.glob("*.c")), *map(str, tmp_path.glob("*.o"))]
    command = [compiler, "-Wall", "-Wextra", "-Werror", *flags, *sources, "-o", str(tmp_path / "main"), "-lm"]
    subprocess.run(command, check=True)
    assert subprocess.run([str(tmp_path / "main")], check=False).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"signature": "*fp32, *fp32, *fp32, i32"}, "4 items, but the kernel has 5 parameters"),
        ({"signature": "*fp32:8, *fp32, *fp32, i32, 16"}, "'x_ptr': hint '8'"),
        ({"signature": "*fp32, *fp32, *fp32, i32, i32"}, "'BLOCK' is a tl.constexpr"),
        ({"signature": "*fp32, *fp32, *fp32, i32, 16", "grid": "1, 1"}, "expected three"),
        ({"signature": "*fp32, *fp32, *fp32, i32, 16", "name": "sub"}, "no kernel 'sub'; it has ['add']"),
    ],
)
def test_bad_requests_are_one_line(tmp_path, capsys, arguments, text):
    assert aot(tmp_path, **arguments) == 1
    assert text in capsys.readouterr().err
    assert not list(tmp_path.glob("*.c"))


def test_link_needs_headers_of_compile(tmp_path, capsys):
    (tmp_path / "other.h").write_text("int x;\n")
    assert link_main([str(tmp_path / "other.h"), "-o", str(tmp_path / "out")]) == 1
    assert "other.h: no line starts with" in capsys.readouterr().err


def test_command_line(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "triton.tools.compile", "--help"], capture_output=True, text=True, check=True
    )
    assert "--signature" in done.stdout


@pytest.mark.parametrize("text", ["*fp32:16", "i32:1", "i64", "*kfp16"])
def test_types_of_signatures(text):
    argument = parse_argument("x", text)
    assert argument.is_passed and f"{argument.type}:{argument.hint or ''}".rstrip(":") == text


@triton.jit
def double_rows(source, target, offset, size, ROWS: tl.constexpr):
    block = load_ragged(source, offset, size, [0, 0])
    store_ragged(target, offset, size, [0, 0], block * 2)


def test_ragged_blocks_stay_inside_of_their_slice():
    x, out = np.random.RandomState(0).normal(size=(20, 16)).astype("f4"), np.zeros((20, 16), "f4")
    source, target = create_ragged_descriptor(x, [8, 16]), create_ragged_descriptor(out, [8, 16])
    double_rows[(1,)](source, target, 5, 3, ROWS=8)
    assert (out[5:8] == 2 * x[5:8]).all() and not out[:5].any() and not out[8:].any()


@pytest.mark.parametrize(
    ("shape", "block", "dim"), [((4, 4), [4], 0), ((4, 4), [4, 4], 2), ((4, 4), [3, 4], 0), ((), [], 0)]
)
def test_bad_ragged_descriptors(shape, block, dim):
    with pytest.raises(ValueError, match=r"create_ragged_descriptor|power of 2"):
        create_ragged_descriptor(np.zeros(shape), block, dim)


def test_tensor_descriptor():
    descriptor = TensorDescriptor.from_tensor(np.zeros((8, 16), "f4"), [4, 16])
    assert descriptor.shape == [8, 16] and descriptor.strides == [16, 1]


@pytest.mark.parametrize(
    ("array", "block", "text"),
    [
        (np.zeros((8, 16), "f4").T, [4, 4], "contiguous|multiple"),
        (np.zeros((8, 6), "f4"), [4, 4], "stride 6 of dimension 0 is 24 bytes"),
        (np.zeros((8, 16), "f4"), [4, 2], "less than 16 bytes"),
        (np.zeros((8, 16), "f4"), [3, 16], "power of 2"),
        (np.zeros((8, 16), "f4"), [16], "block_shape has 1 items for rank 2"),
    ],
)
def test_bad_tensor_descriptors(array, block, text):
    with pytest.raises(ValueError, match=text):
        TensorDescriptor.from_tensor(array, block)


@filecheck_test
@triton.jit
def test_checks_in_the_source():
    # CHECK-LABEL: tt.func public @test_checks_in_the_source
    # CHECK: tt.get_program_id x
    program = tl.program_id(0)
    # CHECK: tt.print
    tl.device_print("x", program)


def test_failing_check_shows_the_text():
    @triton.jit
    def kernel():
        # CHECK: something else
        tl.program_id(0)

    with pytest.raises(MatchError, match="FileCheck failed"):
        run_filecheck_test(kernel)
