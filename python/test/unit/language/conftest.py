"""Fixtures of the tests of the front end: they stop at TTIR, so no backend and no device is involved."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from triton._C.libtriton import ir
from triton.compiler.errors import CompilationError
from triton.compiler.source import ASTSource


@dataclass(frozen=True)
class Options:
    debug: bool = False
    sanitize_overflow: bool = False
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    supported_fp8_dtypes: tuple = ("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16")


@pytest.fixture(scope="session")
def context():
    context = ir.context()
    ir.load_dialects(context)
    return context


def smallest_dot(_lhs, _rhs):
    return (1, 1, 1)


@pytest.fixture
def module_of(context):
    """module_of(kernel, p="*fp32", n="i32", BLOCK=8): the verified module. Values that are not text are constants."""

    def build(kernel, options=None, module_map=None, codegen_fns=None, attrs=None, **arguments):
        signature = {k: v if isinstance(v, (str, tuple)) else "constexpr" for k, v in arguments.items()}
        constants = {k: v for k, v in arguments.items() if not isinstance(v, (str, tuple))}
        source = ASTSource(kernel, signature, constants, attrs)
        fns = {"min_dot_size": smallest_dot, **(codegen_fns or {})}
        return source.make_ir(None, replace(Options(), **(options or {})), fns, module_map or {}, context)

    return build


@pytest.fixture
def ttir(module_of):
    """Like `module_of`, but returns the text without locations."""
    return lambda kernel, **arguments: module_of(kernel, **arguments).str_nodebug()


@pytest.fixture
def error_of(module_of):
    """error_of(kernel, ...): the CompilationError of a kernel that must not compile."""

    def build(kernel, **arguments):
        with pytest.raises(CompilationError) as caught:
            module_of(kernel, **arguments)
        return caught.value

    return build
