"""A folder of tests that pytest does not look into would be missed by nobody."""

from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_no_folder_with_tests_is_left_out(pytestconfig):
    patterns = pytestconfig.getini("norecursedirs")
    folders = {file.parent for top in ("python/test", "third_party") for file in (ROOT / top).rglob("test_*.py")}
    assert ROOT / "python" / "test" / "build" in folders
    left_out = {
        str(folder.relative_to(ROOT))
        for folder in folders
        if any(fnmatch(part, pattern) for part in folder.relative_to(ROOT).parts for pattern in patterns)
    }
    assert not left_out
