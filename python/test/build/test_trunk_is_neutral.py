"""Trunk files do not name vendors."""

from __future__ import annotations

import re
from pathlib import Path

from .conftest import ROOT

ALLOWED = Path(__file__).with_name("vendor_names.txt")
TRUNK = (
    "CMakeLists.txt",
    "setup.py",
    "cmake",
    "include",
    "lib",
    "bin",
    "python/triton",
    "python/src",
    "python/setup_tools",
)
SUFFIXES = (".py", ".cpp", ".cc", ".h", ".td", ".cmake", ".txt", ".toml")
VENDORS = (
    *("nvidia", "cuda", "cupti", "ptxas", "nvptx", "amd", "amdgpu", "rocm", "hip", "hcu", "ascend", "npu", "cambricon"),
    *("mlu", "mthreads", "musa", "metax", "maca", "iluvatar", "xpu", "kunlun", "intel", "tsingmicro", "gcu", "sunrise"),
)
WORD = re.compile(rf"(?<![a-z0-9])({'|'.join(VENDORS)})(?![a-z0-9])", re.IGNORECASE)


def trunk_files():
    for name in TRUNK:
        path = ROOT / name
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            inside_a_link = any((ROOT / parent).is_symlink() for parent in file.relative_to(ROOT).parents)
            if file.suffix in SUFFIXES and file.is_file() and not inside_a_link and file.name != "_flagtree_backend.py":
                yield file


def allowed_names() -> dict[str, set[str]]:
    """Vendor words that the public interface itself has, by file (``path: word word``)."""
    allowed = {}
    for line in ALLOWED.read_text().splitlines():
        if line and not line.startswith("#"):
            path, _, words = line.partition(":")
            allowed[path] = set(words.split())
    return allowed


def test_c7_trunk_files_name_no_vendor():
    allowed = allowed_names()
    found = []
    for file in trunk_files():
        name = file.relative_to(ROOT).as_posix()
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            for match in WORD.finditer(line.replace("_", " ")):
                if match[0].lower() not in allowed.get(name, ()):
                    found.append(f"{name}:{number}: {match[0]} in {line.strip()}")
    assert not found, "\n".join(found)


def test_the_list_of_exceptions_holds_nothing_that_is_not_needed():
    superfluous = []
    for name, words in allowed_names().items():
        file = ROOT / name
        text = file.read_text(encoding="utf-8").replace("_", " ") if file.is_file() else ""
        used = {match[0].lower() for match in WORD.finditer(text)}
        superfluous += [f"{name}: {word}" for word in sorted(words - used)]
    assert not superfluous, "\n".join(superfluous)


def test_the_search_itself_finds_a_vendor():
    assert WORD.search("if backend == 'nvidia':")
    assert WORD.search("TRITON_CUDA_PATH".replace("_", " "))
    assert not WORD.search("whip champion minimum compu cudart2x")
