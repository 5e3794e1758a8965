"""Runs every case and saves the results. The tests start it compiled and with `TRITON_INTERPRET=1`."""

import sys

import numpy as np

from . import kernels_blocks, kernels_numbers, kernels_programs  # noqa: F401  (they define the cases)
from .cases import CASES


def main(path: str) -> None:
    found = {"is_interpreted": np.array("triton.runtime.interpreter" in sys.modules)}
    for name, function in CASES.items():
        for key, array in function().items():
            found[f"{name}.{key}"] = array
    np.savez(path, **found)
    kernels_programs.print_case()


if __name__ == "__main__":
    main(sys.argv[1])
