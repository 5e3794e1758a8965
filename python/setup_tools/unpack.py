"""Unpacking of archives from elsewhere: nothing of one may end up outside its folder."""

from __future__ import annotations

import copy
import lzma
import os
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .errors import BuildError

# Python's own filter, where this release has it, is a second fence behind the checks below.
_FILTER: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}


class UnsafeArchiveError(BuildError):
    """An archive with an entry that leads out of it."""


def unpack(archive: Path, folder: Path) -> None:
    """Unpack the tar archive into ``folder``. Raises UnsafeArchiveError before anything of a bad one is written."""
    try:
        with tarfile.open(archive, "r:*") as tar:
            members = list(_checked(tar, archive))
            tar.extractall(folder, members, **_FILTER)
    except (tarfile.TarError, OSError, EOFError, lzma.LZMAError, zlib.error, UnicodeError) as error:
        raise BuildError(
            f"{archive} cannot be unpacked into {folder}: {error}. It must be a tar archive, plain or compressed with "
            "gzip, bzip2 or xz."
        ) from error


def _checked(tar: tarfile.TarFile, archive: Path) -> Iterator[tarfile.TarInfo]:
    """The entries, with owners and special permissions removed."""
    links: set[str] = set()
    files: set[str] = set()
    for member in tar:
        problem = _problem(member, links, files)
        if problem:
            raise UnsafeArchiveError(f"{archive}: the entry {member.name!r} {problem}. Nothing was unpacked.")
        name = _plain(member.name)
        if member.issym():
            links.add(name)
        elif member.isfile():
            files.add(name)
        if name:
            yield _harmless(member)


def _problem(member: tarfile.TarInfo, links: set[str], files: set[str]) -> str | None:
    """Why ``member`` must not be unpacked after ``links`` and ``files``."""
    if _leads_out(member.name):
        return "leads out of the archive"
    name = _plain(member.name)
    if _passes(name, links):
        return "lies behind a link"
    if member.issym():
        return _link_problem(name, member.linkname)
    if member.islnk():
        known = not _leads_out(member.linkname) and _plain(member.linkname) in files
        return None if known else f"is a second name of {member.linkname!r}, which is no file before it"
    return None if member.isfile() or member.isdir() else "is neither a file, a folder nor a link"


def _leads_out(name: str) -> bool:
    return name.startswith("/") or ".." in name.split("/") or "\0" in name


def _plain(name: str) -> str:
    """``name`` without ``.`` and double slashes."""
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def _link_problem(name: str, target: str) -> str | None:
    """A symbolic link may go up by leading ``..`` only: behind a name, ``..`` would follow that name's own link."""
    parts = _plain(target).split("/")
    ups = next((count for count, part in enumerate(parts) if part != ".."), len(parts))
    if target.startswith("/") or ups > name.count("/") or ".." in parts[ups:]:
        return f"is a link out of the archive, to {target!r}"
    return None


def _passes(name: str, links: set[str]) -> bool:
    """Whether ``name`` is, or lies below, one of ``links``."""
    parts = name.split("/")
    return any("/".join(parts[:count]) in links for count in range(1, len(parts) + 1))


def _harmless(member: tarfile.TarInfo) -> tarfile.TarInfo:
    clean = copy.copy(member)
    clean.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
    clean.uid, clean.gid, clean.uname, clean.gname = os.getuid(), os.getgid(), "", ""
    return clean
