"""Platforms that there are not: the host's device, with other entries in its record, for the length of a process."""

from __future__ import annotations

import subprocess
from pathlib import Path

from python_process import run

_PREAMBLE = """
import dataclasses, importlib.util, sys
spec = importlib.util.spec_from_file_location("torch_fl.profiles", {path!r})
profiles = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(profiles)
fake = dataclasses.replace(profiles.PROFILES["host"], **{changes!r})
profiles.profile = lambda: fake
import torch, torch_fl
"""


def run_on(changes: dict[str, object], code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `code`, which finds `torch` and `torch_fl` imported, in a process whose profile has `changes`."""
    import importlib.util

    package = importlib.util.find_spec("torch_fl")
    path = Path(package.origin).with_name("profiles.py")
    preamble = _PREAMBLE.format(path=str(path), changes=changes)
    return run(preamble + code, TORCH_DEVICE_BACKEND_AUTOLOAD="0", **environment)
