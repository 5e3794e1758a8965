"""The parameters of a kernel as its `def` line declares them."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from .._utils import type_canonicalisation_dict

# Types that a parameter may be pinned to by its annotation (`n: tl.int64`, `n: "i64"`, `x: float`).
_ANNOTATED_TYPES = {**type_canonicalisation_dict, "int1": "u1", "i1": "u1", "bool": "u1"}
# Python's `int` promises nothing about the width: values choose between i32 and i64 as without annotation.
_ANNOTATED_TYPES.pop("int")


def annotation_text(annotation: Any) -> str:
    """One spelling for an annotation, whether it is a type, an object of the language or, with postponed
    evaluation, a string; empty when there is none."""
    if annotation is inspect.Parameter.empty or annotation is None:
        return ""
    if isinstance(annotation, str):
        return annotation.strip().strip("'\"").strip()
    if isinstance(annotation, type):
        return annotation.__name__
    name = getattr(annotation, "name", None)  # a dtype of the language
    return name if isinstance(name, str) else str(annotation)


class KernelParam:
    """One parameter: position, name, default, and what annotations and `jit` options say about it.

    `annotation` is the normalised text (``"constexpr"``, ``"int64"``, ``""``), `annotation_type` the canonical
    type that pins the argument (``"i64"``) or ``""``.
    """

    __slots__ = (
        "annotation",
        "annotation_type",
        "default",
        "do_not_specialize",
        "do_not_specialize_on_alignment",
        "is_const",
        "is_constexpr",
        "kind",
        "name",
        "num",
    )

    def __init__(
        self,
        num: int,
        name: str,
        default: Any = inspect.Parameter.empty,
        annotation: Any = inspect.Parameter.empty,
        kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD,
        do_not_specialize: bool = False,
        do_not_specialize_on_alignment: bool = False,
    ):
        self.num = num
        self.name = name
        self.kind = kind
        self.default = default
        self.annotation = annotation_text(annotation)
        last = self.annotation.rsplit(".", 1)[-1]
        self.is_constexpr = "constexpr" in self.annotation
        self.is_const = not self.is_constexpr and (last == "const" or self.annotation.startswith("const "))
        self.annotation_type = "" if self.is_constexpr or self.is_const else _ANNOTATED_TYPES.get(last, "")
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment

    @property
    def has_default(self) -> bool:
        return self.default is not inspect.Parameter.empty

    @property
    def is_variadic(self) -> bool:
        """True for ``*args``, which takes the rest of the positional arguments as one tuple."""
        return self.kind is inspect.Parameter.VAR_POSITIONAL

    def __repr__(self) -> str:
        star = "*" if self.is_variadic else ""
        note = f": {self.annotation}" if self.annotation else ""
        default = f" = {self.default!r}" if self.has_default else ""
        return f"<KernelParam {self.num} {star}{self.name}{note}{default}>"


def parameters_of(fn: FunctionType) -> list[tuple[str, Any, Any, Any]]:
    """``(name, default, annotation, kind)`` of each parameter of `fn`.

    Reads the code object instead of `inspect.signature`, which costs thirty times as much; a library declares
    hundreds of kernels when it is imported.
    """
    empty = inspect.Parameter.empty
    code, annotations = fn.__code__, getattr(fn, "__annotations__", None) or {}
    if code.co_flags & inspect.CO_VARKEYWORDS:
        raise TypeError(
            f"{fn.__qualname__}(): a kernel cannot take **{code.co_varnames[_count_params(code) - 1]}: "
            "give each keyword a parameter of its own"
        )
    positional = code.co_argcount
    names = code.co_varnames
    defaults = fn.__defaults__ or ()
    first_default = positional - len(defaults)
    result = []
    for i in range(positional):
        kind = (
            inspect.Parameter.POSITIONAL_ONLY
            if i < code.co_posonlyargcount
            else inspect.Parameter.POSITIONAL_OR_KEYWORD
        )
        default = defaults[i - first_default] if i >= first_default else empty
        result.append((names[i], default, annotations.get(names[i], empty), kind))
    if code.co_flags & inspect.CO_VARARGS:
        name = names[positional + code.co_kwonlyargcount]
        result.append((name, empty, annotations.get(name, empty), inspect.Parameter.VAR_POSITIONAL))
    keyword_defaults = fn.__kwdefaults__ or {}
    for name in names[positional : positional + code.co_kwonlyargcount]:
        default = keyword_defaults.get(name, empty)
        result.append((name, default, annotations.get(name, empty), inspect.Parameter.KEYWORD_ONLY))
    return result


def _count_params(code: Any) -> int:
    flags = code.co_flags
    stars = bool(flags & inspect.CO_VARARGS) + bool(flags & inspect.CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + stars
