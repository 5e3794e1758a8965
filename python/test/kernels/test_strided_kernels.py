"""Generated kernels over strided matrices: compiled, interpreted and by NumPy, to the last bit."""

import itertools
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from triton.runtime.interpreter import InterpretedFunction

from .jit_text import jit_text
from .kernel_strategy import kernels

# TEST_STRIDED_KERNELS=count hunts for that many, other ones on every run. The default is the same on every run.
HUNT = int(os.environ.get("TEST_STRIDED_KERNELS", "0"))
numbers = itertools.count()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("strided")


@settings(
    max_examples=HUNT or 40,
    derandomize=not HUNT,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(kernel=kernels())
def test_generated_kernel(kernel, folder):
    source = kernel.source()
    compiled = jit_text(source, folder / f"strided_{next(numbers)}.py")
    buffers = kernel.inputs()
    expected = kernel.expected(buffers)
    for name, function in (("compiled", compiled), ("interpreted", InterpretedFunction(compiled.fn))):
        output = kernel.output()
        function[kernel.grid](*buffers, output, *kernel.arguments(), enable_fp_fusion=False)
        np.testing.assert_array_equal(output, expected, err_msg=f"{name}: {kernel}\n{source}")
