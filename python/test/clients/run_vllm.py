"""Runs the Triton kernels of vLLM on CPU tensors and compares them with their formulas in torch.

    python python/test/clients/run_vllm.py [NAME ...]

A name is that of a case, or the beginning of some. `docs/clients.md` says what has to be installed.
"""

from __future__ import annotations

import importlib
import sys
import warnings

import torch
import vllm_setup
from report import difference, report
from vllm_cases import CASES

AREAS = ("attention", "products", "state", "sampling", "layers")


def check(name: str) -> str:
    """What is wrong with the case; empty if nothing is."""
    torch.manual_seed(0)
    return difference(*CASES[name]())


def main(names: list[str]) -> int:
    warnings.simplefilter("ignore")
    vllm_setup.prepare()
    for area in AREAS:
        importlib.import_module(f"vllm_cases.{area}")
    chosen = [case for case in CASES if not names or any(case.startswith(name) for name in names)]
    return report(chosen, check, "cases of vLLM's kernels agree with torch")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
