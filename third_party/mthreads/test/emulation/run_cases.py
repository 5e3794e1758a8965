"""Runs all cases: ``run_cases.py ARCHITECTURE WARPS``. Prints {case: "ok" or the error} as JSON.

Each case runs twice, with the threads of a block taking their turns forwards and backwards.
"""

from __future__ import annotations

import json
import sys
import traceback

import cases_blocks  # noqa: F401 - fills CASES
import cases_more  # noqa: F401
from emulate import Emulator
from support import CASES, restart


def outcome(emulator: Emulator, case, reverse: bool) -> str:
    restart()

    def run(kernel, grid, *arguments, **constants):
        return emulator.run(kernel, grid, *arguments, reverse=reverse, **constants)

    try:
        case(run)
    except Exception:  # noqa: BLE001 - reported by name, the other cases go on
        return f"threads {'backwards' if reverse else 'forwards'}: {traceback.format_exc()}"
    return "ok"


def main(arch: int, warps: int) -> None:
    emulator = Emulator(arch, warps)
    results = {}
    for case in CASES:
        results[case.__name__] = outcome(emulator, case, False)
        if results[case.__name__] == "ok":
            results[case.__name__] = outcome(emulator, case, True)
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
