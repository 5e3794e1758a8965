"""Names of a kernel: which ones a piece of code assigns, and what a name refers to."""

from __future__ import annotations

import ast
import builtins
import difflib
from types import ModuleType

from .. import knobs
from ..language._builtin import is_builtin
from ..language._types import base_type
from ..language._values import base_value, constexpr
from ..runtime.jit import JITCallable


class Undefined:
    """Mark of a local name that has no value on some path to here; `reason` completes the error."""

    __slots__ = ("reason",)

    def __init__(self, reason: str):
        self.reason = reason


class _Assignments(ast.NodeVisitor):
    """Collects assigned names in order; indices of `for` loops apart."""

    def __init__(self):
        self.names: dict[str, None] = {}
        self.indices: dict[str, None] = {}

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store):
            self.names[node.id] = None

    def visit_Attribute(self, node):
        # A field of an aggregate is assigned: the variable that holds it changes.
        if isinstance(node.ctx, ast.Store):
            base = node.value
            while isinstance(base, ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name):
                self.names[base.id] = None
        self.generic_visit(node)

    def visit_For(self, node):
        if isinstance(node.target, ast.Name):
            self.indices[node.target.id] = None
        self.visit(node.iter)
        for statement in node.body:
            self.visit(statement)

    def visit_ListComp(self, node):
        pass  # has a scope of its own


def assigned_names(owner: ast.AST, statements: list) -> tuple[list[str], list[str]]:
    """Names that `statements` (the body of `owner`, or a branch of it) may assign, and loop indices among them that
    nothing else assigns.
    """
    key = id(statements)
    cached = getattr(owner, "_triton_assigned", None)
    if cached is None:
        cached = owner._triton_assigned = {}
    found = cached.get(key)
    if found is None:
        visitor = _Assignments()
        for statement in statements:
            visitor.visit(statement)
        indices = [n for n in visitor.indices if n not in visitor.names]
        found = cached[key] = (list(visitor.names), indices)
    return found


def assigns(statement: ast.stmt, name: str) -> bool:
    """Whether `statement` may assign `name`."""
    visitor = _Assignments()
    visitor.visit(statement)
    return name in visitor.names


def contains_return(statements: list) -> bool:
    """Whether a `return` is among `statements`, at any depth."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Return):
                return True
    return False


# Functions of Python that kernels may call.
PYTHON_BUILTINS = {
    name: getattr(builtins, name)
    for name in (
        "abs bool float getattr hasattr int isinstance len list max min print range repr str sum tuple type zip "
        "enumerate".split()
    )
}
_FUNCTION_LIKE = (ModuleType, JITCallable, type, base_type, base_value)


def is_global_allowed(value) -> bool:
    """Globals that cannot silently change between compilations: code, types, modules and constexprs."""
    if isinstance(value, _FUNCTION_LIKE) or is_builtin(value):
        return True
    if callable(value):
        return True
    return getattr(type(value), "__module__", "").startswith("triton.language")


def nearest(name: str, candidates) -> str:
    """A suggestion to append to an error about an unknown `name`; empty when nothing is near."""
    close = difflib.get_close_matches(name, [c for c in candidates if not c.startswith("__")], n=1)
    return f". Did you mean '{close[0]}'?" if close else ""


class Names:
    """Lookup of names. Part of the code generator: uses `self.lscope`, `self.gscope`."""

    def lookup(self, name: str):
        """What `name` refers to. Raises NameError for unknown names and for globals that a kernel must not read."""
        value = self.lscope.get(name)
        if value is not None:
            if isinstance(value, Undefined):
                raise NameError(f"'{name}' has no value here: {value.reason}")
            return value
        if name in self.gscope:
            value = self.gscope[name]
            if not is_global_allowed(value) and not self._is_constexpr_global(name):
                if not knobs.compilation.allow_non_constexpr_globals:
                    raise NameError(self._global_error(name, value))
            return self.redirect(value)
        if name in PYTHON_BUILTINS:
            return PYTHON_BUILTINS[name]
        raise NameError(f"'{name}' is not defined{nearest(name, [*self.lscope, *self.gscope, *PYTHON_BUILTINS])}")

    def _is_constexpr_global(self, name: str) -> bool:
        annotation = self.gscope.get("__annotations__", {}).get(name)
        return annotation is constexpr or (isinstance(annotation, str) and annotation.split(".")[-1] == "constexpr")

    @staticmethod
    def _global_error(name: str, value) -> str:
        return (
            f"the global variable '{name}' (a {type(value).__name__}) cannot be read by a kernel, because a later "
            f"change of it would go unnoticed. Make it a constant, `{name} = tl.constexpr(...)`, or pass it as an "
            "argument; TRITON_ALLOW_NON_CONSTEXPR_GLOBALS=1 lifts the restriction"
        )

    def redirect(self, value):
        """The backend's implementation of a device-neutral module or of a function in one, if it has one."""
        module_map = self.state.module_map
        if not module_map:
            return value
        if isinstance(value, ModuleType):
            return module_map.get(value.__name__, value)
        home = module_map.get(getattr(value, "__module__", None))
        if home is None:
            return value
        found = getattr(home, value.__name__, None)
        if found is None:
            raise AttributeError(f"{value.__name__} is not available on this target ({home.__name__} does not have it)")
        return found
