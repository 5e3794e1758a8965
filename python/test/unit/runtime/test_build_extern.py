"""Modules made from libraries of functions."""

import importlib.util
import re
import sys

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools import build_extern

LIBRARY = """
define float @sinf(float %a) #0 { ret float %a }
define dso_local double @sin(double noundef %a) local_unnamed_addr #0 { ret double %a }
define i32 @__nv_min(i32 %x, i32 %y) { ret i32 %x }
define i32 @__nv_umin(i32 %x, i32 %y) { ret i32 %x }
define i64 @__nv_ullmin(i64 %x, i64 %y) { ret i64 %x }
define float @__nv_fminf(float %x, float %y) { ret float %x }
define double @__nv_fmin(double %x, double %y) { ret double %x }
define i32 @__nv_clz(i32 %a) { ret i32 %a }
define i32 @__nv_clzll(i64 %a) { ret i32 0 }
define float @__nv_fast_sinf(float %a) { ret float %a }
define float @frexpf(float %a, ptr %b) { ret float 0.0 }
define internal float @helper(float %a) { ret float %a }
define void @nothing(float %a) { ret void }
define double @hypot(double %x, double %y) { ret double %x }
"""


@pytest.fixture
def library(tmp_path):
    path = tmp_path / "library.ll"
    path.write_text(LIBRARY)
    return path


def test_symbols(library):
    found = build_extern.Libdevice(str(library))
    found.parse_symbols(str(library))
    table = {name: (s.op_name, s.ret_type, s.arg_types) for name, s in found.symbols.items()}
    assert table == {
        "sinf": ("sin", "fp32", ["fp32"]),
        "sin": ("sin", "fp64", ["fp64"]),
        "__nv_min": ("min", "int32", ["int32", "int32"]),
        "__nv_umin": ("min", "uint32", ["uint32", "uint32"]),
        "__nv_ullmin": ("min", "uint64", ["uint64", "uint64"]),
        "__nv_fminf": ("min", "fp32", ["fp32", "fp32"]),
        "__nv_fmin": ("min", "fp64", ["fp64", "fp64"]),
        "__nv_clz": ("clz", "int32", ["int32"]),
        "__nv_clzll": ("clz", "int32", ["int64"]),
        "__nv_fast_sinf": ("fast_sinf", "fp32", ["fp32"]),
        "hypot": ("hypot", "fp64", ["fp64", "fp64"]),
    }


def test_the_module_runs(library, tmp_path):
    build_extern.main(["--lib-path", str(library), "--lib-name", "own", "--output", str(tmp_path / "out")])
    spec = importlib.util.spec_from_file_location("own", tmp_path / "out" / "own.py")
    own = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(own)

    @triton.jit
    def kernel(x, y, out):
        at = tl.arange(0, 16)
        a, b = tl.load(x + at), tl.load(y + at)
        tl.store(out + at, own.sin(a) + own.hypot(a.to(tl.float64), b.to(tl.float64)))

    x, y = np.random.default_rng(0).normal(size=(2, 16)).astype(np.float32)
    out = np.zeros(16)
    kernel[(1,)](x, y, out)
    np.testing.assert_allclose(out, np.sin(x) + np.hypot(x.astype(float), y), rtol=1e-5)


def test_bitcode_goes_through_the_disassembler(library, tmp_path):
    tool = tmp_path / "dis"
    tool.write_text(f"#!{sys.executable}\nimport shutil, sys\nshutil.copy({str(library)!r}, sys.argv[3])\n")
    tool.chmod(0o755)
    build_extern.build(str(tool), str(tmp_path / "library.bc"), "libdevice", str(tmp_path))
    assert "def clz(arg0, _semantic=None)" in (tmp_path / "libdevice.py").read_text()
    tool.write_text("#!/bin/sh\necho no such file >&2\nexit 1\n")
    with pytest.raises(ValueError, match="does not read .*library.bc: no such file"):
        build_extern.build(str(tool), str(tmp_path / "library.bc"), "libdevice", str(tmp_path))


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--lib-path", "a.bc", "--llvm-dis", "/nowhere"], "/nowhere is not there.*--llvm-dis"),
        (["--lib-path", "empty.ll"], "defines no function"),
        (["--lib-path", "absent.ll"], "No such file"),
    ],
)
def test_errors_of_the_command(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.ll").write_text("define void @f() { ret void }\n")
    with pytest.raises(SystemExit):
        build_extern.main(["--lib-name", "x", *arguments])
    assert re.search(message, capsys.readouterr().err)
