"""What the last editable install put into the source tree, so that the next one removes what it no longer has."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from .links import write_if_changed


def installed_records(root: Path) -> list[Path]:
    """The records of the checkout ``root``, one per Python."""
    return sorted((root / "build").glob("editable-*.json"))


def remove_leftovers(installed: Iterable[str], root: Path, say: Callable[[str], None]) -> None:
    """Delete what the last install by this Python put into ``root`` and ``installed`` lacks; then record the latter.

    Links are followed when a file is recorded: those of the other backend are gone when its files are looked for. They
    may lead to a backend's folder elsewhere. What was not installed below ``root`` is neither recorded nor deleted.
    """
    record = root / "build" / f"editable-{sys.implementation.cache_tag}.json"
    now = sorted({str(Path(name).resolve()) for name in installed if Path(name).is_relative_to(root)})
    for name in recorded_files(record):
        file = Path(name)
        if name not in now and file.is_file():
            file.unlink()
            shown = file.relative_to(root) if file.is_relative_to(root) else file
            say(f"removed {shown}: not part of this build")
    write_if_changed(record, json.dumps(now, indent=1))


def recorded_files(record: Path) -> list[str]:
    """The real paths of the files that ``record`` lists."""
    try:
        return json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # the first install, or one that was killed while it wrote
        return []
