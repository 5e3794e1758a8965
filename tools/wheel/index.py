"""Package indexes of finished wheels, one per backend: python tools/wheel/index.py [DIST]

Writes DIST/BACKEND/simple/PROJECT/index.html (PEP 503, with digests) for every folder of wheels below DIST. Any server
can serve DIST, and it works as it is: pip install --index-url file:///DIST/BACKEND/simple flagtree.

Wheels of different backends differ in their local version label alone, and of several labels pip takes the one that
sorts last, so they must not be in one index.
"""

from __future__ import annotations

import hashlib
import html
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]


def write_indexes(dist: Path) -> list[Path]:
    """Writes the index of every backend below ``dist``; returns the pages of projects."""
    written = []
    for folder in sorted({wheel.parent for wheel in dist.glob("*/*.whl")}):
        projects: dict[str, list[Path]] = {}
        for wheel in sorted(folder.glob("*.whl")):
            projects.setdefault(_normalized(wheel.name.partition("-")[0]), []).append(wheel)
        simple = folder / "simple"
        _write(simple, [(f"{name}/", name) for name in projects])
        for name, wheels in projects.items():
            written.append(_write(simple / name, [(_address(wheel), wheel.name) for wheel in wheels]))
    return written


def _address(wheel: Path) -> str:
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"../../{quote(wheel.name)}#sha256={digest}"


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _write(folder: Path, links: Sequence[tuple[str, str]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f'<a href="{html.escape(address)}">{html.escape(text)}</a><br>' for address, text in links]
    page = folder / "index.html"
    head = '<!DOCTYPE html>\n<html><head><meta name="pypi:repository-version" content="1.0"></head><body>\n'
    page.write_text(f"{head}{chr(10).join(lines)}\n</body></html>\n", encoding="utf-8")
    return page


def main(argv: Sequence[str]) -> int:
    dist = Path(argv[0]) if argv else ROOT / "dist"
    pages = write_indexes(dist)
    if not pages:
        print(f"error: {dist} has no folder with wheels; tools/wheel/make.py makes them", file=sys.stderr)
        return 1
    print("\n".join(map(str, pages)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
