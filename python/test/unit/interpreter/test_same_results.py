"""The interpreter gives what compiled code gives: bit by bit where the language says so, else to a few last places."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from . import kernels_blocks, kernels_numbers, kernels_programs  # noqa: F401  (they define the cases)
from .cases import CASES

TEST_ROOT = Path(__file__).parents[2]


def run_cases(path, interpret: str):
    """The results of all cases, and what they printed."""
    env = {**os.environ, "TRITON_INTERPRET": interpret}
    command = [sys.executable, "-m", "unit.interpreter.run_cases", str(path)]
    done = subprocess.run(command, cwd=TEST_ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    with np.load(path) as results:
        return dict(results), done.stdout


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cases")
    return run_cases(folder / "interpreted.npz", "1"), run_cases(folder / "compiled.npz", "0")


def test_the_variable_selects_the_interpreter(both):
    (interpreted, _), (compiled, _) = both
    assert interpreted["is_interpreted"]
    assert not compiled["is_interpreted"]


@pytest.mark.parametrize("name", CASES)
def test_case(both, name):
    (interpreted, _), (compiled, _) = both
    keys = [key for key in compiled if key.startswith(name + ".")]
    assert keys
    for key in keys:
        actual, expected = interpreted[key], compiled[key]
        assert actual.dtype == expected.dtype
        if name.startswith("approximate"):
            np.testing.assert_allclose(actual, expected, rtol=3e-6, atol=1e-7, err_msg=key)
            continue
        np.testing.assert_array_equal(actual, expected, err_msg=key)
        if actual.dtype.kind == "f":
            known = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(actual[known]), np.signbit(expected[known]), err_msg=key)


def test_printed_lines(both):
    (_, interpreted), (_, compiled) = both
    assert len(interpreted.splitlines()) == 14
    assert sorted(interpreted.splitlines()) == sorted(compiled.splitlines())
