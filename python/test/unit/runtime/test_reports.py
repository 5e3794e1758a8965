"""Variables that make the compiler report on its work, and that change how LLVM works."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
from python.test.unit.runtime.kernels import scale

x, out = np.arange(50, dtype=np.float32), np.zeros(50, np.float32)
kernel = scale[(4,)](x, out, 50, 3.0, BLOCK=16)
assert (out == 3 * x).all()
print(kernel.hash, len(kernel.asm["llir"]))
"""
ROOT = Path(__file__).parents[4]


@pytest.fixture
def run(tmp_path):
    """Runs a kernel in a process with variables set; returns what it printed."""

    def start(**variables):
        environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache"), **variables}
        return subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )

    return start


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("MLIR_ENABLE_DUMP", "IR Dump Before"),
        ("MLIR_ENABLE_TIMING", "Execution time report"),
        ("LLVM_IR_ENABLE_DUMP", "IR Dump After EarlyCSEPass on scale"),
        ("LLVM_ENABLE_TIMING", "Pass execution timing report"),
    ],
)
def test_reports(run, variable, text):
    for _ in range(2):  # a kernel in the cache is compiled again
        done = run(**{variable: "1"})
        assert done.returncode == 0 and text in done.stderr
    assert run(**{variable: "0"}).stderr == ""


def test_dump_into_a_file(run, tmp_path):
    path = tmp_path / "dump.mlir"
    done = run(MLIR_ENABLE_DUMP="scale", MLIR_DUMP_PATH=str(path))
    assert done.stderr == "" and "IR Dump Before" in path.read_text()
    assert run(MLIR_ENABLE_DUMP="other").stderr == ""
    done = run(MLIR_ENABLE_DUMP="1", MLIR_DUMP_PATH=str(tmp_path / "no" / "dump"))
    assert done.returncode != 0 and "MLIR_DUMP_PATH: cannot write" in done.stderr


def test_reproducers(run, tmp_path):
    assert run(TRITON_REPRODUCER_PATH=str(tmp_path / "repro")).returncode == 0
    for stage in ("ttir", "tcir", "llir"):
        text = (tmp_path / f"repro.{stage}.repro.mlir").read_text()
        assert "mlir_reproducer" in text and "pipeline:" in text
        assert "unknown<" not in text  # a pass without a name, which no tool could run


def test_pipeline_can_be_left_out(run):
    usual, plain, again = (run(DISABLE_LLVM_OPT=value).stdout.split() for value in ("0", "1", ""))
    assert usual[1] == again[1] and int(plain[1]) > int(usual[1])  # length of the IR
    assert plain[0] != usual[0]  # another entry of the cache


def test_flags_of_llvm(run):
    done = run(DISABLE_LLVM_OPT="disable-licm-promotion,no-such-flag")
    assert done.returncode == 0 and done.stderr == "triton: LLVM has no flag 'no-such-flag' without a value\n"


def test_lines_of_the_ir(run, tmp_path):
    """The object's lines are those of the text that is in the cache."""
    done = run(USE_IR_LOC="ttir")
    assert done.returncode == 0, done.stderr
    (text,) = (tmp_path / "cache").rglob("scale.ttir")
    (lowered,) = (tmp_path / "cache").rglob("scale.llir")
    lines = text.read_text().splitlines()
    store = next(number for number, line in enumerate(lines, 1) if "tt.store" in line)
    llvm = lowered.read_text()
    assert f'!DIFile(filename: "scale.ttir", directory: "{text.parent}")' in llvm
    assert f"!DILocation(line: {store}," in llvm and "kernels.py" not in llvm
    done = run(USE_IR_LOC="ptx")
    assert done.returncode != 0 and "USE_IR_LOC=ptx: no such stage; there are ttir, tcir" in done.stderr
    assert "llir" in run(USE_IR_LOC="llir").stderr
