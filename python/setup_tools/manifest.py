"""``backend.toml``: everything the build must know about a backend, and its only registration.

    [backend]
    name = "acme"                     # folder name, package triton.backends.acme
    summary = "ACME accelerators"
    aliases = ["acme-gpu"]            # further values of FLAGTREE_BACKEND
    target = "acme"                   # GPUTarget.backend
    always = false                    # part of every build
    companions = ["cpu"]              # built with it
    triton = "3.6"                    # Triton line it was written for
    label = "acme3.6"                 # local version label of its wheels, "" for none
    language = "acme"                 # language/acme becomes triton.language.extra.acme, "" for none
    data = ["lib/*.bc"]               # files of backend/ that are no Python modules

    [cmake]                           # cache entries for its CMake code
    ACME_SDK = "/opt/acme"

    [[artifacts]]                     # tar archives the build needs; docs/build.md says how they are fetched
    name = "toolchain"                # CMake finds it unpacked in TRITON_ARTIFACT_DIR_acme_toolchain
    url = "https://example.org/toolchain.tar.gz"
    sha256 = "…64 hex digits…"
    size = 123456                     # in bytes
    platform = "linux-x86_64"         # needed on this platform only, "" for every one
    root = "toolchain-1.0"            # the folder inside the archive that CMake gets, "" for all of it

    [wheel]                           # how wheels of it are made for publication
    architectures = ["x86_64"]        # machines that they are made for
    repair_exclude = ["libacme*.so*"] # libraries that the user's machine has (patterns): needed, but not bundled

    [[environment]]                   # environment variables its code reads
    name = "ACME_HOME"
    type = "path"                     # path, bool, int or str
    default = "/opt/acme"
    meaning = "Root of the ACME runtime"

Unknown keys and wrong values are errors naming file, key and the nearest valid key. The dataclasses below are the one
source of what is valid: `schema` makes the JSON schema and the reference in docs/backends.md from them.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from packaging.version import InvalidVersion, Version

from .errors import ManifestError, did_you_mean

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MANIFEST_NAME = "backend.toml"
VARIABLE_TYPES = ("path", "bool", "int", "str")
ARCHITECTURES = ("x86_64", "aarch64")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_HTTPS = re.compile(r"https://.+")
_ALIAS = re.compile(r"[a-z0-9][a-z0-9_-]*")
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
PLATFORM = re.compile(r"[a-z0-9]+-[A-Za-z0-9_.-]+")
_TRITON_LINE = re.compile(r"\d+\.\d+")
_RESERVED = ("none",)  # FLAGTREE_SPECIALIZATION=none
_LABEL = re.compile(r"([a-z0-9]+(\.[a-z0-9]+)*)?")  # as packaging normalises it
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")  # of the environment and of CMake
_WILDCARD = re.compile(r"[*?\[]")
_LIBRARY = re.compile(r"lib[\w.*?+-]*\.so[\w.*?]*")


@dataclass(frozen=True)
class Key:
    """What is said about a key in the reference and the schema; ``pattern`` or ``choices`` hold for each element."""

    meaning: str
    pattern: re.Pattern[str] | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Artifact:
    """Array of tables ``[[artifacts]]``: tar archives that the build of the backend needs."""

    name: Annotated[str, Key("CMake finds it unpacked in `TRITON_ARTIFACT_DIR_<backend>_<name>`", pattern=_NAME)]
    url: Annotated[str, Key("Where it is downloaded from", pattern=_HTTPS)]
    sha256: Annotated[str, Key("Digest of the archive, 64 lower-case hex digits", pattern=_SHA256)]
    size: Annotated[int, Key("Size of the archive in bytes")]
    platform: Annotated[str, Key("Needed on this platform only (`linux-x86_64`); empty: on every one")] = ""
    root: Annotated[str, Key("The folder inside the archive that CMake gets; empty: all of it")] = ""

    @property
    def file_name(self) -> str:
        """The last part of the address."""
        return urlsplit(self.url).path.rpartition("/")[2]

    def problem(self) -> str | None:
        if not _NAME.fullmatch(self.name):
            return f"name = {self.name!r} is not a lower-case identifier"
        if not _SHA256.fullmatch(self.sha256):
            return f"sha256 = {self.sha256!r} is not 64 lower-case hex digits"
        if not _HTTPS.fullmatch(self.url):
            return f"url = {self.url!r} is not an https address"
        try:
            urlsplit(self.url).port  # noqa: B018 - it is looked at only when it is asked for
        except ValueError as error:
            return f"url = {self.url!r} is not an address: {error}"
        if not _FILE_NAME.fullmatch(self.file_name):
            return f"url = {self.url!r} does not end with the name of a file"
        if self.platform and not PLATFORM.fullmatch(self.platform):
            return f"platform = {self.platform!r} is not a platform such as 'linux-x86_64'"
        if self.root.startswith("/") or ".." in self.root.split("/"):
            return f"root = {self.root!r} is not a folder inside the archive"
        return None if self.size > 0 else f"size = {self.size} is not positive"


@dataclass(frozen=True)
class Variable:
    """Array of tables ``[[environment]]``: environment variables that the backend's code reads."""

    name: Annotated[str, Key("Name of the variable", pattern=_VARIABLE)]
    meaning: Annotated[str, Key("What it is for, in one line of the documentation")]
    type: Annotated[str, Key("How its text is understood", choices=VARIABLE_TYPES)] = "str"
    default: Annotated[str, Key("What holds where it is unset")] = ""

    def problem(self) -> str | None:
        if not _VARIABLE.fullmatch(self.name):
            return f"name = {self.name!r} is not the name of a variable"
        if len(self.meaning.splitlines()) > 1:
            return f"meaning of {self.name!r} is more than one line"
        if self.type not in VARIABLE_TYPES:
            return (
                f"type = {self.type!r} is none of {', '.join(VARIABLE_TYPES)}.{did_you_mean(self.type, VARIABLE_TYPES)}"
            )
        return None


@dataclass(frozen=True)
class WheelTable:
    """Table ``[wheel]``: how wheels of the backend are made for publication."""

    architectures: Annotated[
        tuple[str, ...], Key("Machines that they are made for, empty for none", choices=ARCHITECTURES)
    ] = ("x86_64",)
    repair_exclude: Annotated[
        tuple[str, ...],
        Key("Libraries that the user's machine has, as patterns of file names: needed, not bundled", pattern=_LIBRARY),
    ] = ()

    def problem(self) -> str | None:
        for name in self.architectures:
            if name not in ARCHITECTURES:
                return (
                    f"architectures = {name!r} is none of {', '.join(ARCHITECTURES)}."
                    f"{did_you_mean(name, ARCHITECTURES)}"
                )
        for pattern in self.repair_exclude:
            if not _LIBRARY.fullmatch(pattern):
                return f"repair_exclude = {pattern!r} is no pattern of a library's file name such as 'libacme*.so*'"
        return None


@dataclass(frozen=True)
class BackendTable:
    """Table ``[backend]``: what the backend is."""

    name: Annotated[str, Key("Name of the folder and of the package `triton.backends.<name>`", pattern=_NAME)]
    summary: Annotated[str, Key("One line for people")]
    target: Annotated[str, Key("The `backend` of the `GPUTarget` that it compiles for")]
    triton: Annotated[str, Key("Triton release line that it was written for", pattern=_TRITON_LINE)]
    label: Annotated[str, Key("Local version label of its wheels; empty for none", pattern=_LABEL)] = ""
    aliases: Annotated[tuple[str, ...], Key("Further values of `FLAGTREE_BACKEND` that mean it", pattern=_ALIAS)] = ()
    companions: Annotated[tuple[str, ...], Key("Backends that are built with it")] = ()
    always: Annotated[bool, Key("Whether it is part of every build")] = False
    language: Annotated[str, Key("Folder of `language/` that becomes `triton.language.extra.<language>`")] = ""
    data: Annotated[tuple[str, ...], Key("Files of `backend/` that are no Python modules, as patterns")] = ()

    def problem(self) -> str | None:
        if not _NAME.fullmatch(self.name):
            return f"name = {self.name!r} is not a lower-case Python identifier"
        if keyword.iskeyword(self.name) or self.name in _RESERVED:
            return f"name = {self.name!r} has another meaning already; choose another name"
        if not _TRITON_LINE.fullmatch(self.triton):
            return f"triton = {self.triton!r} is not a release line such as '3.6'"
        for key in ("summary", "target"):
            if not getattr(self, key).strip():
                return f"{key} is empty"
        if self.language and not _NAME.fullmatch(self.language):
            return f"language = {self.language!r} is not a lower-case Python identifier"
        return self._label_problem() or self._list_problem()

    def _label_problem(self) -> str | None:
        try:
            local = Version(f"0+{self.label}").local if self.label else ""
        except InvalidVersion:
            local = None
        return None if local == self.label else f"label = {self.label!r} is not a normalised local version label"

    def _list_problem(self) -> str | None:
        for alias in self.aliases:
            if not _ALIAS.fullmatch(alias):
                return f"aliases = {alias!r} is not a word of lower-case letters, digits, '_' and '-'"
        for key, taken in (("aliases", (self.name,)), ("companions", (self.name,)), ("data", ())):
            twice = _repeated((*taken, *getattr(self, key)))
            if twice:
                return f"{key} names {twice!r} twice" + (", once as the backend's own name" if twice in taken else "")
        for pattern in self.data:
            if pattern.startswith("/") or ".." in pattern.split("/"):
                return f"data = {pattern!r} lies outside the folder backend"
        return None


@dataclass(frozen=True)
class Manifest:
    """One backend: the content of its ``backend.toml`` and the folder that holds it."""

    folder: Path
    backend: BackendTable
    cmake: Annotated[Mapping[str, str], Key("Cache entries for the backend's CMake code")] = field(default_factory=dict)
    artifacts: tuple[Artifact, ...] = ()
    environment: tuple[Variable, ...] = ()
    wheel: WheelTable = field(default_factory=WheelTable)

    @property
    def name(self) -> str:
        return self.backend.name

    @property
    def package_dir(self) -> Path:
        """What is installed as ``triton/backends/<name>``."""
        return self.folder / "backend"

    @property
    def overlay_dir(self) -> Path:
        """The mirror of ``python/triton``."""
        return self.package_dir / "spec" / "triton"

    @property
    def cpp_parts(self) -> list[Path]:
        """The backend's C++, as files and folders. A backend without any shares the compiler library of others."""
        spec = self.package_dir / "spec"
        parts = (self.folder / "CMakeLists.txt", self.folder / f"triton_{self.name}.cc", spec / "include", spec / "lib")
        return [part for part in parts if part.exists()]

    @property
    def language_dir(self) -> Path | None:
        """What is installed as ``triton/language/extra/<language>``."""
        return self.folder / "language" / self.backend.language if self.backend.language else None


def read_manifest(file: Path) -> Manifest:
    """Read one ``backend.toml``. Raises ManifestError naming the file, the key and what is wrong."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ManifestError(f"{file} cannot be read: {error.strerror}.") from error
    except RecursionError as error:
        raise ManifestError(f"{file} is not valid TOML: its values are nested too deeply.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ManifestError(f"{file} is not valid TOML: {error}.") from error
    known = ("backend", "cmake", "artifacts", "environment", "wheel")
    for key in content:
        if key not in known:
            raise ManifestError(
                f"{file}: unknown table [{key}]. Tables are {', '.join(known)}.{did_you_mean(key, known)}"
            )
    if not isinstance(content.get("backend"), dict):
        raise ManifestError(f"{file}: the table [backend] is missing.")
    manifest = Manifest(
        folder=file.parent,
        backend=_read_table(BackendTable, content["backend"], file, "[backend]"),
        cmake=_read_cmake(content.get("cmake", {}), file),
        artifacts=_read_list(Artifact, content.get("artifacts", []), file, "[[artifacts]]"),
        environment=_read_list(Variable, content.get("environment", []), file, "[[environment]]"),
        wheel=_read_table(WheelTable, content.get("wheel", {}), file, "[wheel]"),
    )
    _check_lists(manifest, file)
    _check_folders(manifest, file)
    return manifest


Table = TypeVar("Table", Artifact, Variable, BackendTable, WheelTable)


def _read_table(cls: type[Table], content: Any, file: Path, where: str) -> Table:
    if not isinstance(content, dict):
        raise ManifestError(f"{file}: {where} is a {type(content).__name__}, a table is needed.")
    hints = get_type_hints(cls)
    for key in content:
        if key not in hints:
            raise ManifestError(
                f"{file}: {where} has no key {key!r}. Keys are {', '.join(hints)}.{did_you_mean(key, hints)}"
            )
    values = {}
    for item in fields(cls):
        if item.name in content:
            values[item.name] = _convert(content[item.name], hints[item.name], f"{file}: {where} {item.name}")
        elif item.default is MISSING:
            raise ManifestError(f"{file}: {where} needs the key {item.name!r}.")
    table = cls(**values)
    problem = table.problem()
    if problem:
        raise ManifestError(f"{file}: {where} {problem}{'' if problem.endswith('?') else '.'}")
    return table


def _read_list(cls: type[Table], content: Any, file: Path, where: str) -> tuple[Table, ...]:
    if not isinstance(content, list):
        raise ManifestError(f"{file}: {where} must be an array of tables, each headed by {where}.")
    return tuple(_read_table(cls, entry, file, where) for entry in content)


def _read_cmake(content: Any, file: Path) -> dict[str, str]:
    if not isinstance(content, dict):
        raise ManifestError(f"{file}: cmake must be a table, [cmake].")
    for key in content:
        if not _VARIABLE.fullmatch(key):
            raise ManifestError(f"{file}: [cmake] {key!r} is not the name of a cache entry, such as ACME_SDK.")
    return {key: _convert(value, str, f"{file}: [cmake] {key}") for key, value in content.items()}


def _convert(value: Any, wanted: Any, where: str) -> Any:
    """``value`` if it has the type ``wanted``: str, int, bool or a tuple of str."""
    if get_origin(wanted) is tuple:
        element = get_args(wanted)[0]
        if not isinstance(value, list):
            raise ManifestError(f"{where} = {value!r} must be a list.")
        return tuple(_convert(entry, element, where) for entry in value)
    if type(value) is not wanted:
        raise ManifestError(f"{where} = {value!r} must be of type {wanted.__name__}, not {type(value).__name__}.")
    return value


def _check_lists(manifest: Manifest, file: Path) -> None:
    """What one table cannot know: each artifact of a platform and each variable is described once."""
    name = _repeated(
        f"{artifact.name} ({artifact.platform or 'every platform'})" for artifact in manifest.artifacts
    ) or _repeated(artifact.name for artifact in manifest.artifacts if _has_general_twin(artifact, manifest.artifacts))
    if name:
        raise ManifestError(f"{file}: [[artifacts]] describes {name} twice.")
    name = _repeated(variable.name for variable in manifest.environment)
    if name:
        raise ManifestError(f"{file}: [[environment]] describes {name} twice.")


def _has_general_twin(artifact: Artifact, artifacts: Iterable[Artifact]) -> bool:
    return any(other.name == artifact.name and not other.platform for other in artifacts)


def _repeated(names: Iterable[str]) -> str | None:
    """The first of ``names`` that was there before."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _check_folders(manifest: Manifest, file: Path) -> None:
    if manifest.name != manifest.folder.name:
        raise ManifestError(
            f"{file}: [backend] name = {manifest.name!r}, but its folder is called {manifest.folder.name!r}. "
            "They must be equal."
        )
    for part in ("compiler.py", "driver.py"):
        if not (manifest.package_dir / part).is_file():
            raise ManifestError(f"{file}: the backend has no {manifest.package_dir / part}, which every backend needs.")
    for name in manifest.backend.data:
        if not _WILDCARD.search(name) and not (manifest.package_dir / name).is_file():
            raise ManifestError(
                f"{file}: [backend] data names {name!r}, but {manifest.package_dir / name} is no file. "
                "Correct the name, or add the file."
            )
    language = manifest.language_dir
    if language is not None and not language.is_dir():
        raise ManifestError(f"{file}: [backend] language = {manifest.backend.language!r}, but {language} is no folder.")
