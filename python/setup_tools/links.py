"""The links and the marker that make a source tree importable as an editable install of one selection."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from .assembly import MARKER_FILE, SOURCE_ROOT, Assembly
from .errors import BuildError

MARKER_NAME = Path(MARKER_FILE).name


def make_links(assembly: Assembly, say: Callable[[str], None]) -> None:
    """Create the selection's links and marker, and remove the links of other backends. ``say`` reports each change."""
    trunk = assembly.root / SOURCE_ROOT / "triton"
    wanted = {link.location: link.target for link in assembly.links}
    for folder in (trunk / "backends", trunk / "language" / "extra"):
        for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
            leads_to_folder = entry.is_symlink() and (entry.is_dir() or not entry.exists())
            if leads_to_folder and entry not in wanted:
                entry.unlink()
                say(f"removed the link {entry.relative_to(assembly.root)}: not part of this build")
    for location, target in wanted.items():
        _link(location, target, say)
    write_if_changed(trunk / MARKER_NAME, assembly.marker)


def write_if_changed(file: Path, text: str) -> None:
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _link(location: Path, target: Path, say: Callable[[str], None]) -> None:
    wanted = os.path.relpath(target, location.parent)
    if location.is_symlink():
        if os.readlink(location) == wanted:
            return
        location.unlink()
    elif location.exists():
        raise BuildError(f"{location} is in the way: an editable install puts a link to {target} there. Move it away.")
    location.parent.mkdir(parents=True, exist_ok=True)
    location.symlink_to(wanted, target_is_directory=True)
    say(f"linked {location} to {wanted}")
