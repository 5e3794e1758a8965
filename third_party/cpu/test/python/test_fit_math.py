"""The script that fits the polynomials: its result is what is checked in, and accurate in simulation."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("mpmath", reason="the fit needs mpmath")
SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "fit_math.py"


@pytest.fixture(scope="module")
def fit_math():
    spec = importlib.util.spec_from_file_location("fit_math", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["fit_math"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["fit_math"]


@pytest.fixture(scope="module")
def tables(fit_math):
    return {spec.name: fit_math.fit(spec) for spec in fit_math.FITS}


def test_header_is_up_to_date(fit_math, tables):
    assert fit_math.agree(fit_math.HEADER.read_text(), fit_math.render(tables))


def test_changed_coefficient_is_noticed(fit_math, tables):
    text = fit_math.render(tables)
    changed = dict(tables, kExp=[*tables["kExp"][:-1], tables["kExp"][-1] * 1.01])
    assert not fit_math.agree(text, fit_math.render(changed))
    assert not fit_math.agree(text.replace("kLog2", "kLog3"), text)


def test_simulated_errors(fit_math, tables):
    errors = fit_math.simulate(tables)
    assert set(errors) == {"exp", "exp2", "log", "log2", "erf", "tanh"}
    assert max(errors.values()) < 1.5
