"""Everything that a build takes from outside the checkout, looked at before the build starts."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .artifacts import ArtifactCache, Needed, address, cache_root, needed_artifacts
from .download import Progress
from .errors import BuildError
from .project import Project
from .toolchain import Lack, lacks

FETCH = "PYTHONPATH=python python -m triton.cli fetch"


@dataclass(frozen=True)
class Source:
    """Where artifacts come from: their own address or a mirror's, unless ``offline`` forbids what needs a network."""

    mirror: str
    offline: bool

    @property
    def usable(self) -> bool:
        """Whether anything may be taken from it. A folder needs no network."""
        local = self.mirror.startswith("file://") or "://" not in self.mirror
        return not self.offline or (bool(self.mirror) and local)


def source_of(project: Project) -> Source:
    environment = project.environment
    return Source(environment.text("FLAGTREE_ARTIFACT_MIRROR"), environment.flag("TRITON_OFFLINE_BUILD"))


def cache_of(project: Project, say: Callable[[str], None]) -> ArtifactCache:
    return ArtifactCache(cache_root(project.environment), say)


def provide_inputs(project: Project, say: Callable[[str], None]) -> dict[str, Path]:
    """Fetch and unpack the artifacts of the selected backends; returns their folders by CMake cache entry.

    With TRITON_OFFLINE_BUILD nothing is fetched: whatever the build lacks, also of programs and libraries, is reported
    together in one BuildError, before anything is written.
    """
    source = source_of(project)
    needed = needed_artifacts(project.assembly.selection.backends)
    if source.offline:
        _require_all(project, needed, source)
    cache = cache_of(project, say)
    return {n.cmake_entry: fetch_one(n, cache, source, _no_progress) for n in needed}


def fetch_one(
    needed: Needed, cache: ArtifactCache, source: Source, progress: Progress, need_archive: bool = False
) -> Path:
    """The folder of one artifact; ``need_archive`` asks for the archive, too. Raises BuildError."""
    artifact = needed.artifact
    where = address(artifact, source.mirror) if source.usable else ""
    return cache.provide(artifact, where, progress, need_archive)


def _require_all(project: Project, needed: list[Needed], source: Source) -> None:
    missing = list(lacks(project.root, project.environment))
    if not source.usable:
        missing += _missing_artifacts(project, needed)
    if missing:
        lines = "".join(f"\n  {lack.what}\n      {lack.command}" for lack in missing)
        raise BuildError(
            f"TRITON_OFFLINE_BUILD is set, and the build lacks{lines}\nBackends: "
            f"{', '.join(project.assembly.selection.names)}. docs/build.md describes builds without network."
        )


def _missing_artifacts(project: Project, needed: list[Needed]) -> list[Lack]:
    cache = cache_of(project, lambda text: None)
    states = [(entry, cache.state(entry.artifact)) for entry in needed]
    backends = shlex.join(sorted({entry.backend for entry in needed}))
    command = f"on a machine with network: {FETCH} --export bundle.tar {backends}"
    return [
        Lack(
            f"artifact {entry.label}: {state.text}",
            f"{command}\n      here: {FETCH} --import bundle.tar",
        )
        for entry, state in states
        if not state.usable
    ]


def _no_progress(done: int, total: int) -> None:
    """Builds run under pip, which hides their output or puts it into a log."""
