"""The jobs that publish wheels, made from the manifests: python tools/wheel/matrix.py

Prints one line of JSON, ``{"include": [{"backend": ..., "architecture": ..., ...}, ...]}``, the form in which workflows
take a matrix. A job makes the wheels of one backend for one machine, for all Pythons, because these share a compiler.
A new backend with a manifest is a new job; nothing else is to be edited.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# The machine that a job runs on. Both are native: emulation would take hours.
RUNNERS = {"x86_64": "ubuntu-24.04", "aarch64": "ubuntu-24.04-arm"}


def jobs(manifests: Iterable[Any]) -> list[dict[str, str]]:
    """One job for each backend and architecture that it publishes wheels for."""
    return [
        {
            "backend": manifest.name,
            "architecture": architecture,
            "runner": RUNNERS[architecture],
            # The name of the image made by tools/wheel/Containerfile, below the registry that the workflow knows.
            "image": f"flagtree-{manifest.name.replace('_', '-')}-manylinux_2_28_{architecture}",
            "artifact": f"wheels-{manifest.name}-{architecture}",
        }
        for manifest in manifests
        for architecture in manifest.wheel.architectures
    ]


def main() -> int:
    sys.path.insert(0, str(ROOT / "python"))
    from setup_tools.errors import BuildError
    from setup_tools.registry import read_registry

    try:
        registry = read_registry(ROOT, os.environ)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(json.dumps({"include": jobs(registry.manifests.values())}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
