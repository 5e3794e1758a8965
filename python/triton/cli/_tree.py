"""Where the trunk and the backends are: in a source checkout or in an installation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ._output import CliError, did_you_mean

MANIFEST_NAME = "backend.toml"


@dataclass(frozen=True)
class BackendFolder:
    """One backend's code. `package` becomes ``triton.backends.<name>``; `folder` has its manifest (None: installed)."""

    name: str
    package: Path
    folder: Path | None

    @property
    def spec(self) -> Path:
        """The specialization: mirrors of the trunk's ``triton``, ``include`` and ``lib``."""
        return self.package / "spec"


@dataclass(frozen=True)
class Tree:
    """The trunk package `package`, the checkout `root` it belongs to (None: it is installed) and the backends."""

    package: Path
    root: Path | None
    backends: Mapping[str, BackendFolder]

    def mirrored(self, path: str) -> Path | None:
        """The trunk's file for `path` below a specialization; None for C++ where there is no checkout."""
        first, _, rest = path.partition("/")
        if first == "triton":
            return self.package / rest
        return None if self.root is None else self.root / path

    def short(self, path: Path) -> str:
        """`path` relative to the checkout, or to where ``triton`` is installed."""
        base = self.root or self.package.parent
        return path.relative_to(base).as_posix() if path.is_relative_to(base) else str(path)

    def choose(self, names: Iterable[str]) -> list[BackendFolder]:
        """The backends called `names`, all where none is named. CliError for unknown names."""
        for name in names:
            if name not in self.backends:
                known = ", ".join(self.backends) or "none"
                raise CliError(
                    f"there is no backend {name!r}.{did_you_mean(name, self.backends)} Backends are: {known}"
                )
        return [self.backends[name] for name in names or self.backends]


def find_tree(root: str | None = None, environ: Mapping[str, str] = os.environ) -> Tree:
    """The tree of the checkout `root`; without it, of the ``triton`` that is running."""
    if root is not None:
        checkout = Path(root).resolve()
        package = checkout / "python" / "triton"
        if not (package / "__init__.py").is_file():
            raise CliError(f"--root {root}: that is no checkout of FlagTree, {package / '__init__.py'} does not exist")
        return Tree(package, checkout, _backends(package, checkout, environ))
    package = running_package()
    found = checkout_of(package)
    return Tree(package, found, _backends(package, found, environ))


def running_package() -> Path:
    import triton

    return Path(os.path.abspath(triton.__file__)).parent


def checkout_of(package: Path) -> Path | None:
    """The source checkout that holds `package`, if it lies in one."""
    root = package.parent.parent
    return root if (root / "python" / "setup_tools").is_dir() and (root / "pyproject.toml").is_file() else None


def _backends(package: Path, root: Path | None, environ: Mapping[str, str]) -> dict[str, BackendFolder]:
    found = {}
    if root is not None:
        folders = [file.parent for file in sorted(root.glob(f"third_party/*/{MANIFEST_NAME}"))]
        folders += [_plugin(entry) for entry in environ.get("TRITON_PLUGIN_DIRS", "").split(";") if entry]
        found = {folder.name: BackendFolder(folder.name, folder / "backend", folder) for folder in folders}
    for folder in sorted(package.glob("backends/*/")):
        if (folder / "driver.py").is_file():
            found.setdefault(folder.name, BackendFolder(folder.name, folder, None))
    return found


def _plugin(entry: str) -> Path:
    folder = Path(os.path.realpath(os.path.expanduser(entry)))  # unlike pathlib's, these never raise
    if not (folder / MANIFEST_NAME).is_file():
        raise CliError(
            f"TRITON_PLUGIN_DIRS names {entry}, but {folder / MANIFEST_NAME} does not exist. Correct or unset it"
        )
    return folder
