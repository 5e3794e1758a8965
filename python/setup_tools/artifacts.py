"""The archives that backends name in their manifests: fetched once, verified, and unpacked for CMake.

The cache, FLAGTREE_CACHE_DIR, holds

    archives/<sha256>           the archive as it was downloaded
    unpacked/<sha256>/tree      its content
    unpacked/<sha256>/record    what that content was when it was unpacked, to notice damage
    locks/<sha256>              one process at a time per archive

Every entry appears in one step, by a rename, and is checked when it is used: what is damaged is made again.
"""

from __future__ import annotations

import json
import os
import shutil
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from .download import Progress, difference, download
from .environment import Environment, path_of
from .errors import BuildError
from .locking import exclusive
from .manifest import PLATFORM, Artifact, Manifest
from .unpack import unpack

READY, PACKED, DAMAGED, MISSING = "ready", "packed", "damaged", "missing"


@dataclass(frozen=True)
class State:
    """READY: unpacked and whole; PACKED: only the archive is there; DAMAGED or MISSING. ``text`` says why."""

    kind: str
    text: str = ""

    @property
    def usable(self) -> bool:
        """Whether a build can have it without fetching anything."""
        return self.kind in (READY, PACKED)


@dataclass(frozen=True)
class Needed:
    """An artifact and the backend that names it."""

    backend: str
    artifact: Artifact

    @property
    def label(self) -> str:
        return f"{self.backend}/{self.artifact.name}"

    @property
    def cmake_entry(self) -> str:
        """The CMake cache entry with the folder of its content."""
        return f"TRITON_ARTIFACT_DIR_{self.backend}_{self.artifact.name}"


def needed_artifacts(manifests: Iterable[Manifest], platform: str | None = None) -> list[Needed]:
    """What ``manifests`` name for ``platform`` (default: the running one). Raises BuildError where that is none."""
    if platform is not None and not PLATFORM.fullmatch(platform):
        raise BuildError(f"{platform!r} is not a platform such as 'linux-x86_64'.")
    wanted = ("", platform or sysconfig.get_platform())
    return [Needed(m.name, a) for m in manifests for a in m.artifacts if a.platform in wanted]


def cache_root(environment: Environment) -> Path:
    """FLAGTREE_CACHE_DIR, else the user's folder for caches."""
    chosen = environment.text("FLAGTREE_CACHE_DIR")
    if chosen:
        return path_of(chosen, "FLAGTREE_CACHE_DIR")
    return path_of(environment.values.get("XDG_CACHE_HOME") or "~/.cache", "FLAGTREE_CACHE_DIR is unset") / "flagtree"


def address(artifact: Artifact, mirror: str) -> str:
    """Where ``artifact`` is fetched from: its url, or ``mirror``/host/path. ``mirror`` is an address or a folder."""
    if not mirror:
        return artifact.url
    base = mirror if "://" in mirror else path_of(mirror, "FLAGTREE_ARTIFACT_MIRROR").as_uri()
    parts = urlsplit(artifact.url)
    return f"{base.rstrip('/')}/{parts.netloc}{parts.path}"


class ArtifactCache:
    """The cache below ``root``. ``say`` gets one line for each thing that is done or waited for."""

    def __init__(self, root: Path, say: Callable[[str], None]):
        self.root = root
        self._say = say

    def archive(self, artifact: Artifact) -> Path:
        return self.root / "archives" / artifact.sha256

    def folder(self, artifact: Artifact) -> Path:
        """What CMake gets."""
        return self._unpacked(artifact) / "tree" / artifact.root

    def state(self, artifact: Artifact) -> State:
        """What the cache has of ``artifact``. Reads; changes nothing."""
        record = self._unpacked(artifact) / "record"
        if record.is_file():
            problem = _tree_problem(record)
            if problem is None:
                return State(READY)
        else:
            problem = None
        archive = self.archive(artifact)
        if not archive.is_file():
            return State(DAMAGED, problem) if problem else State(MISSING, f"{archive} does not exist")
        damage = difference(archive, artifact.sha256, artifact.size)
        return State(DAMAGED, f"{archive}: {damage}") if damage else State(PACKED, problem or "")

    def provide(self, artifact: Artifact, source: str, progress: Progress, need_archive: bool = False) -> Path:
        """The folder with the content of ``artifact``, fetched from the address ``source`` where that is needed
        (empty: nothing may be fetched).

        ``need_archive``: the archive itself is wanted, too. Raises BuildError.
        """
        with self.locked(artifact):
            if need_archive or self.state(artifact).kind != READY:
                self._fetch(artifact, source, progress)
            if self.state(artifact).kind != READY:
                self._unpack(artifact)
        folder = self.folder(artifact)
        if not folder.is_dir():
            raise BuildError(f"{artifact.url} holds no folder {artifact.root!r}, which the manifest names as its root.")
        return folder

    def locked(self, artifact: Artifact) -> AbstractContextManager[None]:
        """Exclusive use of this artifact's entries."""
        return exclusive(self.root / "locks" / artifact.sha256, f"the artifact {artifact.name!r}", self._say)

    def _unpacked(self, artifact: Artifact) -> Path:
        return self.root / "unpacked" / artifact.sha256

    def _fetch(self, artifact: Artifact, source: str, progress: Progress) -> None:
        archive = self.archive(artifact)
        if archive.is_file():
            damage = difference(archive, artifact.sha256, artifact.size)
            if damage is None:
                return
            self._say(f"{archive} is damaged, {damage}: fetching it again")
            archive.unlink()
        if not source:
            raise BuildError(f"{archive} does not exist, and TRITON_OFFLINE_BUILD forbids fetching {artifact.url}.")
        self._say(f"fetching {artifact.name} ({artifact.size} bytes) from {source}")
        download(source, archive, artifact.sha256, artifact.size, progress)

    def _unpack(self, artifact: Artifact) -> None:
        final = self._unpacked(artifact)
        temporary = final.with_name(f".{final.name}.new")
        self._say(f"unpacking {artifact.name} into {final}")
        # Both may be there from a process that was killed; the lock is ours.
        for old in (temporary, final):
            if old.exists():
                shutil.rmtree(old)
        try:
            (temporary / "tree").mkdir(parents=True)
            unpack(self.archive(artifact), temporary / "tree")
            (temporary / "record").write_text(json.dumps(dict(_entries(temporary / "tree"))), encoding="utf-8")
            temporary.rename(final)
        finally:
            if temporary.exists():
                shutil.rmtree(temporary)


def _entries(tree: Path) -> Iterator[tuple[str, list[int | str]]]:
    """What identifies every file and link below ``tree``: size and time of a file, target of a link."""
    for folder, folders, files in os.walk(tree):
        for name in (*files, *(name for name in folders if os.path.islink(os.path.join(folder, name)))):
            path = os.path.join(folder, name)
            yield os.path.relpath(path, tree), _identity(path)


def _identity(path: str) -> list[int | str]:
    status = os.lstat(path)
    return [os.readlink(path)] if os.path.islink(path) else [status.st_size, status.st_mtime_ns]


def _tree_problem(record: Path) -> str | None:
    """The first entry of the record that is no longer as it was."""
    try:
        entries: Mapping[str, list[int | str]] = json.loads(record.read_text(encoding="utf-8"))
    except ValueError:
        return f"{record} is not readable"
    tree = record.parent / "tree"
    for name, identity in entries.items():
        path = os.path.join(tree, name)
        try:
            if _identity(path) != identity:
                return f"{path} was changed after it had been unpacked"
        except OSError:
            return f"{path} has disappeared"
    return None
