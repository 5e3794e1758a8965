"""Generated trees of trunk and overlay files: every name resolves as the rules say, and every file is one module."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from triton.cli._hooks import find_hook_points
from triton.cli._overlay import PythonOverlay
from triton.cli._tree import BackendFolder
from triton.cli._tree import Tree as CommandTree

NAMES = ("a", "b", "c")
SECOND = "triton.backends.acme.spec.triton"
Files = dict[str, str]  # path without suffix below "tools" ("a/b") to "module" or "package"

PROGRAM = """
import importlib, json, os, triton
result = {}
for name in json.loads(NAMES):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        result[name] = "missing"
    else:
        result[name] = getattr(module, "WHO", "namespace")
by_file = {}
for name, module in list(sys.modules.items()):
    if name.startswith("triton.") and getattr(module, "__file__", None):
        by_file.setdefault(os.path.realpath(module.__file__), set()).add(id(module))
result["files of two modules"] = [file for file, ids in by_file.items() if len(ids) > 1]
print(json.dumps(result))
"""


def grow(rng: random.Random, depth: int, prefix: str, plain_folders: bool) -> Files:
    """A random tree. With `plain_folders` some folders have no ``__init__.py``; those are not listed themselves."""
    found: Files = {}
    for name in NAMES:
        path = f"{prefix}{name}"
        kind = rng.choice(("", "module", "package" if depth else "module"))
        if kind == "module":
            found[path] = "module"
        elif kind == "package":
            children = grow(rng, depth - 1, f"{path}/", plain_folders)
            if not plain_folders or not children or rng.random() < 0.5:
                found[path] = "package"
            found.update(children)
    return found


def folders(files: Files) -> set[str]:
    return {path.rpartition("/")[0] for path in files if "/" in path} | {p for p, k in files.items() if k == "package"}


def resolve(path: str, trunk: Files, overlay: Files) -> str:
    """What importing `path` must give: ``trunk`` or ``overlay`` (whose file), ``namespace`` or ``missing``.

    Follows the path from the top; at each step it is known which sides still take part.
    """
    sides = {"trunk", "overlay"}
    found = "package"
    parts = path.split("/")
    for n in range(1, len(parts) + 1):
        step = "/".join(parts[:n])
        in_trunk = trunk.get(step) if "trunk" in sides else None
        in_overlay = overlay.get(step) if "overlay" in sides else None
        folder = "overlay" in sides and step in folders(overlay)
        if in_overlay == "module":
            found, sides = "overlay", set()
        elif in_overlay == "package":
            found = "overlay"
            sides = {"overlay"} | ({"trunk"} if in_trunk == "package" else set())
        elif folder and in_trunk != "module":
            found = "trunk" if in_trunk == "package" else "namespace"
            sides = {"overlay"} | ({"trunk"} if in_trunk == "package" else set())
        elif in_trunk:
            found, sides = "trunk", ({"trunk"} if in_trunk == "package" else set())
        else:
            return "missing"
    return found


def write(tree, trunk: Files, overlay: Files) -> None:
    tree.specialised_package("tools")
    for side, files, put in (("trunk", trunk, tree.trunk), ("overlay", overlay, tree.overlay)):
        for path, kind in files.items():
            file = f"tools/{path}.py" if kind == "module" else f"tools/{path}/__init__.py"
            put(file, f"WHO = {side!r}\nclass Thing: pass\n")


@pytest.mark.parametrize("seed", range(16))
def test_p4_p5_generated_overlays_resolve_by_the_rules(tree, seed):
    rng = random.Random(seed)
    trunk, overlay = grow(rng, 2, "", False), grow(rng, 2, "", True)
    write(tree, trunk, overlay)
    wanted = {}
    for path in {*trunk, *overlay, *folders(overlay)}:
        expected = resolve(path, trunk, overlay)
        wanted[f"triton.tools.{path.replace('/', '.')}"] = expected
        if expected == "overlay":
            wanted[f"{SECOND}.tools.{path.replace('/', '.')}"] = expected
    names = sorted(wanted)
    rng.shuffle(names)
    result = json.loads(tree.output(f"NAMES = {json.dumps(names)!r}\n{PROGRAM}"))
    assert result.pop("files of two modules") == []
    assert result == wanted


@pytest.mark.parametrize("seed", range(24))
def test_p6_the_command_sees_the_same_replacements(tree, tmp_path, seed):
    """`flagtree spec` reads the files; what it takes for a replacement is what the import system replaces."""
    rng = random.Random(seed)
    trunk, overlay = grow(rng, 2, "", False), grow(rng, 2, "", True)
    write(tree, trunk, overlay)
    backend = BackendFolder("acme", tree.package / "backends" / "acme", None)
    command = PythonOverlay(CommandTree(tree.package, None, {"acme": backend}), backend)
    found = set(command.replaced(find_hook_points(tree.package)))
    expected = set()
    for path, kind in overlay.items():
        if trunk.get(path) == kind and resolve(path, trunk, overlay) == "overlay" and reachable(path, trunk, overlay):
            expected.add(f"tools/{path}.py" if kind == "module" else f"tools/{path}/__init__.py")
    assert found == expected


def reachable(path: str, trunk: Files, overlay: Files) -> bool:
    """Whether the trunk's file would be there without this overlay file: no folder above it was replaced whole."""
    parent = path.rpartition("/")[0]
    return not parent or (trunk.get(parent) == "package" and Path(parent).as_posix() in trunk)
