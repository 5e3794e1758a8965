"""Results of plain `cuda`, from a process in which `flagos` is not registered: beside it, no backward pass runs there.

The process reads requests, one line of JSON each, and answers with the name of a file that has the results.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import opinfo_sample
import torch
from opinfo import Sweep, compiled, title

Results = list[list[Any] | str]
_DONE = "the results are written"


def attempt(run: Callable[..., list[Any]], *arguments: Any) -> list[Any] | str:
    """What `run` returns, or the error that it raises, as text."""
    try:
        return run(*arguments)
    except Exception as error:  # noqa: BLE001  the outcome
        return f"{type(error).__name__}: {' '.join(str(error).split())}"


class PlainCuda:
    """Answers for one sweep after the other. The process starts with the first question, and again if it dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._folder = tempfile.TemporaryDirectory()

    def __enter__(self) -> PlainCuda:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._process:
            self._process.stdin.close()
            self._process.wait()
        self._folder.cleanup()

    def results(self, sweep: Sweep, op: Any, is_compiled: bool) -> Results:
        """The results of each sample of an operator on `cuda`, or the error that it raises."""
        path = Path(self._folder.name) / "results"
        request = {
            "name": title(op),
            "dtype": str(sweep.dtype).removeprefix("torch."),
            "samples": sweep.samples,
            "backward": sweep.backward,
            "is_compiled": is_compiled,
            "path": str(path),
        }
        if not self._ask(json.dumps(request)):
            return ["the process of cuda died"] * len(sweep.inputs(op))
        return pickle.loads(path.read_bytes())

    def _ask(self, request: str) -> bool:
        """Whether the request was answered. Operators may print lines of their own."""
        process = self._running()
        try:
            process.stdin.write(request + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return False
        return any(line.strip() == _DONE for line in iter(process.stdout.readline, ""))

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
            )
        return self._process


def answer(name: str, dtype: str, samples: int, backward: bool, is_compiled: bool) -> Results:
    sweep = Sweep(getattr(torch, dtype), device="cuda", samples=samples, backward=backward)
    op = next(op for op in sweep.operators([]) if title(op) == name)
    run = opinfo_sample.backward if backward else opinfo_sample.forward
    return [
        attempt(run, compiled(op.get_op(), "cuda") if is_compiled else op.get_op(), sample, "cuda")
        for sample in sweep.inputs(op)
    ]


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.backends.cudnn.allow_tf32 = False
    for line in sys.stdin:
        request = json.loads(line)
        Path(request.pop("path")).write_bytes(pickle.dumps(answer(**request)))
        print(_DONE, flush=True)


if __name__ == "__main__":
    main()
