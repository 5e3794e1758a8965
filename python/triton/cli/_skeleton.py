"""The files of a new backend, made from the templates of this package. In their names and texts, ``@name@`` stands for
the backend's name, ``@Name@`` and ``@NAME@`` for forms of it, ``@line@`` for the release line of this Triton."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parent / "templates"
_SUFFIX = ".in"
_HIDDEN = "dot-"  # package data leaves out files whose names begin with a dot
_BANNER = re.compile(r"^(//===- .*?)-*( ?-\*- C\+\+ -\*-)?-*===//$", re.MULTILINE)
_BANNER_WIDTH = 80


def backend_files(name: str, line: str, cpp: bool) -> dict[str, str]:
    """Paths below the backend's folder and texts."""
    return _rendered(("backend", "cpp") if cpp else ("backend",), _words(name, line))


def repository_files(name: str, line: str, cpp: bool) -> dict[str, str]:
    """Paths below a repository that holds the backend's folder, and texts."""
    words = _words(name, line)
    own = _rendered(("repository", "repository_cpp") if cpp else ("repository",), words)
    return {**own, **{f"{name}/{path}": text for path, text in backend_files(name, line, cpp).items()}}


def dashed(name: str) -> str:
    """The name as distributions write it."""
    return re.sub("_+", "-", name.strip("_"))


def _words(name: str, line: str) -> dict[str, str]:
    return {
        "@name@": name,
        "@Name@": "".join(part[:1].upper() + part[1:] for part in name.split("_")),
        "@NAME@": name.upper(),
        "@dashed@": dashed(name),
        "@label@": re.sub("_+", ".", name.strip("_")),
        "@line@": line,
    }


def _rendered(trees: tuple[str, ...], words: Mapping[str, str]) -> dict[str, str]:
    """The files of all trees; those of a later one take the place of earlier ones."""
    found = {}
    for tree in trees:
        for path, text in _templates(TEMPLATES / tree):
            found[_replaced(path, words)] = _BANNER.sub(_banner, _replaced(text, words))
    return found


def _templates(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob(f"*{_SUFFIX}")):
        path = file.relative_to(folder).as_posix().removesuffix(_SUFFIX)
        yield path.replace(_HIDDEN, ".", 1) if path.startswith(_HIDDEN) else path, file.read_text(encoding="utf-8")


def _replaced(text: str, words: Mapping[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def _banner(match: re.Match[str]) -> str:
    """The first line of a C++ file, as long as LLVM's style has it."""
    title, kind = match[1], (match[2] or "").strip()
    end = f"{kind}===//"
    return title + "-" * max(1, _BANNER_WIDTH - len(title) - len(end)) + end
