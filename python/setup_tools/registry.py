"""All backends that can be built, and the selection of some of them by ``FLAGTREE_BACKEND``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .environment import path_of
from .errors import BuildError, ManifestError, UnknownBackendError, did_you_mean
from .manifest import MANIFEST_NAME, Manifest, read_manifest


@dataclass(frozen=True)
class Selection:
    """The backends of one build: ``primary`` was asked for, ``backends`` are it and what is built with it, in order."""

    primary: Manifest
    backends: tuple[Manifest, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(manifest.name for manifest in self.backends)


class Registry:
    """The manifests of a source tree and of further folders, by name.

    ``unregistered`` are folders where a backend might be meant, but that have no manifest.
    """

    def __init__(self, manifests: Iterable[Manifest], unregistered: Iterable[Path] = ()):
        self._unregistered = {folder.name: folder for folder in unregistered}
        self.manifests: dict[str, Manifest] = {}
        self._by_alias: dict[str, Manifest] = {}
        for manifest in manifests:
            self._add(manifest)
        self._check_companions()

    def select(self, name: str | None) -> Selection:
        """The backend called ``name`` (or with that alias) and its companions; without a name, the default backends.

        Companions have companions, too. Raises UnknownBackendError, with the known names and the nearest one, and
        BuildError where two of the backends have a language package of the same name.
        """
        always = [manifest for manifest in self.manifests.values() if manifest.backend.always]
        if name:
            primary = self._find(name)
        elif always:
            primary = always[0]
        else:
            raise BuildError("No backend is selected and none is built by default. Set FLAGTREE_BACKEND to a backend.")
        chosen: dict[str, Manifest] = {}
        waiting = [primary, *always]
        while waiting:
            manifest = waiting.pop(0)
            if manifest.name not in chosen:
                chosen[manifest.name] = manifest
                waiting[:0] = [self.manifests[companion] for companion in manifest.backend.companions]
        _check_languages(chosen.values())
        return Selection(primary, tuple(chosen.values()))

    def _find(self, name: str) -> Manifest:
        found = self.manifests.get(name) or self._by_alias.get(name)
        if found is None and name in self._unregistered:
            raise UnknownBackendError(
                f"FLAGTREE_BACKEND={name}: {self._unregistered[name]} has no {MANIFEST_NAME}, and that file is what "
                f"registers a backend. Backends are {', '.join(self._described())}."
            )
        if found is None:
            known = [*self.manifests, *self._by_alias]
            raise UnknownBackendError(
                f"FLAGTREE_BACKEND={name}: there is no such backend.{did_you_mean(name, known)} "
                f"Backends are {', '.join(self._described())}."
            )
        return found

    def _described(self) -> list[str]:
        return [
            f"{name} (also {', '.join(manifest.backend.aliases)})" if manifest.backend.aliases else name
            for name, manifest in self.manifests.items()
        ]

    def _add(self, manifest: Manifest) -> None:
        for name in (manifest.name, *manifest.backend.aliases):
            other = self.manifests.get(name) or self._by_alias.get(name)
            if other is not None:
                raise ManifestError(f"{manifest.folder} and {other.folder} both claim the backend name {name!r}.")
        self.manifests[manifest.name] = manifest
        self._by_alias.update(dict.fromkeys(manifest.backend.aliases, manifest))

    def _check_companions(self) -> None:
        for manifest in self.manifests.values():
            for companion in manifest.backend.companions:
                if companion not in self.manifests:
                    raise ManifestError(
                        f"{manifest.folder / MANIFEST_NAME}: [backend] companions names {companion!r}, which is no "
                        f"backend.{did_you_mean(companion, self.manifests)}"
                    )


def read_registry(root: Path, environ: Mapping[str, str]) -> Registry:
    """The backends of ``root``/third_party and of the folders in ``TRITON_PLUGIN_DIRS`` (separated by ``;``)."""
    files = {file.resolve(): file for file in sorted(root.glob(f"third_party/*/{MANIFEST_NAME}"))}
    for entry in filter(None, environ.get("TRITON_PLUGIN_DIRS", "").split(";")):
        file = Path(os.path.realpath(path_of(entry, "TRITON_PLUGIN_DIRS"))) / MANIFEST_NAME
        if not file.is_file():
            raise BuildError(
                f"TRITON_PLUGIN_DIRS names {entry}, but {file} does not exist. Each entry is a backend's folder, and "
                "';' separates them."
            )
        files.setdefault(file.resolve(), file)  # a folder that is named twice counts once
    folders = (folder for folder in sorted(root.glob("third_party/*/")) if not (folder / MANIFEST_NAME).is_file())
    manifests = [read_manifest(file) for file in files.values()]
    for manifest in manifests:
        _check_trunk(root, manifest)
    return Registry(manifests, folders)


def _check_trunk(root: Path, manifest: Manifest) -> None:
    """A package of the backend must not hide a module of the trunk."""
    backend, package = manifest.backend, root / "python" / "triton"
    for key, name, folder in (
        ("name", backend.name, "backends"),
        ("language", backend.language, "language/extra"),
    ):
        if name and (package / folder / f"{name}.py").is_file():
            raise ManifestError(
                f"{manifest.folder / MANIFEST_NAME}: [backend] {key} = {name!r}, but the trunk has a module of that "
                f"name, triton.{folder.replace('/', '.')}.{name}. Choose another one and rename the folder."
            )


def _check_languages(chosen: Iterable[Manifest]) -> None:
    owners: dict[str, Manifest] = {}
    for manifest in chosen:
        language = manifest.backend.language
        if language and owners.setdefault(language, manifest) is not manifest:
            raise BuildError(
                f"{manifest.folder} and {owners[language].folder} both have the language package {language!r}, and a "
                "build can hold one of them. Rename one, or do not build both."
            )
