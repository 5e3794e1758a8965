"""The cases that run compiled and interpreted: each is a function that launches kernels and returns arrays."""

from __future__ import annotations

import numpy as np

CASES: dict = {}
N = 256
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 3.4e38, 65520, 1e6, 448, 464, 57344, 0.3])


def case(function):
    CASES[function.__name__] = function
    return function


def integers(dtype, seed=0, n=N):
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max, n, dtype=dtype, endpoint=True)


def floats(seed=0, n=N, span=4.0, dtype=np.float32):
    return np.random.default_rng(seed).uniform(-span, span, n).astype(dtype)
