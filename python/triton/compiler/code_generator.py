"""From the syntax tree of a kernel to TTIR.

`ast_to_ttir` is the entry. One `CodeGenerator` traces one function: it walks the statements, evaluates what is known at
compile time and emits IR for the rest through the semantic. The parts of it are in the `_codegen_*` modules.
"""

from __future__ import annotations

import ast
import weakref
from dataclasses import dataclass, field
from typing import Any

from .. import knobs
from ..language import _types as T
from ..language import _values as V
from ..language._block_pointer import tensor_descriptor_type
from ..language._ops_debug import StaticAssertionError
from ..language._values import base_value, constexpr, constexpr_type, flatten_values
from ..language.semantic import TritonSemantic
from ..language.signature import str_to_ty
from ..runtime.jit import JITFunction
from ._codegen_call import Calls
from ._codegen_control import ControlFlow
from ._codegen_expr import Expressions
from ._codegen_scope import Names
from ._codegen_stmt import REJECTED, Statements
from .errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct

__all__ = ["CodeGenerator", "ast_to_ttir"]


@dataclass
class ModuleState:
    """What the generators of all functions of a module share."""

    builder: Any
    module: Any
    semantic: TritonSemantic
    module_map: dict
    functions: dict = field(default_factory=dict)  # (fn, argument types) -> (symbol, result type)
    active: list = field(default_factory=list)  # functions that are being traced, outermost first
    symbols: set = field(default_factory=set)

    def unique_symbol(self, name: str) -> str:
        symbol, n = name, 0
        while symbol in self.symbols:
            n += 1
            symbol = f"{name}.{n}"
        self.symbols.add(symbol)
        return symbol


_trees: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def _function_node(fn: JITFunction) -> ast.FunctionDef:
    """The syntax tree of a jit function; parsed once."""
    cached = _trees.get(fn)
    if cached is None or cached[0] is not fn.src:
        cached = _trees[fn] = (fn.src, fn.parse().body[0])
    return cached[1]


class CodeGenerator(Expressions, Calls, ControlFlow, Statements, Names):
    """Traces one call of one function."""

    visitors: dict[type, Any]  # of this class; a derived one that overrides a visitor sets its own

    def __init__(self, state: ModuleState, fn: JITFunction):
        self.state = state
        self.fn = fn
        self.builder = state.builder
        self.semantic = state.semantic
        self.src = fn.src
        self.file = fn.fn.__code__.co_filename
        self.first_line = fn.starting_line_number - 1
        self.call_site = None  # the place of the call, where this is traced into the caller
        self.gscope = fn.get_capture_scope()
        self.lscope: dict = {}
        self.loop_depth = 0
        self.copies = 0
        self.under_construction = None
        # tl.cdiv of two constants is a constant; functions of the user return run-time values.
        self.keeps_constants = fn.__module__.startswith("triton.language.")
        self.current_node = self.function_node = _function_node(fn)

    # --- errors and positions ---
    def visit(self, node):
        visitor = self.visitors.get(node.__class__)
        try:
            if visitor is None:
                raise self.unsupported(node, None)
            return visitor(self, node)
        except CompilationError:
            raise
        except Exception as e:
            if knobs.compilation.front_end_debugging:
                raise
            raise self.error_at(node, e) from (e if e.__cause__ is None else e.__cause__)

    def error_at(self, node, error: Exception) -> CompilationError:
        """The error to report for `error`, which was raised at `node`."""
        if isinstance(error, StaticAssertionError):
            return CompileTimeAssertionFailure(self.src, node, str(error))
        message = str(error) or repr(error)
        if not isinstance(error, ValueError):
            message = f"{type(error).__name__}: {message}"
        return CompilationError(self.src, node, message)

    def unsupported(self, node, message: str | None) -> UnsupportedLanguageConstruct:
        if message is None:
            name = type(node).__name__
            message = f"{name}: {REJECTED.get(name, 'not supported in kernels')}"
        return UnsupportedLanguageConstruct(self.src, node if hasattr(node, "lineno") else self.current_node, message)

    def locate(self, node) -> None:
        """What is emitted from here on belongs to `node`."""
        self.current_node = node
        line, column = self.first_line + node.lineno, node.col_offset
        if self.call_site is None:
            self.builder.set_loc(self.file, line, column)
        else:
            begin = self.first_line + self.function_node.lineno
            self.builder.set_inlined_loc(self.file, line, column, self.fn.__name__, begin, self.call_site)

    # --- functions ---
    def trace_inline(self, bound: dict):
        """Emit the body at the current position, with `bound` as the values of the parameters; returns the result."""
        self.lscope = bound
        if self.fn.__name__ == "__init__":
            self.under_construction = next(iter(bound.values()), None)
        return self.trace_body()

    def trace_body(self):
        node = self.function_node
        try:
            return self.emit_tail(node.body)
        except CompilationError:
            raise
        except Exception as e:
            if knobs.compilation.front_end_debugging:
                raise
            raise self.error_at(self.current_node, e) from e

    def define_function(self, symbol: str, bound: dict):
        """Emit the function as `symbol` for arguments of the types of `bound`; returns its result type or None."""
        builder = self.builder
        types = [v.type for v in bound.values()]
        ir_types: list = []
        for t in types:
            t.flatten_ir_types(builder, ir_types)
        self.builder.set_function_loc(self.file, self.first_line + self.function_node.lineno, self.fn.__name__)
        function = builder.create_function(self.state.module, symbol, ir_types, "private", self.fn.noinline)
        block = function.add_entry_block()
        self.lscope = dict(zip(bound, V.unflatten_values(block.arguments(), types)))
        builder.set_insertion_point_to_start(block)
        result = self.trace_body()
        return self._finish_function(function, result)

    def define_kernel(self, symbol: str, signature: dict, constants: dict, attrs: dict) -> None:
        """Emit the function as the public kernel `symbol`. See `ast_to_ttir` for the arguments."""
        builder = self.builder
        arguments = []
        for i, name in enumerate(self.fn.arg_names):
            arguments.append(_KernelArgument(signature[name], (i,), constants, name))
        ir_types: list = []
        for argument in arguments:
            argument.type.flatten_ir_types(builder, ir_types)
        self.locate(self.function_node)
        function = builder.create_function(self.state.module, symbol, ir_types, "public", self.fn.noinline)
        block = function.add_entry_block()
        handles = block.arguments()
        cursor = 0
        for name, argument in zip(self.fn.arg_names, arguments):
            value, after = argument.type.unflatten_ir(handles, cursor)
            for handle in handles[cursor:after]:
                builder.set_name(handle, name)
            argument.attach_attributes(builder, function, attrs, cursor)
            self.lscope[name] = value
            cursor = after
        builder.set_insertion_point_to_start(block)
        result = self.trace_body()
        if not (isinstance(result, constexpr) and result.value is None):
            raise CompilationError(
                self.src,
                self.current_node,
                f"a kernel cannot return a value ({result}); write results through pointers with tl.store",
            )
        self._finish_function(function, result)

    def _finish_function(self, function, result):
        builder = self.builder
        if isinstance(result, constexpr) and result.value is None:
            builder.create_return([])
            return None
        if not isinstance(result, base_value):
            raise self.unsupported(self.current_node, f"a function of a kernel cannot return {result!r}")
        types: list = []
        result.type.flatten_ir_types(builder, types)
        function.set_result_types(types)
        builder.create_return(flatten_values([result]))
        return result.type


class _KernelArgument:
    """One argument of a kernel, or one element of a tuple argument, from its entry in the signature."""

    def __init__(self, spelling, path: tuple, constants: dict, name: str):
        self.path = path
        self.children: list[_KernelArgument] = []
        if isinstance(spelling, (tuple, list, V.tuple)):
            for i, s in enumerate(spelling):
                self.children.append(_KernelArgument(s, (*path, i), constants, f"{name}[{i}]"))
            fields = list(getattr(spelling, "_fields", ()) or ())
            self.type: Any = T.tuple_type([c.type for c in self.children], fields or None)
        elif spelling == "constexpr":
            if path not in constants:
                raise TypeError(f"the value of the compile-time argument '{name}' is missing")
            self.type = self._constant_type(constants[path])
        else:
            self.type = argument_type(spelling, name)

    @staticmethod
    def _constant_type(value):
        value = V.as_value(value)
        return value.type if isinstance(value, (V.tuple, constexpr)) else constexpr_type(value)

    def _attach_alignment(self, builder, function, cursor: int) -> None:
        """What holds for every descriptor made on the host: base and strides are multiples of 16 bytes."""
        block = self.type.block_type
        rank = len(block.shape)
        elements = builder.get_int32_attr(max(1, 16 // block.element_ty.itemsize))
        function.set_arg_attr(cursor, "tt.divisibility", builder.get_int32_attr(16))
        for stride in range(cursor + 1 + rank, cursor + 2 * rank):
            function.set_arg_attr(stride, "tt.divisibility", elements)

    def attach_attributes(self, builder, function, attrs: dict, cursor: int) -> int:
        """Put the attributes of this argument, whose first IR argument is `cursor`, on the function."""
        for name, value in attrs.get(self.path, ()):
            function.set_arg_attr(cursor, name, builder.get_int32_attr(value))
        if isinstance(self.type, tensor_descriptor_type):
            self._attach_alignment(builder, function, cursor)
        if not self.children:
            width: list = []
            self.type.flatten_ir_types(builder, width)
            return cursor + len(width)
        for child in self.children:
            cursor = child.attach_attributes(builder, function, attrs, cursor)
        return cursor


def argument_type(spelling: str, name: str) -> T.base_type:
    """Type of a kernel argument from its spelling in the signature."""
    try:
        return str_to_ty(spelling)
    except (ValueError, AttributeError) as e:
        raise TypeError(f"argument '{name}': {e}") from e


def ast_to_ttir(fn: JITFunction, src, context, options, codegen_fns, module_map, module=None):
    """TTIR of a kernel, as a verified module.

    `src` has `.name` (the symbol), `.signature` (parameter name → spelling of its type, "constexpr" for constants),
    `.constants` ({index path: value}) and `.attrs` ({index path: [[name, int], ...]}). `options` are the backend's
    options, `codegen_fns` its code generation functions, `module_map` its implementations of device-neutral modules by
    name. With `module` the kernel is added to it.

    Raises CompilationError for errors in the kernel, RuntimeError when the IR does not verify.
    """
    from .._C.libtriton import ir

    builder = ir.builder(context)
    builder.options = options
    builder.codegen_fns = codegen_fns
    builder.module_map = module_map
    if module is None:
        module = builder.create_module()
    module.context = context
    semantic = TritonSemantic(builder, options, codegen_fns)
    state = ModuleState(builder, module, semantic, dict(module_map or {}))
    state.symbols.add(src.name)
    state.active.append(fn)
    generator = CodeGenerator(state, fn)
    generator.define_kernel(src.name, src.signature, src.constants, src.attrs)
    module.verify_or_raise()
    return module


def visitors_of(generator: type[CodeGenerator]) -> dict[type, Any]:
    """The methods `visit_X` of a class by the syntax node `X` that they visit."""
    names = [name[len("visit_") :] for name in dir(generator) if name.startswith("visit_")]
    return {getattr(ast, name): getattr(generator, f"visit_{name}") for name in names if hasattr(ast, name)}


CodeGenerator.visitors = visitors_of(CodeGenerator)
