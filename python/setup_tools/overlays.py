"""Checks of a backend's Python overlay against the trunk: copies, and functions that nothing asks for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from .assembly import SOURCE_ROOT
from .errors import did_you_mean
from .manifest import Manifest

_HOOK_FUNCTIONS = ("spec", "spec_func", "has_spec")


def check_overlay(root: Path, manifest: Manifest) -> list[str]:
    """Problems of the overlay's files: a file that equals the trunk's of the same path only gets stale."""
    problems = []
    for file in sorted(manifest.overlay_dir.rglob("*.py")):
        trunk = root / SOURCE_ROOT / "triton" / file.relative_to(manifest.overlay_dir)
        if trunk.is_file() and trunk.read_bytes() == file.read_bytes() and file.stat().st_size:
            problems.append(f"{file} is a copy of {trunk.relative_to(root)}. Delete it: the trunk's file is used then.")
    return problems


def hook_points(root: Path) -> set[str]:
    """Names of the functions that the trunk asks backends for."""
    trunk = root / SOURCE_ROOT / "triton"
    found: set[str] = set()
    for file in trunk.rglob("*.py"):
        if not any(parent.is_symlink() for parent in file.parents):
            found.update(_asked_for(ast.parse(file.read_text(encoding="utf-8"))))
    return found


def check_hooks(root: Path, manifest: Manifest) -> list[str]:
    """Functions of the overlay's top module that no hook point of the trunk has as its name."""
    top = manifest.overlay_dir / "__init__.py"
    if not top.is_file():
        return []
    points = hook_points(root)
    return [
        f"{top} defines {name!r}, but the trunk asks for no such function.{did_you_mean(name, points)}"
        for name in sorted(_defined(ast.parse(top.read_text(encoding="utf-8"))))
        if name not in points
    ]


def _asked_for(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id=function), args=[ast.Constant(value=str() as name), *_]) if (
                function in _HOOK_FUNCTIONS
            ):
                yield name


def _defined(module: ast.Module) -> Iterator[str]:
    """Public names that a module's top level defines or imports from its own package."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            names = [node.name]
        elif isinstance(node, ast.ImportFrom) and node.level:
            names = [alias.asname or alias.name for alias in node.names]
        else:
            names = []
        yield from (name for name in names if not name.startswith("_"))
