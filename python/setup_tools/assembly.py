"""What a wheel, an editable install and an sdist hold, computed once from the selection.

In an editable install every package lies below ``python``, the backends through links, so that setuptools writes a
plain ``.pth``. In a wheel the same packages are taken from where they really are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .manifest import Manifest
from .registry import Selection

SOURCE_ROOT = "python"
MARKER_FILE = "triton/_flagtree_backend.py"
_TRUNK_DATA = ("cli/templates/**/*",)


@dataclass(frozen=True)
class Link:
    """A package that lies elsewhere: ``name`` in Python, ``location`` below python/, ``target`` its real folder."""

    name: str
    location: Path
    target: Path


@dataclass(frozen=True)
class Assembly:
    """Arguments of ``setup()`` for one selection of backends.

    ``root`` is the source tree and ``base`` the folder in which setup runs; paths are relative to it where possible.
    ``marker`` is the text of a generated module, ``marker_file`` its place in a wheel.
    """

    root: Path
    base: Path
    selection: Selection
    links: tuple[Link, ...]
    packages: tuple[str, ...]
    package_data: dict[str, list[str]]
    entry_points: dict[str, list[str]]
    marker: str
    marker_file: str = MARKER_FILE

    @property
    def editable_package_dir(self) -> dict[str, str]:
        """``package_dir`` with all packages under one root, reached through the links."""
        return {"": SOURCE_ROOT}

    @property
    def wheel_package_dir(self) -> dict[str, str]:
        """``package_dir`` with every linked package at its real place."""
        trunk = {"": self._relative(self.root / SOURCE_ROOT)} if "triton" in self.packages else {}
        return {**trunk, **{link.name: self._relative(link.target) for link in self.links}}

    def _relative(self, folder: Path) -> str:
        return folder.relative_to(self.base).as_posix() if folder.is_relative_to(self.base) else str(folder)


def assemble(root: Path, selection: Selection, base: Path | None = None) -> Assembly:
    """The assembly of ``selection`` in the source tree ``root``. Reads folders, writes nothing.

    ``base`` is the folder in which setup runs, where that is not the source tree.
    """
    links = tuple(_links(root, selection))
    trunk = _packages(root / SOURCE_ROOT / "triton", "triton")
    return Assembly(
        root=root,
        base=base or root,
        selection=selection,
        links=links,
        packages=(*trunk, *_linked_packages(links)),
        package_data={"triton": list(_TRUNK_DATA), **_data(selection)},
        entry_points=_entry_points(selection),
        marker=_marker(selection),
    )


def assemble_alone(base: Path, manifest: Manifest, marker: str, marker_name: str) -> Assembly:
    """The assembly of one backend without the trunk; the generated module lies in its package."""
    selection = Selection(manifest, (manifest,))
    links = tuple(_links(base, selection))
    return Assembly(
        root=base,
        base=base,
        selection=selection,
        links=links,
        packages=tuple(_linked_packages(links)),
        package_data=_data(selection),
        entry_points=_entry_points(selection),
        marker=marker,
        marker_file=f"triton/backends/{manifest.name}/{marker_name}",
    )


def _data(selection: Selection) -> dict[str, list[str]]:
    return {f"triton.backends.{m.name}": list(m.backend.data) for m in selection.backends if m.backend.data}


def _entry_points(selection: Selection) -> dict[str, list[str]]:
    return {"triton.backends": [f"{name} = triton.backends.{name}" for name in selection.names]}


def _linked_packages(links: tuple[Link, ...]) -> Iterator[str]:
    for link in links:
        yield from _packages(link.target, link.name)


def _links(root: Path, selection: Selection) -> Iterator[Link]:
    trunk = root / SOURCE_ROOT / "triton"
    for manifest in selection.backends:
        yield Link(f"triton.backends.{manifest.name}", trunk / "backends" / manifest.name, manifest.package_dir)
        language = manifest.language_dir
        if language is not None:
            name = manifest.backend.language
            yield Link(f"triton.language.extra.{name}", trunk / "language" / "extra" / name, language)


def _packages(folder: Path, name: str) -> Iterator[str]:
    """``name`` and every package below its folder. Links are left out: they are other backends of this checkout.

    Folders of an overlay need no ``__init__.py``, so a folder counts as a package when it holds a Python file.
    """
    if any(folder.glob("*.py")):
        yield name
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink() and entry.name.isidentifier() and entry.name != "__pycache__":
            yield from _packages(entry, f"{name}.{entry.name}")


def _marker(selection: Selection) -> str:
    """Text of the generated module triton/_flagtree_backend.py."""
    primary = selection.primary
    aliases = {alias: manifest.name for manifest in selection.backends for alias in manifest.backend.aliases}
    return (
        '"""Generated by the build: the backend that this installation was built for."""\n\n'
        f'BACKEND = "{primary.name}"\n'
        f"OVERLAY = {primary.overlay_dir.is_dir()}\n"
        f"BACKENDS = {selection.names!r}\n"
        f"ALIASES = {aliases!r}\n"
    )
