"""Compiles a kernel ahead of time, for MUSA unless the target says otherwise.

    python -m triton.tools.compile kernels.py -n add \\
        -s "*fp32:16, *fp32:16, *fp32:16, i32, 1024" -g "(n + 1023) / 1024, 1, 1" -t musa:31

It is the trunk's tool with what is particular to these devices: a target may be written ``musa:31`` or ``mp_31``, since
the architecture says how many threads run in step; four warps and one stage are the defaults; a program with more
threads than a device has room for is refused before it is compiled. Without ``-t`` the current device is meant, never
the CPU in its place. Other targets of this installation, such as ``cpu:x86-64:1``, are left to the trunk.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from triton.backends.mthreads.target import MAX_THREADS, TARGET
from triton.flagtree_spec import replaced

_trunk = replaced("triton.tools.compile")
AotError = _trunk.AotError

_WARPS, _STAGES = 4, 1
_SHORT = re.compile(r"(?:musa:|mp_)(\d+)(?::(\d+))?")


def __getattr__(name: str) -> Any:
    """What is not changed here is the trunk's."""
    return getattr(_trunk, name)


def full_target(text: str | None) -> str:
    """``backend:arch:warp_size`` for what the user wrote. AotError where it cannot be told."""
    from triton.backends.mthreads.compiler import warp_size

    if text is None:
        target = _trunk.parse_target(None)
        if target.backend != TARGET:
            raise AotError(
                f"no MUSA device is active here (kernels go to {target.backend}), so the target has to be named: "
                f"-t musa:31, or -t {target.backend}:{target.arch}:{target.warp_size}"
            )
        return f"{TARGET}:{target.arch}:{target.warp_size}"
    if not text.startswith((f"{TARGET}:", "mp_")):
        return text
    match = _SHORT.fullmatch(text)
    if match is None:
        raise AotError(f"target {text!r}: expected musa:ARCHITECTURE, such as musa:31, or mp_31")
    threads = warp_size(int(match[1]))
    if match[2] and int(match[2]) != threads:
        raise AotError(f"target {text!r}: mp_{match[1]} runs {threads} threads in step, not {match[2]}")
    return f"{TARGET}:{match[1]}:{threads}"


def compile_kernel(arguments: argparse.Namespace) -> list[Path]:
    """Compiles as the command line says and returns the files that were written. AotError or ValueError."""
    arguments.target = full_target(arguments.target)
    is_musa = arguments.target.startswith(f"{TARGET}:")
    for name, own, trunks in (("num_warps", _WARPS, 1), ("num_stages", _STAGES, 3)):
        if getattr(arguments, name) is None:
            setattr(arguments, name, own if is_musa else trunks)
    if is_musa:
        threads = int(arguments.target.rpartition(":")[2])
        if arguments.num_warps * threads > MAX_THREADS:
            raise AotError(
                f"{arguments.num_warps} warps of {threads} threads are more than the {MAX_THREADS} threads that a "
                f"program can have on {arguments.target}: at most --num-warps {MAX_THREADS // threads}"
            )
    return _trunk.compile_kernel(arguments)


def main(argv: Sequence[str] | None = None) -> int:
    parser = _trunk._parser()
    parser.description = __doc__
    parser.set_defaults(num_warps=None, num_stages=None)
    arguments = parser.parse_args(argv)
    try:
        written = compile_kernel(arguments)
    except (AotError, ValueError, RuntimeError) as error:
        print(f"triton.tools.compile: {error}", file=sys.stderr)
        return 1
    for path in written:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
