"""What a backend can rely on in one version of the trunk: read from a checkout, or from a description that was kept.

``flagtree-build`` carries the description of the trunk it was made from, ``trunk.json``, so that an add-on is checked
without a checkout and without an installed FlagTree.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from packaging.version import Version

from .errors import BuildError
from .links import MARKER_NAME
from .registry import read_registry
from .version import trunk_version

DESCRIPTION_NAME = "trunk.json"
_HERE = Path(__file__).resolve().parent
_HOOK_FUNCTIONS = ("spec", "spec_func", "has_spec")


@dataclass(frozen=True)
class Trunk:
    """One version of the trunk.

    ``hooks`` are the functions that it asks backends for, ``files`` the SHA-256 of its Python files by path below
    ``triton``, ``backends`` the aliases of its backends by name, ``languages`` the packages in ``language/extra``.
    """

    version: str
    hooks: tuple[str, ...]
    files: Mapping[str, str]
    backends: Mapping[str, tuple[str, ...]]
    languages: tuple[str, ...]

    @property
    def line(self) -> str:
        """The release line that manifests name, such as ``3.6``."""
        version = Version(self.version)
        return f"{version.major}.{version.minor}"

    @property
    def requirement(self) -> str:
        """Versions of the trunk that have at least these hooks, as a version specifier."""
        return f">={self.version},=={self.line}.*"

    @property
    def taken(self) -> dict[str, str]:
        """Names that no further backend may have, with what has them."""
        modules = [Path(file) for file in self.files]
        return {
            **{m.stem: f"the module triton.backends.{m.stem}" for m in modules if m.parent == Path("backends")},
            **{alias: f"backend {name!r}" for name, aliases in self.backends.items() for alias in aliases},
            **{name: f"backend {name!r}" for name in self.backends},
        }


def describe(root: Path) -> Trunk:
    """The trunk of the checkout ``root``."""
    package = root / "python" / "triton"
    files = sorted(_python_files(package))
    manifests = read_registry(root, {}).manifests
    return Trunk(
        version=trunk_version(root).public,
        hooks=tuple(sorted({hook for path in files for hook in _hooks_in(package / path)})),
        files={path: digest(package / path) for path in files},
        backends={name: manifest.backend.aliases for name, manifest in sorted(manifests.items())},
        languages=tuple(sorted({manifest.backend.language for manifest in manifests.values()} - {""})),
    )


@functools.cache
def load_trunk() -> Trunk:
    """The trunk that this package was made from: ``trunk.json`` beside this file, else the checkout that it lies in."""
    file = _HERE / DESCRIPTION_NAME
    if file.is_file():
        return parse(file.read_text(encoding="utf-8"))
    root = _HERE.parents[1]
    if (root / "python" / "triton" / "__init__.py").is_file():
        return describe(root)
    raise BuildError(f"{file} is missing, so nothing is known of the trunk. Install flagtree-build again.")


def text_of(trunk: Trunk) -> str:
    """What ``parse`` reads."""
    return json.dumps(asdict(trunk), indent=1, sort_keys=True) + "\n"


def parse(text: str) -> Trunk:
    content = json.loads(text)
    return Trunk(
        version=content["version"],
        hooks=tuple(content["hooks"]),
        files=content["files"],
        backends={name: tuple(aliases) for name, aliases in content["backends"].items()},
        languages=tuple(content["languages"]),
    )


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _python_files(package: Path) -> Iterator[str]:
    """Paths of the trunk's files. What lies behind links belongs to backends, hidden files to editors."""
    for file in package.rglob("*.py"):
        path = file.relative_to(package)
        behind_link = any((package / parent).is_symlink() for parent in path.parents)
        if file.name != MARKER_NAME and not file.name.startswith(".") and not behind_link:
            yield path.as_posix()


def _hooks_in(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=function), args=[ast.Constant(value=str() as name), *_]) if (
                function in _HOOK_FUNCTIONS
            ):
                yield name
