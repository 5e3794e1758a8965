"""What an installed wheel must do on any machine. tools/wheel/test_installed.py runs these tests against one, alone."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import triton
import triton.language as tl

# A tree that was built with CMake alone has no marker. In a wheel its absence fails test_installed.py.
marker = pytest.importorskip("triton._flagtree_backend", reason="this tree was not installed")
BACKEND, BACKENDS = marker.BACKEND, marker.BACKENDS
PACKAGE = Path(triton.__file__).parent


def installed_points(group: str) -> dict[str, importlib.metadata.EntryPoint]:
    """The entry points of the distribution that `triton` belongs to."""
    points = importlib.metadata.entry_points(group=group)
    return {p.name: p for p in points if p.value.partition(".")[0] == "triton"}


def test_every_backend_has_an_entry_point_that_loads():
    points = installed_points("triton.backends")
    assert set(BACKENDS) <= set(points)
    for name in BACKENDS:
        assert points[name].load().__name__ == f"triton.backends.{name}"


@pytest.mark.parametrize("name", BACKENDS)
def test_compiler_and_driver_of_every_backend_import(name):
    backend = triton.backends.backends[name]
    assert backend.compiler.__module__.startswith(f"triton.backends.{name}.")
    assert backend.driver.__module__.startswith(f"triton.backends.{name}.")


def test_the_selected_backend_is_one_of_the_wheels():
    assert BACKEND in BACKENDS and "cpu" in BACKENDS


def test_commands_load():
    points = installed_points("console_scripts")
    assert callable(points["flagtree"].load())


def test_filecheck_runs(tmp_path):
    checks = tmp_path / "checks"
    checks.write_text("CHECK: kernel\n")
    program = PACKAGE / "FileCheck"
    assert os.access(program, os.X_OK)
    assert subprocess.run([program, checks], input="a kernel\n", text=True, check=False).returncode == 0
    assert subprocess.run([program, checks], input="no\n", text=True, capture_output=True, check=False).returncode == 1


@triton.jit
def axpy(x, y, out, n, a, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, a * tl.load(x + i, i < n) + tl.exp(tl.load(y + i, i < n)), i < n)


@triton.jit
def row_sums(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(out + row, tl.sum(tl.load(x + row * columns + i, i < columns, 0.0), 0))


@pytest.fixture
def on_the_cpu(monkeypatch):
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "cpu")
    triton.runtime.driver.reset_active()
    yield
    monkeypatch.undo()
    triton.runtime.driver.reset_active()


def test_kernels_run_on_the_cpu(on_the_cpu):
    x, y = np.linspace(-1, 1, 2 * 1000, dtype=np.float32).reshape(2, 1000)
    out = np.full(1001, 7, np.float32)
    axpy[(8,)](x, y, out, 1000, 2.5, BLOCK=128)
    np.testing.assert_allclose(out[:1000], 2.5 * x + np.exp(y), rtol=1e-5, atol=1e-6)
    assert out[1000] == 7
    matrix = np.arange(4 * 60, dtype=np.float32).reshape(4, 60)
    sums = np.empty(4, np.float32)
    row_sums[(4,)](matrix, sums, 60, BLOCK=64)
    np.testing.assert_array_equal(sums, matrix.sum(1))


def test_a_mistake_in_a_kernel_is_reported_with_its_line(on_the_cpu):
    @triton.jit
    def wrong(x):
        tl.store(x, undefined_name)

    with pytest.raises(triton.CompilationError, match="undefined_name"):
        wrong[(1,)](np.zeros(1, np.float32))
