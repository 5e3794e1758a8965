"""Gluon without a backend that compiles it: it can be imported, kernels defined; a launch says what is the matter."""

import subprocess
import sys

import pytest
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

NAN = gl.constexpr(gl.PropagateNan.ALL)


@gluon.jit
def larger(a, b, propagate_nan: gl.constexpr = NAN):
    return gl.maximum(a, b, propagate_nan=propagate_nan)


@gluon.jit(do_not_specialize=["count"])
def fill(output, count, BLOCK: gl.constexpr):
    gl.store(output + gl.arange(0, BLOCK, layout=gl.BlockedLayout([1], [32], [1], [0])), count)


def test_functions_have_the_attributes_of_jit_functions():
    assert isinstance(fill, triton.JITFunction) and fill.is_gluon() and not triton.jit(fill.fn).is_gluon()
    assert fill.arg_names == ["output", "count", "BLOCK"] and fill.do_not_specialize == ["count"]


@pytest.mark.parametrize(
    "launch", [lambda: fill[(1,)](None, 1, BLOCK=32), lambda: fill.warmup(None, 1, BLOCK=32, grid=(1,))]
)
def test_a_launch_names_kernel_and_backend(launch):
    with pytest.raises(triton.TritonError, match=r"test_gluon\.fill: .* backend 'cpu' does not compile Gluon"):
        launch()


def test_the_language_has_no_layouts():
    assert gl.constexpr is triton.language.constexpr and gl.float32 is triton.language.float32
    assert not hasattr(gl, "BlockedLayout")


def test_other_packages_do_not_import_it():
    code = "import sys, triton.language; print(any('gluon' in name for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
