"""One file with the archives of several artifacts, to carry them to a machine without network.

It is a plain tar archive. Its first entry, ``bundle.json``, lists name, backend, url, sha256 and size of each artifact;
the archives follow, called by their sha256.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .artifacts import ArtifactCache, Needed
from .download import difference
from .errors import BuildError
from .manifest import Artifact

FORMAT = 1
_INDEX = "bundle.json"
_LARGEST_INDEX = 1 << 20


def export_bundle(file: Path, needed: Iterable[Needed], cache: ArtifactCache) -> int:
    """Write the archives of ``needed``, which the cache must hold, to ``file``; returns how many there are."""
    if file.exists() and not file.is_file():
        raise BuildError(f"{file} is no file and is not replaced by one. Name another place.")
    unique = {entry.artifact.sha256: entry for entry in needed}
    index = [
        {"backend": n.backend, "name": n.artifact.name, "url": n.artifact.url, "sha256": sha, "size": n.artifact.size}
        for sha, n in unique.items()
    ]
    text = json.dumps({"format": FORMAT, "artifacts": index}, indent=2).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as stream, tarfile.open(fileobj=stream, mode="w") as tar:
            tar.addfile(_entry(_INDEX, len(text)), io.BytesIO(text))
            for sha, entry in unique.items():
                with cache.archive(entry.artifact).open("rb") as archive:
                    tar.addfile(_entry(sha, entry.artifact.size), archive)
        os.chmod(temporary, 0o644)
        os.replace(temporary, file)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return len(unique)


def import_bundle(file: Path, cache: ArtifactCache) -> list[str]:
    """Put the archives of the bundle ``file`` into the cache: all of them, or none where one is wrong.

    Returns their names as ``backend/artifact``. Raises BuildError.
    """
    cache.root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".import-", dir=cache.root) as folder:
        try:
            with tarfile.open(file, "r:") as tar:
                entries = _read_index(tar, file)
                for _, artifact in entries:
                    _extract(tar, artifact, Path(folder), file)
                _refuse_others(tar, {artifact.sha256 for _, artifact in entries}, file)
        except (tarfile.TarError, OSError, EOFError) as error:
            raise BuildError(f"{file} cannot be read as a bundle of artifacts: {error}.") from error
        for artifact in {artifact.sha256: artifact for _, artifact in entries}.values():
            with cache.locked(artifact):
                archive = cache.archive(artifact)
                archive.parent.mkdir(parents=True, exist_ok=True)
                os.replace(Path(folder, artifact.sha256), archive)
    return [f"{backend}/{artifact.name}" for backend, artifact in entries]


def _entry(name: str, size: int) -> tarfile.TarInfo:
    """The same bytes for the same content: no owner, no time."""
    info = tarfile.TarInfo(name)
    info.size = size
    return info


def _read_index(tar: tarfile.TarFile, file: Path) -> list[tuple[str, Artifact]]:
    first = tar.next()
    stream = tar.extractfile(first) if first is not None and first.name == _INDEX else None
    if first is None or stream is None or first.size > _LARGEST_INDEX:
        raise BuildError(f"{file} is no bundle of artifacts: its first entry is not {_INDEX}.")
    try:
        content = json.loads(stream.read())
        if content["format"] != FORMAT:
            raise BuildError(
                f"{file} has format {content['format']}, this checkout reads {FORMAT}. Export it again with the "
                "checkout that imports it."
            )
        return [_read_entry(entry) for entry in content["artifacts"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BuildError(f"{file}: its {_INDEX} is damaged: {error!r}.") from error


def _read_entry(entry: dict[str, Any]) -> tuple[str, Artifact]:
    """Backend and artifact of one line of the index. Raises ValueError and what a lookup in wrong data raises."""
    artifact = Artifact(name=entry["name"], url=entry["url"], sha256=entry["sha256"], size=entry["size"])
    problem = artifact.problem()
    if problem:
        raise ValueError(problem)
    return str(entry["backend"]), artifact


def _extract(tar: tarfile.TarFile, artifact: Artifact, folder: Path, file: Path) -> None:
    try:
        member: Any = tar.getmember(artifact.sha256)
    except KeyError:
        raise BuildError(f"{file} lists {artifact.name}, but lacks its archive {artifact.sha256}.") from None
    stream = tar.extractfile(member) if member.isfile() else None
    if stream is None:
        raise BuildError(f"{file}: {artifact.sha256} is not a file.")
    target = folder / artifact.sha256
    with target.open("wb") as output:
        shutil.copyfileobj(stream, output)
    problem = difference(target, artifact.sha256, artifact.size)
    if problem:
        raise BuildError(f"{file}: the archive of {artifact.name} is damaged: {problem}. Nothing was imported.")


def _refuse_others(tar: tarfile.TarFile, known: set[str], file: Path) -> None:
    for member in tar.getmembers():
        if member.name not in {_INDEX, *known}:
            raise BuildError(f"{file} holds {member.name!r}, which its {_INDEX} does not list. Nothing was imported.")
