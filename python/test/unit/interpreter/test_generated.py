"""Generated kernels, interpreted and compiled."""

import importlib.util
import os

import numpy as np
import pytest
from triton.runtime.interpreter import InterpretedFunction

from .generator import INPUTS, SIZE, Generator

# TEST_INTERPRETER_SEEDS=first:last hunts further. The default is the same on every run.
HUNT = os.environ.get("TEST_INTERPRETER_SEEDS")
SEEDS = range(*map(int, HUNT.split(":"))) if HUNT else range(30)


def function_of(source, folder, seed):
    """The generated function; its source has to be in a file."""
    path = folder / f"generated_{seed}.py"
    path.write_text("import triton\nimport triton.language as tl\n\n\n@triton.jit\n" + source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def inputs(seed):
    rng = np.random.default_rng(seed)
    arrays = []
    for kind in INPUTS.values():
        if kind.startswith("float"):
            values = rng.normal(0, 10, SIZE).astype(kind)
            values[:4] = 0, np.inf, np.nan, 1
        else:
            values = rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, SIZE, dtype=kind, endpoint=True)
            values[::3] = values[::3] % 20
        arrays.append(values)
    return arrays


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_kernel(seed, tmp_path):
    source = Generator(seed).source(count=8 + seed % 3 * 8)
    kernel = function_of(source, tmp_path, seed)
    results = []
    for function in (kernel, InterpretedFunction(kernel.fn)):
        rows = len(INPUTS) + 40
        ints, floats = np.zeros(rows * SIZE, np.int64), np.zeros(rows * SIZE, np.float64)
        function[(1,)](*inputs(seed), ints, floats, 4, enable_fp_fusion=False)
        results.append((ints, floats))
    for compiled, interpreted in zip(*results):
        rows = sorted({int(i) // SIZE for i in np.flatnonzero((compiled != interpreted) & (compiled == compiled))})
        np.testing.assert_array_equal(interpreted, compiled, err_msg=f"stored rows {rows} of\n{source}")
