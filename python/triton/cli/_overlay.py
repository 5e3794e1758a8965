"""A backend's Python specialization: its files, what loads each of them, and the functions it offers."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from pathlib import Path

from ._hooks import HookPoints, parse, trunk_files
from ._output import NOTE, PROBLEM, Finding, did_you_mean
from ._tree import BackendFolder, Tree

_NEAR = 0.8  # likeness of two paths from which on one is taken for the other's former or misspelt name


class PythonOverlay:
    """The files of ``spec/triton`` of one backend; paths are relative to that folder, with slashes."""

    def __init__(self, tree: Tree, backend: BackendFolder):
        self.tree = tree
        self.backend = backend
        self.root = backend.spec / "triton"
        files = (file for file in sorted(self.root.rglob("*.py")) if not file.name.startswith("."))
        self.files = [file.relative_to(self.root).as_posix() for file in files]

    def functions(self) -> dict[str, int]:
        """The public functions of the top module, by name, with their lines: its own and those of overlay files."""
        top = self.root / "__init__.py"
        found: dict[str, int] = {}
        for node in parse(top).body if top.is_file() else []:
            if isinstance(node, ast.FunctionDef):
                found[node.name] = node.lineno
            elif isinstance(node, ast.ImportFrom) and self._is_own(node):
                for name in self._imported(node):
                    found[name] = node.lineno
        return {name: line for name, line in found.items() if not name.startswith("_")}

    def replaced(self, points: HookPoints) -> list[str]:
        """The files that take a trunk file's place."""
        return [file for file in self.files if self._replaces(file, points)]

    def unknown_functions(self, points: HookPoints) -> Iterator[Finding]:
        """Functions that no hook point asks for."""
        for name, line in sorted(self.functions().items()):
            if name not in points.functions:
                near = did_you_mean(name, points.functions)
                yield Finding(
                    *(PROBLEM, f"{self._name('__init__.py')}:{line}"),
                    f"{name!r} is offered, but the trunk asks for no such function.{near}",
                    "rename it, or delete it; 'flagtree spec list' shows what the trunk asks for",
                )

    def orphans(self, points: HookPoints, own: set[str]) -> Iterator[Finding]:
        """Files that nothing loads. `own` are those that are recorded as the backend's own."""
        reached = self._reached(points)
        trunk = [p.relative_to(self.tree.package).as_posix() for p in trunk_files(self.tree.package)]
        for file in self.files:
            if file in reached or file in own:
                continue
            near = _nearest(file, trunk)
            module = self._hidden_by(file)
            if module:
                why = f"nothing can load it: {module} is a module of the trunk, no package"
                yield Finding(PROBLEM, self._name(file), why, "move it, or add an __init__.py that replaces the module")
            elif points.package_of(file) is None:
                why = "nothing loads it: it is imported by no file of the backend, and "
                if file in trunk:
                    why += "the trunk's package of that name does not call spec_path"
                else:
                    why += f"the trunk has no such file. Nearest trunk file: {near or 'none'}"
                yield Finding(PROBLEM, self._name(file), why, "import it where it is needed, move it or delete it")
            elif near:
                yield Finding(
                    *(PROBLEM, self._name(file)),
                    f"it replaces nothing: the trunk has no such file. Nearest trunk file: {near}",
                    f"move it, or record it as the backend's own: flagtree spec drift --record {self._name(file)}",
                )
            elif not file.endswith("__init__.py"):
                name = file.removesuffix(".py").replace("/", ".")
                yield Finding(
                    NOTE, self._name(file), f"adds the module triton.{name}; nothing of the backend imports it"
                )

    def left_out(self) -> Iterator[Finding]:
        """Folders that an editable installation has and a wheel has not."""
        for path in sorted(self.root.rglob("*")):
            if not path.is_dir() or path.name == "__pycache__":
                continue
            if path.is_symlink():
                text = f"it is a link to {path.readlink()}: wheels leave it out, so they lack its files"
                yield Finding(PROBLEM, self.tree.short(path), text, "put the files here")
            elif not path.name.isidentifier() and any(path.glob("*.py")):
                text = "its name is no Python identifier, so nothing can import its files, and wheels leave them out"
                yield Finding(PROBLEM, self.tree.short(path), text, "rename it")

    def _name(self, file: str) -> str:
        return self.tree.short(self.root / file)

    def _hidden_by(self, file: str) -> str:
        """The trunk's module that has the name of one of the folders above `file`, where none of these is a package."""
        parts = file.split("/")[:-1]
        for n in range(1, len(parts) + 1):
            folder = "/".join(parts[:n])
            if (self.tree.package / f"{folder}.py").is_file() and not (self.root / folder / "__init__.py").is_file():
                return f"triton/{folder}.py"
        return ""

    def _replaces(self, file: str, points: HookPoints) -> bool:
        package = points.package_of(file)
        # A hooked package's own __init__.py is running when it calls spec_path, so it is never replaced.
        return package is not None and file != f"{package}/__init__.py" and (self.tree.package / file).is_file()

    def _packages_for_modules(self, points: HookPoints) -> Iterator[str]:
        """The ``__init__.py`` of packages that take the place of a trunk module."""
        for file in self.files:
            folder, _, name = file.rpartition("/")
            if name == "__init__.py" and points.package_of(folder) and (self.tree.package / f"{folder}.py").is_file():
                yield file

    def _reached(self, points: HookPoints) -> set[str]:
        todo = ["__init__.py", *self.replaced(points), *self._packages_for_modules(points)]
        for file in self._other_files():
            todo += self._imports(parse(file), ("backends", self.backend.name, *self._parts_outside(file)))
        reached: set[str] = set()
        while todo:
            file = todo.pop()
            if file in reached or file not in self.files:
                continue
            reached.add(file)
            todo += self._imports(parse(self.root / file), tuple(file.split("/")))
        return reached

    def _other_files(self) -> Iterator[Path]:
        folders = [self.backend.package]
        if self.backend.folder is not None:
            folders.append(self.backend.folder / "language")
        for folder in folders:
            yield from (file for file in folder.rglob("*.py") if not file.is_relative_to(self.backend.spec))

    def _parts_outside(self, file: Path) -> tuple[str, ...]:
        base = self.backend.package
        return file.relative_to(base).parts if file.is_relative_to(base) else (file.name,)

    def _imports(self, module: ast.Module, place: tuple[str, ...]) -> Iterator[str]:
        """Overlay files that `module` may import; `place` is its path below ``triton``."""
        for node in ast.walk(module):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from self._files_of(self._mirror(tuple(alias.name.split("."))))
            elif isinstance(node, ast.ImportFrom):
                target = resolve(node, place)
                for names in (target, *((*target, alias.name) for alias in node.names)):
                    yield from self._files_of(self._mirror(names))

    def _mirror(self, name: tuple[str, ...]) -> tuple[str, ...] | None:
        """The path below ``triton`` of a module's full name; both names of an overlay's module have the same."""
        second = ("triton", "backends", self.backend.name, "spec", "triton")
        if name[: len(second)] == second:
            return name[len(second) :]
        return name[1:] if name[:1] == ("triton",) else None

    def _files_of(self, parts: tuple[str, ...] | None) -> Iterator[str]:
        if parts is None:
            return
        path = "/".join(parts)
        yield f"{path}.py"
        for n in range(len(parts) + 1):
            yield "/".join((*parts[:n], "__init__.py"))

    def _is_own(self, node: ast.ImportFrom) -> bool:
        return node.level > 0 or (node.module or "").startswith(f"triton.backends.{self.backend.name}.spec.")

    def _imported(self, node: ast.ImportFrom) -> Iterator[str]:
        """Names that an import in the top module brings, without submodules."""
        module = self._mirror(resolve(node, ("__init__.py",))) or ()
        for alias in node.names:
            if alias.name == "*":
                files = ("/".join(module) + ".py", "/".join((*module, "__init__.py")))
                for file in set(files) & set(self.files):
                    yield from public_names(parse(self.root / file))
            elif not self._is_module((*module, alias.name)):
                yield alias.asname or alias.name

    def _is_module(self, parts: tuple[str, ...]) -> bool:
        path = "/".join(parts)
        return f"{path}.py" in self.files or (self.root / path).is_dir()


def resolve(node: ast.ImportFrom, place: tuple[str, ...]) -> tuple[str, ...]:
    """The full name of the module that an import in the file `place` (below ``triton``) names."""
    module = tuple(node.module.split(".")) if node.module else ()
    if node.level == 0:
        return module
    return ("triton", *place[: max(0, len(place) - node.level)], *module)


def public_names(module: ast.Module) -> set[str]:
    return {name for name in defined_names(module) if not name.startswith("_")}


def defined_names(module: ast.Module) -> set[str]:
    """Names that a module's top level binds, in conditions and ``try``, too. ``*`` stands for a star import."""
    found: set[str] = set()
    todo: list[ast.stmt] = list(module.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import):
            found.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update(alias.asname or alias.name for alias in node.names)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.stmt):
                    todo.append(child)
                elif isinstance(child, ast.ExceptHandler):
                    todo += child.body
                else:
                    found.update(
                        n.id for n in ast.walk(child) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                    )
    return found


def _nearest(file: str, trunk: list[str]) -> str:
    """The trunk file that `file` may be meant for: of a like path, or of the same name elsewhere."""
    close = difflib.get_close_matches(file, [path for path in trunk if not path.endswith("__init__.py")], 1, _NEAR)
    if close:
        return close[0]
    name = file.rpartition("/")[2]
    return next((path for path in trunk if path.rpartition("/")[2] == name and name != "__init__.py"), "")
