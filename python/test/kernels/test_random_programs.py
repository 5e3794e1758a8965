"""Generated kernels against the same text run on NumPy: what nobody thought of writing by hand."""

import os

import numpy as np
import pytest

from . import numpy_language
from .jit_text import jit_text
from .program_generator import SIZE, Generator

PROGRAMS = 3
# TEST_KERNEL_SEEDS=first:last hunts further. The default is the same on every run, seeds that found faults last.
HUNT = os.environ.get("TEST_KERNEL_SEEDS")
SEEDS = range(*map(int, HUNT.split(":"))) if HUNT else [*range(60), 779, 2675]


def run_on_numpy(source, buffers, n):
    with np.errstate(all="ignore"):
        for program in range(PROGRAMS):
            scope = {"tl": numpy_language.language(program, PROGRAMS)}
            exec(source, scope)
            scope["kernel"](*map(numpy_language.Pointer, buffers), n)


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_kernel(seed, tmp_path):
    source = Generator(seed).source(statements=12 + seed % 3 * 12)
    rng = np.random.default_rng(seed)
    types = [*rng.choice(["int32", "int32", "int8", "int16", "uint8", "uint16"], 2), "int32"]
    buffers = [rng.integers(-1000, 1000, PROGRAMS * SIZE).astype(dtype) for dtype in types]
    expected = [buffer.copy() for buffer in buffers]
    run_on_numpy(source, expected, 5)
    assert any((old != new).any() for old, new in zip(buffers, expected, strict=True))
    jit_text(source, tmp_path / f"generated_{seed}.py")[(PROGRAMS, )](*buffers, 5)
    for name, actual, wanted in zip("abc", buffers, expected, strict=True):
        np.testing.assert_array_equal(actual, wanted, err_msg=f"{name} of\n{source}")
