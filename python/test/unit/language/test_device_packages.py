"""`triton.language.extra.<device>`: kernels import these names whatever they are compiled for."""

import importlib

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError
from triton.language.extra import cuda, hip
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.language.extra.hip import libdevice as hip_libdevice


@triton.jit
def waits(x_ptr, out_ptr):
    at = tl.arange(0, 8)
    gdc_wait()
    x = tl.load(x_ptr + at)
    gdc_launch_dependents()
    y = cuda_libdevice.tanh(x) + hip_libdevice.tanh(x) + tl.extra.cuda.libdevice.exp2(x)
    tl.store(out_ptr + at, y * cuda.num_warps() + hip.num_threads() * 0)


@triton.jit
def reads_a_clock(out_ptr):
    tl.store(out_ptr, cuda.globaltimer())


@triton.jit
def converts(x_ptr, code_ptr, back_ptr, TYPE: tl.constexpr):
    at = tl.arange(0, 8)
    code = cuda.convert_custom_float8_sm80(tl.load(x_ptr + at), TYPE, "rtne")
    tl.store(code_ptr + at, code.to(tl.uint8, bitcast=True))
    tl.store(back_ptr + at, cuda.convert_custom_float8_sm70(code, tl.float32))


def test_conversion_of_the_float_without_instructions():
    x = np.array([0, 1, -1, 0.5, 1.75, 3, -0.125, 2.0**-17], np.float32)
    codes, back = np.zeros(8, np.uint8), np.zeros(8, np.float32)
    converts[(1,)](x, codes, back, tl.float8e4b15)
    np.testing.assert_array_equal(codes, [0x00, 0x78, 0xF8, 0x70, 0x7E, 0x7F, 0xE0, 0x01])
    np.testing.assert_array_equal(back, [0, 1, -1, 0.5, 1.75, 1.875, -0.125, 2.0**-17])
    with pytest.raises(CompilationError, match="convert_custom_float8_sm80: converts to or from float8e4b15, not fp32"):
        converts[(1,)](x, codes, back, tl.float8e5)


def test_orders_of_grids_and_libraries():
    x, out = np.linspace(-2, 2, 8, dtype=np.float32), np.zeros(8, np.float32)
    waits[(1,)](x, out, num_warps=2)
    np.testing.assert_allclose(out, 2 * (2 * np.tanh(x) + np.exp2(x)), rtol=1e-6)


def test_registers_are_an_error_that_names_them():
    with pytest.raises(CompilationError, match=r"globaltimer\(\) is not available on this target"):
        reads_a_clock[(1,)](np.zeros(1, np.int64))


def test_packages_are_listed_and_unknown_ones_name_them():
    assert {"cuda", "hip", "libdevice"} <= set(dir(tl.extra))
    with pytest.raises(AttributeError, match=r"'cudb'; it has .*cuda.*hip"):
        tl.extra.cudb
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("triton.language.extra.cudb")
