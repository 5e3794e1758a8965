"""What the last editable install put into the source tree, so that the next one removes what it no longer has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from .links import write_if_changed


def remove_leftovers(record: Path, installed: Iterable[str], root: Path, say: Callable[[str], None]) -> None:
    """Delete the files that ``record`` lists and ``installed`` lacks; then let ``record`` list ``installed``.

    Links are followed when a file is recorded: those of the other backend are gone when its files are looked for. Files
    outside ``root`` are left alone.
    """
    now = sorted({str(Path(name).resolve()) for name in installed})
    for name in _recorded(record):
        file = Path(name)
        if name not in now and file.is_file() and file.is_relative_to(root):
            file.unlink()
            say(f"removed {file.relative_to(root)}: not part of this build")
    write_if_changed(record, json.dumps(now, indent=1))


def _recorded(record: Path) -> list[str]:
    try:
        return json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # the first install, or one that was killed while it wrote
        return []
