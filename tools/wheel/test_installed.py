"""Tests the triton that this Python has installed, as its users have it: python/test/wheel and what its backends add.

The tests are copied into a folder of their own first, so that neither the checkout nor its pytest settings take part.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_folders(backends: tuple[str, ...]) -> dict[str, Path]:
    """The folders of tests for these backends, by the name that each gets in the copy."""
    folders = {"trunk": ROOT / "python" / "test" / "wheel"}
    folders.update({name: ROOT / "third_party" / name / "test" / "wheel" for name in backends})
    for plugin in filter(None, os.environ.get("TRITON_PLUGIN_DIRS", "").split(";")):
        folders[Path(plugin).name] = Path(plugin) / "test" / "wheel"
    return {name: folder for name, folder in folders.items() if folder.is_dir()}


def main() -> int:
    try:
        from triton._flagtree_backend import BACKENDS
    except ModuleNotFoundError as error:
        sys.exit(f"error: {sys.executable} has no installed wheel of FlagTree ({error}): install the one to test first")

    with tempfile.TemporaryDirectory(prefix="flagtree-installed-") as temporary:
        for name, folder in test_folders(BACKENDS).items():
            shutil.copytree(folder, Path(temporary, name), ignore=shutil.ignore_patterns("__pycache__"))
        Path(temporary, "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", encoding="ascii")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("TRITON_", "FLAGTREE_", "PYTEST_"))}
        kept["TRITON_CACHE_DIR"] = os.path.join(temporary, "cache")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pytest.ini", "."]
        return subprocess.run(command, cwd=temporary, env=kept, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
