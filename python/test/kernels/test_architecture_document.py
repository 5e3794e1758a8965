"""docs/architecture.md speaks of folders and files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs" / "architecture.md").read_text()
PATHS = sorted({path for path in re.findall(r"`([\w./-]+)`", DOCUMENT)
                if path.split("/")[0] in {entry.name for entry in ROOT.iterdir() if entry.is_dir()} and "/" in path})


def test_paths_are_found_in_the_text():
    assert len(PATHS) > 8


@pytest.mark.parametrize("path", PATHS)
def test_path_exists(path):
    assert (ROOT / path).exists()
