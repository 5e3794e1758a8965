"""Runs every case of `kernels.py` and saves the results. The tests start it compiled and with `TRITON_INTERPRET=1`."""

import sys

import numpy as np

from . import kernels


def main(path: str) -> None:
    found = {"is_interpreted": np.array("triton.runtime.interpreter" in sys.modules)}
    for name, function in kernels.CASES.items():
        for key, array in function().items():
            found[f"{name}.{key}"] = array
    np.savez(path, **found)
    kernels.print_case()


if __name__ == "__main__":
    main(sys.argv[1])
