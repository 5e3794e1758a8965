"""Statements of a kernel other than control flow. Part of the code generator."""

from __future__ import annotations

import ast

from ..language import _values as V
from ..language import core
from ..language._aggregate import base_aggregate
from ..language._builtin import BoundJITMethod
from ..language._tensor import tensor
from ..language._values import _unwrap_if_constexpr, base_value, constexpr
from ._codegen_expr import BINARY

# What to say about statements and expressions that have no place in a kernel.
REJECTED = {
    "FunctionDef": "a function cannot be defined inside of a kernel; define it at module level with @triton.jit",
    "AsyncFunctionDef": "a function cannot be defined inside of a kernel",
    "ClassDef": "a class cannot be defined inside of a kernel",
    "Lambda": "`lambda` is not supported; define a function with @triton.jit",
    "Try": "`try` is not supported: kernels have no exceptions",
    "TryStar": "`try` is not supported: kernels have no exceptions",
    "Raise": "`raise` is not supported; use tl.device_assert, or tl.static_assert at compile time",
    "Global": "`global` is not supported; pass values as arguments and return them",
    "Nonlocal": "`nonlocal` is not supported; pass values as arguments and return them",
    "Break": "`break` is not supported; make its condition part of a `while` condition",
    "Continue": "`continue` is not supported; put the rest of the iteration into an `if`",
    "Delete": "`del` is not supported",
    "Import": "`import` is not supported inside of a kernel",
    "ImportFrom": "`import` is not supported inside of a kernel",
    "Match": "`match` is not supported; use if and elif",
    "Dict": "a dict is not supported; use separate variables or a tuple",
    "DictComp": "a dict is not supported; use separate variables or a tuple",
    "Set": "a set is not supported",
    "SetComp": "a set is not supported",
    "Await": "`await` is not supported",
    "Yield": "`yield` is not supported",
    "YieldFrom": "`yield` is not supported",
    "Starred": "a starred expression is possible in calls, tuples and lists only",
}


class Statements:
    """One method per kind of statement."""

    def visit_statements(self, statements: list) -> None:
        for statement in statements:
            self.visit(statement)

    def visit_Pass(self, node):
        pass

    def visit_Return(self, node):
        raise self.unsupported(
            node, "`return` is possible at the end of a function and inside of `if`, not in a loop or a `with`"
        )

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        value = self.visit(node.value)
        if isinstance(node.value, ast.Call):
            self._check_result_used(node.value, value)

    def _check_result_used(self, call, value) -> None:
        owner = call.func
        while isinstance(owner, ast.Attribute):
            owner = owner.value
        if not isinstance(owner, ast.Name):
            return  # looking at it again would emit it again
        fn = self.visit(call.func)
        reason = getattr(fn, "_must_use_result", None)
        if reason:
            text = reason if isinstance(reason, str) else "its only effect is the value that it returns"
            raise self.unsupported(call, f"the result of {fn.__name__}() is not used: {text}")

    # --- assignment ---
    def assign(self, target, value) -> None:
        """Bind `value` to a target node; numbers become run-time values, as they may change later."""
        if isinstance(target, ast.Name):
            value = value if isinstance(value, (base_value, BoundJITMethod)) else self._assignable(value)
            value = self.lscope[target.id] = self.at_run_time(value)
            if isinstance(value, tensor):
                self.builder.set_name(value.handle, target.id)
            return
        if isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
            return
        if isinstance(target, ast.Attribute):
            owner = self.visit(target.value)
            if isinstance(owner, base_aggregate):
                self._assign_field(target, owner, value)
                return
            raise self.unsupported(target, "attributes of values cannot be assigned")
        if isinstance(target, ast.Subscript):
            raise self.unsupported(
                target,
                "elements cannot be assigned; use tl.where to change elements of a tensor, tl.store to write memory",
            )
        raise self.unsupported(target, f"cannot assign to a {type(target).__name__}")

    @staticmethod
    def _assignable(value):
        if isinstance(value, (tuple, list)):
            return V.as_value(value)
        return value

    def _unpack(self, target, value) -> None:
        if isinstance(value, constexpr) or not isinstance(value, (V.tuple, tuple, list)):
            raise TypeError(f"cannot unpack {value} into {len(target.elts)} names")
        starred = [t for t in target.elts if isinstance(t, ast.Starred)]
        if starred:
            raise self.unsupported(starred[0], "unpacking into a starred name is not supported")
        values = list(value)
        if len(values) != len(target.elts):
            raise ValueError(f"cannot unpack {len(values)} values into {len(target.elts)} names")
        for t, v in zip(target.elts, values):
            self.assign(t, v)

    def _assign_field(self, target, owner, value) -> None:
        # Values are immutable once other names may refer to them: the variable gets a changed copy.
        if owner is self.under_construction:
            setattr(owner, target.attr, value)
            return
        values = {n: getattr(owner, n) for n in owner._field_names}
        if target.attr not in values:
            raise AttributeError(f"{type(owner).__name__} has no field '{target.attr}'; fields: {', '.join(values)}")
        values[target.attr] = V.as_value(value)
        self.assign(target.value, type(owner)._from_fields(values))

    def visit_Assign(self, node):
        value = self.visit(node.value)
        self.current_node = node
        for target in node.targets:
            self.assign(target, value)

    def visit_AnnAssign(self, node):
        if node.value is None:
            return
        annotation = self.visit(node.annotation)
        if annotation is not constexpr:
            self.assign(node.target, self.visit(node.value))
            return
        name = node.target.id if isinstance(node.target, ast.Name) else None
        if name is None:
            raise self.unsupported(node.target, "only a name can be declared tl.constexpr")
        if name in self.lscope and isinstance(self.lscope[name], base_value) and not self.loop_depth:
            raise ValueError(f"'{name}' already has a value; a tl.constexpr cannot be assigned again")
        value = self.visit(node.value)
        if isinstance(value, V.tuple) and all(isinstance(v, constexpr) for v in value.values):
            self.lscope[name] = value
            return
        # A value that is known at run time only stays what it is: where a constant is needed, that is reported.
        self.lscope[name] = value if isinstance(value, base_value) else constexpr(_unwrap_if_constexpr(value))

    def visit_AugAssign(self, node):
        lhs = self._as_load(node.target)
        current = self.visit(lhs)
        value = self.visit(node.value)
        self.locate(node)
        self.assign(node.target, self.binary(BINARY, node.op, current, value))

    @staticmethod
    def _as_load(target):
        cached = getattr(target, "_triton_load", None)
        if cached is None:
            cached = target._triton_load = type(target)(
                **{f: getattr(target, f) for f in target._fields if f != "ctx"}, ctx=ast.Load()
            )
            ast.copy_location(cached, target)
        return cached

    # --- assert, with ---
    def visit_Assert(self, node):
        condition = self.visit(node.test)
        message = self.visit(node.msg) if node.msg is not None else ""
        self.locate(node)
        core.device_assert(condition, message, _semantic=self.semantic)

    def visit_With(self, node):
        managers = []
        for item in node.items:
            manager = self._context_manager(item.context_expr)
            value = manager.__enter__()
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
            managers.append(manager)
        self.loop_depth += 1
        self.visit_statements(node.body)
        self.loop_depth -= 1
        for manager in reversed(managers):
            manager.__exit__(None, None, None)

    def _context_manager(self, node):
        if isinstance(node, ast.Call):
            cls = self.visit(node.func)
            if isinstance(cls, type) and hasattr(cls, "__enter__"):
                args = self._elements(node.args)
                kwargs = {k.arg: self.visit(k.value) for k in node.keywords}
                return cls(*args, _semantic=self.semantic, **kwargs)
        manager = self.visit(node)
        if not hasattr(manager, "__enter__"):
            raise self.unsupported(node, "`with` takes context managers of the language only")
        return manager
