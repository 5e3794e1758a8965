"""What the meaning of a kernel depends on besides its own text: the globals and closure variables it reads.

A kernel is compiled from its source, so a change of anything that the source refers to has to change the cache
key. Three kinds matter: other jit functions (their whole key), host functions that are evaluated while compiling
(their source), and plain values (themselves).
"""

from __future__ import annotations

import ast
import enum
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

# Packages that are part of the compiler's own version and therefore need no entry in a kernel's key.
_OWN_PACKAGES = ("triton.language", "triton.experimental", "triton.runtime", "triton.compiler")
_MISSING = object()


class UsedGlobal(NamedTuple):
    """A value that the kernel reads: `scope[name]` was `value` when the key was computed."""

    name: str
    value: Any
    scope: dict


def local_names(code: CodeType) -> set[str]:
    """Names that are local to `code` or to a comprehension in it; they hide globals of the same name."""
    names = {*code.co_varnames, *code.co_cellvars}
    for const in code.co_consts:
        if isinstance(const, CodeType):
            names |= local_names(const)
    return names


def code_text(code: CodeType) -> str:
    """A text that changes with the instructions, names and constants of `code`, but not with its place."""
    constants = [code_text(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()}{code.co_names}{constants}"


def is_own(obj: Any) -> bool:
    module = obj.__name__ if isinstance(obj, ModuleType) else getattr(obj, "__module__", None)
    return isinstance(module, str) and any(module == own or module.startswith(own + ".") for own in _OWN_PACKAGES)


def is_constant(value: Any) -> bool:
    """True for values with a stable text and an equality of their own: the ones that a key can hold."""
    if value is None or isinstance(value, (bool, int, float, str, bytes, enum.Enum)):
        return True
    if isinstance(value, (tuple, list, frozenset)):
        return all(is_constant(item) for item in value)
    if isinstance(value, dict):
        return all(is_constant(k) and is_constant(v) for k, v in value.items())
    cls = type(value)
    if cls.__module__.startswith("triton.language"):
        return cls.__name__ != "constexpr" or is_constant(value.value)
    return False


_OPERATORS = (ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
# Kinds of nodes that refer to nothing.
_LEAVES = frozenset((ast.Constant, ast.expr_context, *_OPERATORS)).union(
    *(kind.__subclasses__() for kind in (ast.expr_context, *_OPERATORS))
)


def _collect(node: ast.AST, chains: list[list[str]]) -> None:
    """Adds the references in `node`. A loop of its own: `ast.NodeVisitor` takes three times as long."""
    kind = type(node)
    if kind is ast.Name:
        if type(node.ctx) is ast.Load:
            chains.append([node.id])
    elif kind is ast.Attribute:
        _collect_attribute(node, chains)
    else:
        for field in node._fields:
            value = getattr(node, field, None)
            for item in value if type(value) is list else (value,):
                if isinstance(item, ast.AST) and type(item) not in _LEAVES:
                    _collect(item, chains)


def _collect_attribute(node: ast.Attribute, chains: list[list[str]]) -> None:
    chain, value = [node.attr], node.value
    while type(value) is ast.Attribute:
        chain.append(value.attr)
        value = value.value
    if type(value) is ast.Name:
        chains.append([value.id, *reversed(chain)])
    else:
        _collect(value, chains)


def references(function: ast.FunctionDef) -> list[list[str]]:
    """Dotted references in `function` in order: ``a.b.c`` is ``["a", "b", "c"]``.

    Its decorators and annotations are host code and do not count.
    """
    chains: list[list[str]] = []
    for statement in function.body:
        _collect(statement, chains)
    for default in [*function.args.defaults, *function.args.kw_defaults]:
        if default is not None:
            _collect(default, chains)
    return chains


class DependencyScan:
    """Walks one function: `parts` are the texts that go into its key, `used` the values to check on a launch."""

    def __init__(self, fn: FunctionType, definition: ast.FunctionDef, global_scope: dict, closure: dict):
        self.parts: list[str] = []
        self.used: dict[tuple[str, int], UsedGlobal] = {}
        self.callables: list[Any] = []
        self._locals = local_names(fn.__code__) - set(closure)
        self._globals = global_scope
        self._closure = closure
        self._seen: set[int] = set()
        for chain in references(definition):
            self._reference(chain)

    def _reference(self, chain: list[str]) -> None:
        name = chain[0]
        if name in self._locals:
            return
        if name in self._closure:
            scope = self._closure
        elif name in self._globals:
            scope = self._globals
        else:
            return  # a builtin, or an undefined name that the front end reports with its line
        value = scope[name]
        for attribute in chain[1:]:
            if not isinstance(value, ModuleType) or is_own(value):
                break
            scope, name = vars(value), attribute
            value = getattr(value, attribute, _MISSING)
            if value is _MISSING:
                return
        self._value(name, value, scope)

    def _value(self, name: str, value: Any, scope: dict) -> None:
        if is_constant(value):
            self.parts.append(f"{name}={value!r}")
            if scope is not self._closure and not isinstance(value, type):
                self.used[(name, id(scope))] = UsedGlobal(name, value, scope)
        elif isinstance(value, ModuleType) or is_own(value):
            return  # part of the compiler's version
        elif hasattr(type(value), "cache_key"):  # jit functions, constexpr functions
            self._callable(name, value)
        elif isinstance(value, FunctionType):
            self._host_function(name, value)
        elif isinstance(value, type) and value.__module__ != "builtins":
            self._class(name, value)

    def _callable(self, name: str, value: Any) -> None:
        if id(value) not in self._seen:
            self._seen.add(id(value))
            self.callables.append(value)
            self.parts.append(f"{name}:")

    def _host_function(self, name: str, value: FunctionType) -> None:
        """A plain function, e.g. one marked `__triton_builtin__`; its bytecode stands for its source."""
        if id(value) not in self._seen:
            self._seen.add(id(value))
            self.parts.append(f"{name}:{value.__module__}.{value.__qualname__}:{code_text(value.__code__)}")

    def _class(self, name: str, value: type) -> None:
        """Aggregates and the like: jit methods count as callables, constants as values."""
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        self.parts.append(f"{name}:{value.__module__}.{value.__qualname__}")
        for key, member in vars(value).items():
            if hasattr(type(member), "cache_key"):
                self._callable(f"{name}.{key}", member)
            elif not key.startswith("__") and is_constant(member):
                self.parts.append(f"{name}.{key}={member!r}")
