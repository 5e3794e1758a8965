"""Marking functions as part of the language: builtins take the tracer as keyword `_semantic`."""

from __future__ import annotations

from functools import wraps

TRITON_BUILTIN = "__triton_builtin__"


def builtin(fn):
    """Make `fn` callable from kernels. The code generator passes `_semantic`, and `_generator` where `fn` takes it.

    Raises ValueError when called from plain Python.
    """

    @wraps(fn)
    def wrapper(*args, **kwargs):
        if kwargs.get("_semantic") is None:
            raise ValueError(
                f"{fn.__name__} is part of the kernel language and was called outside of a kernel. "
                "Call it from a function decorated with @triton.jit"
            )
        return fn(*args, **kwargs)

    code = fn.__code__
    wrapper.__triton_builtin__ = True
    wrapper._takes_generator = "_generator" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return wrapper


def is_builtin(fn) -> bool:
    """Whether `fn` was made by `builtin` (or carries its mark)."""
    return getattr(fn, TRITON_BUILTIN, False)


def extern(fn):
    """Builtin for functions of external libraries; the same as `builtin`."""
    return builtin(fn)


class BoundJITMethod:
    """A jit function with its first argument: what `x.sum` gives inside a kernel."""

    __slots__ = ("fn", "self_value")

    def __init__(self, fn, self_value):
        self.fn = fn
        self.self_value = self_value


class _JITMember:
    """Descriptor that makes a jit function a method of `tensor`."""

    def __init__(self, fn):
        self.fn = fn

    def __get__(self, obj, owner=None):
        return self.fn if obj is None else BoundJITMethod(self.fn, obj)


def tensor_member(fn):
    """Make a builtin or a jit function a method of `tensor`, too."""
    from ._tensor import tensor

    setattr(tensor, fn.__name__, fn if is_builtin(fn) else _JITMember(fn))
    return fn


def must_use_result(x=True, s=True):
    """Mark a function whose result a kernel must not drop; a text says what the user probably meant.

    Either a decorator for the function `x`, or called with the text, which makes one.
    """
    if callable(x):
        x._must_use_result = s
        return x
    return lambda fn: must_use_result(fn, x)
