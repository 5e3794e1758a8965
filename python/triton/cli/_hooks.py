"""Hook points of the trunk's Python: the calls of ``spec``, ``spec_func``, ``has_spec`` and ``spec_path``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ._output import CliError

_MODULES = ("flagtree_spec", "_flagtree_spec")
_FUNCTIONS = ("spec", "spec_func", "has_spec")
_PATH = "spec_path"
# Not asked about: the machinery itself, this command, and the folders of backends.
_MACHINERY = ("flagtree_spec.py", "_flagtree_spec.py", "_flagtree_overlay.py", "_flagtree_addons.py")
_SKIPPED = (*_MACHINERY, "_flagtree_backend.py")


@dataclass(frozen=True)
class Place:
    file: Path
    line: int


@dataclass
class HookPoints:
    """`functions`: name to the places that ask for it. `packages`: path below ``triton`` ("language",
    "experimental/gluon") to the call of ``spec_path``. `unnamed`: calls whose name is no constant. `late`: calls of
    ``spec_path`` after the package's own imports, with the line of the first of these."""

    functions: dict[str, list[Place]] = field(default_factory=dict)
    packages: dict[str, Place] = field(default_factory=dict)
    unnamed: list[Place] = field(default_factory=list)
    late: list[tuple[Place, int]] = field(default_factory=list)

    def package_of(self, path: str) -> str | None:
        """The hooked package in which the overlay's file `path` (below ``triton``) lies."""
        parts = path.split("/")[:-1]
        return next((p for n in range(len(parts), 0, -1) if (p := "/".join(parts[:n])) in self.packages), None)


def find_hook_points(package: Path) -> HookPoints:
    """Reads every Python file of the trunk that mentions the machinery."""
    points = HookPoints()
    for file in trunk_files(package):
        text = file.read_bytes()
        if b"flagtree_spec" in text:
            _read(parse(file, text), file, package, points)
    return points


def trunk_files(package: Path) -> Iterator[Path]:
    """The trunk's Python files, without backends: links in a checkout, folders of ``backends`` elsewhere."""
    stack = [package]
    while stack:
        folder = stack.pop()
        for entry in sorted(folder.iterdir()):
            if entry.is_dir():
                if not entry.is_symlink() and folder.name != "backends" and entry.name not in ("__pycache__", "cli"):
                    stack.append(entry)
            elif entry.suffix == ".py" and entry.name not in _SKIPPED and not entry.name.startswith("."):
                yield entry


def parse(file: Path, text: bytes | None = None) -> ast.Module:
    """The syntax tree of `file`, whose encoding is understood as Python does. CliError where it is no Python."""
    try:
        return ast.parse(file.read_bytes() if text is None else text)
    except SyntaxError as error:
        raise CliError(f"{file}:{error.lineno or 1}: {error.msg}. Correct the file first") from None
    except ValueError as error:  # NUL characters
        raise CliError(f"{file}: {error}. Correct the file first") from None


def _read(module: ast.Module, file: Path, package: Path, points: HookPoints) -> None:
    names = _local_names(module)
    for node in ast.walk(module):
        if not isinstance(node, ast.Call):
            continue
        called = _called(node.func, names)
        place = Place(file, node.lineno)
        if called == _PATH:
            points.packages[file.parent.relative_to(package).as_posix()] = place
            first = _first_own_import(module, file.parent.relative_to(package.parent).parts, node.lineno)
            if first is not None:
                points.late.append((place, first))
        elif called is not None:
            match node.args:
                case [ast.Constant(value=str() as name), *_]:
                    points.functions.setdefault(name, []).append(place)
                case _:
                    points.unnamed.append(place)


def _local_names(module: ast.Module) -> dict[str, str]:
    """What this file calls the machinery's functions, and under which names it knows the module (value "")."""
    names = {}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            from_it = (node.module or "").rpartition(".")[2] in _MODULES
            for alias in node.names:
                if from_it:
                    names[alias.asname or alias.name] = alias.name
                elif alias.name in _MODULES:
                    names[alias.asname or alias.name] = ""
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.rpartition(".")[2] in _MODULES and alias.asname:
                    names[alias.asname] = ""
    return names


def _called(function: ast.expr, names: dict[str, str]) -> str | None:
    match function:
        case ast.Name(id=name):
            called = names.get(name)
        case ast.Attribute(value=ast.Name(id=module), attr=name) if names.get(module) == "":
            called = name
        case ast.Attribute(value=ast.Attribute(attr=module), attr=name) if module in _MODULES:
            called = name
        case _:
            called = None
    return called if called in (*_FUNCTIONS, _PATH) else None


def _first_own_import(module: ast.Module, package: tuple[str, ...], before: int) -> int | None:
    """Line of the first import of one of the package's own modules above line `before`, at module level."""
    own = ".".join(package)
    for node in module.body:
        if node.lineno >= before:
            return None
        if isinstance(node, ast.ImportFrom):
            absolute = node.level == 0 and f"{node.module}.".startswith(own + ".")
            if node.level == 1 or absolute:
                return node.lineno
        elif isinstance(node, ast.Import) and any(alias.name.startswith(own + ".") for alias in node.names):
            return node.lineno
    return None
