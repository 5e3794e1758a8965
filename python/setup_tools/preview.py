"""A package made of links to this checkout, for backends that differ in Python only: nothing is built or installed.

    TRITON_PLUGIN_DIRS=/path/to/acme FLAGTREE_BACKEND=acme python -m setup_tools preview /tmp/acme-preview
    PYTHONPATH=/tmp/acme-preview/python pytest /path/to/acme/test

It uses the compiler library that the checkout has. The checkout itself is not changed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .assembly import SOURCE_ROOT, assemble
from .errors import BuildError
from .links import MARKER_NAME, make_links
from .project import Project


def make_preview(project: Project, folder: Path, say: Callable[[str], None]) -> Path:
    """Links the package for the selection of ``project`` below ``folder``; returns what belongs on ``PYTHONPATH``.

    A preview that is already there is brought up to date. Raises BuildError where a selected backend has C++ that the
    checkout's library need not hold, where there is no library, and where ``folder`` holds something else.
    """
    _check(project)
    trunk, copy = project.root / SOURCE_ROOT / "triton", folder / SOURCE_ROOT / "triton"
    _check_place(folder, copy)
    _mirror(trunk, copy, ("backends", "language", "__init__.py"))
    (copy / "__init__.py").write_text((trunk / "__init__.py").read_text(encoding="utf-8"), encoding="utf-8")
    _mirror(trunk / "backends", copy / "backends", ())
    _mirror(trunk / "language", copy / "language", ("extra",))
    _mirror(trunk / "language" / "extra", copy / "language" / "extra", ())
    make_links(assemble(folder, project.assembly.selection), say)
    return copy.parent


def _check(project: Project) -> None:
    for manifest in project.assembly.selection.backends:
        if manifest.cpp_parts and not manifest.backend.always:
            parts = ", ".join(part.relative_to(manifest.folder).as_posix() for part in manifest.cpp_parts)
            raise BuildError(
                f"Backend {manifest.name!r} has C++ ({parts}), which a preview does not compile. "
                f"Build it: FLAGTREE_BACKEND={manifest.name} pip install --no-build-isolation -e {project.root}"
            )
    library = project.root / SOURCE_ROOT / "triton" / "_C"
    if not any(library.glob("libtriton.*")):
        raise BuildError(
            f"{library} holds no libtriton, which a preview borrows. "
            f"Build the checkout first: pip install --no-build-isolation -e {project.root}"
        )


def _check_place(folder: Path, copy: Path) -> None:
    """An earlier preview has its own ``__init__.py`` and links beside it; a checkout has no such links."""
    if not folder.exists():
        return
    is_preview = (copy / "__init__.py").is_file() and (copy / "flagtree_spec.py").is_symlink()
    if not folder.is_dir() or (any(folder.iterdir()) and not is_preview):
        raise BuildError(f"{folder} is no empty folder and no earlier preview. Name another one.")


def _mirror(source: Path, target: Path, real: tuple[str, ...]) -> None:
    """Links in ``target`` to every entry of ``source`` that is no link itself, except the marker and ``real`` ones."""
    target.mkdir(parents=True, exist_ok=True)
    left_out = (*real, MARKER_NAME, "__pycache__")
    wanted = {entry.name: entry for entry in source.iterdir() if not entry.is_symlink() and entry.name not in left_out}
    for old in target.iterdir():
        if old.is_symlink() and old.name not in wanted and not old.exists():
            old.unlink()  # the trunk's file is gone
    for name, entry in wanted.items():
        if not (target / name).is_symlink():
            (target / name).symlink_to(entry)
