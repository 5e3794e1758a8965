"""`JITCallable`: a Python function whose source text is compiled instead of run."""

from __future__ import annotations

import ast
import hashlib
import linecache
import re
import textwrap
import threading
from types import FunctionType
from typing import Any

from .dependencies import DependencyScan, UsedGlobal
from .source_block import function_block

_DEF_LINE = re.compile(r"^def\s+\w+\s*\(", re.MULTILINE)


def nonlocals_of(fn: FunctionType) -> dict[str, Any]:
    """The closure variables of `fn` that have a value."""
    result = {}
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ()):
        try:
            result[name] = cell.cell_contents
        except ValueError:  # assigned later, e.g. by a recursive definition
            continue
    return result


class JITCallable:
    """Source, scope and cache key of a function that is compiled.

    The lines of the file are taken when the object is made, so that a later edit of the file does not change what
    is compiled; the text is cut out and parsed at first use.
    """

    def __init__(self, fn: FunctionType):
        if not isinstance(fn, FunctionType):
            raise TypeError(f"@jit needs a Python function defined with `def`, got {type(fn).__name__}: {fn!r}")
        filename = fn.__code__.co_filename
        linecache.checkcache(filename)
        self._lines: list[str] | None = linecache.getlines(filename, fn.__globals__)
        if not self._lines:
            raise ValueError(
                f"{fn.__qualname__}(): no source text found in {filename!r}. "
                "Functions to compile must be defined in a Python file (or a notebook cell), not by exec or a prompt"
            )
        self.fn = fn
        self.module = fn.__module__
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__doc__ = fn.__doc__
        self.__module__ = fn.__module__
        self.__globals__ = fn.__globals__
        self._fn_name = f"{fn.__module__}.{fn.__qualname__}"
        self._hash_lock = threading.RLock()
        self._src: str | None = None
        self._raw_src: str | None = None
        # The syntax tree that the source was found with, until the key is made of it.
        self._definition: ast.stmt | None = None
        self._starting_line_number = fn.__code__.co_firstlineno
        self._hash: str | None = None
        # {(name, id of scope): (value, scope)}: values that must not change between launches
        self.used_global_vals: dict[tuple[str, int], tuple[Any, dict]] | None = {}

    # -- source ---------------------------------------------------------------------------------------------------

    def _read_source(self) -> None:
        first = self.fn.__code__.co_firstlineno - 1
        lines, self._definition = function_block(self._lines[first:])
        raw = "".join(lines)
        text = textwrap.dedent(raw)
        found = _DEF_LINE.search(text)
        if not found:
            raise ValueError(f"{self.fn.__qualname__}(): only functions written with `def` can be compiled")
        self._raw_src = raw
        self._starting_line_number = first + 1 + text.count("\n", 0, found.start())
        self._src = text[found.start() :]
        self._lines = None

    @property
    def raw_src(self) -> str:
        """The text as it stands in the file, decorators and indentation included."""
        if self._raw_src is None:
            self._read_source()
        return self._raw_src

    @property
    def src(self) -> str:
        """The dedented text from the line of `def` on."""
        if self._src is None:
            self._read_source()
        return self._src

    @src.setter
    def src(self, value: str) -> None:
        raise AttributeError(
            f"{self._fn_name}: the source of a jit function is read-only, because kernels compiled from the old text "
            "would stay in the cache; use `_unsafe_update_src` if that is what you want"
        )

    def _unsafe_update_src(self, text: str) -> None:
        """Replaces the source. Kernels that were compiled before stay in the memory cache."""
        self._src, self._raw_src, self._hash, self._definition = text, text, None, None

    @property
    def starting_line_number(self) -> int:
        """Line in the file, counted from 1, of the first line of `src`."""
        if self._src is None:
            self._read_source()
        return self._starting_line_number

    def parse(self) -> ast.Module:
        """The syntax tree of `src`: a module that holds one function definition."""
        tree = ast.parse(self.src)
        if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
            raise ValueError(f"{self._fn_name}: expected one function definition, got:\n{self.src}")
        return tree

    # -- scope and key --------------------------------------------------------------------------------------------

    def get_capture_scope(self) -> dict[str, Any]:
        """Names that the body can see: globals of its module, and closure variables, which win."""
        return {**self.__globals__, **nonlocals_of(self.fn)}

    def _scan(self) -> DependencyScan:
        self.src  # noqa: B018  (finds the definition)
        definition, self._definition = self._definition, None
        return DependencyScan(self.fn, definition or self.parse().body[0], self.__globals__, nonlocals_of(self.fn))

    def _key_prefix(self) -> str:
        """What a subclass adds to the key besides source and dependencies."""
        return ""

    @property
    def cache_key(self) -> str:
        """Hex sha256 over the source and everything that it depends on, transitively."""
        if self._hash is None:
            with self._hash_lock:
                if self._hash is None:
                    self._compute_key()
        return self._hash

    def _compute_key(self) -> None:
        scan = self._scan()
        parts = [self._key_prefix(), self.src, str(self.starting_line_number), *scan.parts]
        used = {key: (entry.value, entry.scope) for key, entry in scan.used.items()}
        # A provisional key ends the recursion of functions that call each other.
        self._hash = f"recursion:{self._fn_name}"
        try:
            for callee in scan.callables:
                parts.append(callee.cache_key)
                used.update(getattr(callee, "used_global_vals", None) or {})
        except BaseException:
            self._hash = None
            raise
        self.used_global_vals = used
        self._hash = hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()

    def check_globals(self) -> None:
        """RuntimeError when a global that compiled code depends on has another value now."""
        for (name, _), (value, scope) in (self.used_global_vals or {}).items():
            now = scope.get(name, UsedGlobal)
            if now is not value and now != value:
                raise RuntimeError(
                    f"global variable {name!r} has changed since kernel {self.__name__!r} was compiled: it was "
                    f"{value!r} and is now {now!r}. A kernel keeps the value it was compiled with; pass it as a "
                    "tl.constexpr argument instead"
                )

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self._src is None and self._lines is not None:
            self._read_source()
            state.update(_src=self._src, _raw_src=self._raw_src, _starting_line_number=self._starting_line_number)
        state["_lines"] = state["_definition"] = None  # the whole file, and what only this process needs
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.__dict__.get("_hash_lock") is None:
            self._hash_lock = threading.RLock()


class ConstexprFunction(JITCallable):
    """A host function that a kernel may call with compile-time constants; it runs while compiling."""

    def __init__(self, fn: FunctionType):
        super().__init__(fn)
        self.__wrapped__ = fn

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else BoundConstexprFunction(instance, self)

    def __call__(self, *args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
        """Called by host code (`_semantic` is None): the function itself. Called by the code generator: arguments
        are unwrapped from `tl.constexpr`, and the result is wrapped."""
        if _semantic is None:
            return self.fn(*args, **kwargs)
        from triton.language.core import _unwrap_if_constexpr, constexpr, tensor

        args = [_unwrap_if_constexpr(arg) for arg in args]
        kwargs = {name: _unwrap_if_constexpr(arg) for name, arg in kwargs.items()}
        try:
            result = self.fn(*args, **kwargs)
        except Exception as error:
            # Shapes and dtypes of tensors are known, their values are not.
            types = [str(value.type) for value in (*args, *kwargs.values()) if isinstance(value, tensor)]
            if not types:
                raise
            raise TypeError(
                f"{self._fn_name}() runs at compile time, where values of type {', '.join(types)} are not known; call "
                "the function of triton.language, or one decorated with @triton.jit"
            ) from error
        if result is None or hasattr(result, "handle") or hasattr(type(result), "cache_key"):
            return result
        return result if isinstance(result, constexpr) else constexpr(result)

    def __repr__(self) -> str:
        return f"ConstexprFunction({self._fn_name})"


class BoundConstexprFunction:
    """A `ConstexprFunction` that was looked up on an instance."""

    def __init__(self, instance: Any, function: ConstexprFunction):
        self.__self__ = instance
        self.__func__ = function

    @property
    def cache_key(self) -> str:
        return self.__func__.cache_key

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self.__self__, *args, **kwargs)


def constexpr_function(fn: FunctionType) -> ConstexprFunction:
    """Decorator: `fn` can be called by kernels at compile time, and by host code as before."""
    return ConstexprFunction(fn)
