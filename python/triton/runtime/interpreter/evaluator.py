"""Walks a kernel and runs it: the code generator, with control flow that is executed instead of emitted."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ... import knobs
from ...compiler.code_generator import CodeGenerator
from ...compiler.errors import CompilationError
from ...language import core
from ...language._tensor import tensor
from ...language._values import _unwrap_if_constexpr, as_value, base_value, constexpr
from ...language._values import tuple as tl_tuple
from ...language.semantic import TritonSemantic
from ..jit import JITFunction
from . import elements as E
from .regions import Diverged


class InterpreterSemantic(TritonSemantic):
    """The semantic on values. Operations with a region run it as often as they need."""

    def reduction(self, inputs, axis, make_region) -> tuple:
        return super().reduction(inputs, axis, lambda region: region.run(make_region))

    def associative_scan(self, inputs, axis, reverse, make_region) -> tuple:
        return super().associative_scan(inputs, axis, reverse, lambda region: region.run(make_region))


def _decided(data: np.ndarray) -> bool:
    """The truth of a condition. Raises Diverged when it differs between lanes."""
    if np.ndim(data) == 0:
        return bool(data)
    first = bool(data.flat[0])
    if np.all(data == first):
        return first
    raise Diverged(np.asarray(data))


def _uniform(data: np.ndarray) -> int:
    """An integer that is the same in all lanes. Raises Diverged when it is not."""
    if np.ndim(data) == 0:
        return int(data)
    same = data == data.flat[0]
    if not np.all(same):
        raise Diverged(same)
    return int(data.flat[0])


class Evaluator(CodeGenerator):
    """Runs one call of one function. `fork` makes the next one cheaply from the first of its function."""

    @classmethod
    def of(cls, state: Any, fn: Any) -> Evaluator:
        prototype = state.prototypes.get(fn)
        if prototype is None:
            prototype = state.prototypes[fn] = cls(state, fn)
        made = cls.__new__(cls)
        made.__dict__.update(prototype.__dict__)
        return made

    def visit(self, node):
        visitor = _VISITORS.get(node.__class__)
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

    # --- branches ---
    def _chosen(self, condition, node) -> bool:
        """Whether a condition, a constant or a scalar, holds."""
        if isinstance(condition, tensor):
            self.locate(node)
            return _decided(self.branch_condition(condition, node).handle.data)
        if isinstance(condition, base_value) and not isinstance(condition, (constexpr, tl_tuple)):
            raise self.unsupported(node.test, f"the condition of an `if` must be a scalar, got {condition}")
        return bool(_unwrap_if_constexpr(condition))

    def visit_If(self, node):
        self.visit_statements(node.body if self._chosen(self.visit(node.test), node) else node.orelse)

    def _tail_if(self, node, rest):
        chosen = node.body if self._chosen(self.visit(node.test), node) else node.orelse
        return self.emit_tail([*chosen, *rest])

    def visit_IfExp(self, node):
        condition = self.visit(node.test)
        holds = self._chosen(condition, node)
        value = self.visit(node.body if holds else node.orelse)
        if isinstance(condition, tensor) and isinstance(value, constexpr):
            # A number takes the type of the other value, which compiled code knows without running it.
            with self.builder.without_effects():
                other = self.visit(node.orelse if holds else node.body)
            if not (isinstance(other, constexpr) and other.type == value.type):
                value = self._as_merged(value, other)
        return value

    # --- loops ---
    def _body(self, node, names: list[str], before: list, first: bool) -> None:
        """One iteration. After the first one, the variables that the loop changes must have kept their types."""
        self.loop_depth += 1
        self.visit_statements(node.body)
        self.loop_depth -= 1
        if first:
            outer = {**self.lscope, **dict(zip(names, before))}
            self.lscope.update(zip(names, self._yielded(node, outer, names, before)))

    def _start_loop(self, node):
        """Names that the loop changes, with their values, which from here on are values at run time."""
        names, before = self._carried(node)
        self.lscope.update(zip(names, before))
        return names, before

    def visit_While(self, node):
        if node.orelse:
            raise self.unsupported(node.orelse[0], "`else` of a `while` is not supported")
        names, before = self._start_loop(node)
        first = True
        while True:
            condition = self.visit(node.test)
            if isinstance(condition, core.condition):
                condition = condition.condition
            if not self._chosen(self.semantic.to_tensor(condition), node):
                return
            self._body(node, names, before, first)
            first = False

    def _range_loop(self, node, bounds) -> None:
        if not isinstance(node.target, ast.Name):
            raise self.unsupported(node.target, "the index of a range loop must be a single name")
        self.locate(node)
        scalars, counts_down = self._loop_bounds(bounds, node)
        dtype = scalars[0].dtype
        element = scalars[0].handle.element
        kind = element.unsigned if dtype.is_int_unsigned() else element.storage
        low, high, step = (_uniform(np.asarray(s.handle.data).view(kind)) for s in scalars)
        if step <= 0:
            raise ValueError(f"range() needs a step that is positive, or a negative constant; it is {step}")
        names, before = self._start_loop(node)
        for i, index in enumerate(range(low, high, step)):
            index = high - index + low if counts_down else index
            self.lscope[node.target.id] = tensor(E.Value(element, np.asarray(index, kind).view(element.storage)), dtype)
            self._body(node, names, before, i == 0)

    # --- calls ---
    def call_jit(self, fn, args, kwargs):
        return self.inline_call(fn, args, kwargs)

    def inline_call(self, fn, args, kwargs):
        fn = _unwrap_if_constexpr(fn)
        if not isinstance(fn, JITFunction):
            return self.call(fn, args, kwargs)
        if len(self.state.active) > 100:
            raise TypeError(f"{fn.__name__}() calls itself; recursion is not supported in kernels")
        callee = Evaluator.of(self.state, fn)
        location = self.builder.get_loc()
        self.state.active.append(fn)
        try:
            result = callee.trace_inline(self.bind(fn, args, dict(kwargs)))
        except CompilationError as e:
            raise self.callee_error(fn, e) from e
        finally:
            self.state.active.pop()
        self.builder.set_loc(location)
        return result

    def _call_builtin(self, fn, args, kwargs):
        if fn is core.map_elementwise:
            return self._map_elementwise(*args, **kwargs)
        return super()._call_builtin(fn, args, kwargs)

    def _map_elementwise(self, scalar_fn, *args, pack=1):
        """`tl.map_elementwise` with a function that runs as often as its branches need."""
        pack = _unwrap_if_constexpr(pack)
        if not args or not isinstance(pack, int) or pack < 1 or pack & (pack - 1):
            raise ValueError(f"tl.map_elementwise needs arguments and a power of two as pack, got pack={pack!r}")
        inputs = [self.semantic.to_tensor(a) for a in args]
        for x in inputs[1:]:
            inputs[0], _ = self.semantic.broadcast_pair(inputs[0], x)
        inputs = [self.semantic.broadcast_pair(x, inputs[0])[0] for x in inputs]
        if not inputs[0].type.is_block():
            return self.inline_call(scalar_fn, inputs, {})
        dtypes: list = []

        def function(lanes):
            scalars = [tensor(v, inputs[i // pack].dtype) for i, v in enumerate(lanes)]
            result = as_value(self.inline_call(scalar_fn, scalars, {}))
            values = list(result) if isinstance(result, tl_tuple) else [result]
            values = [self.semantic.to_tensor(v) for v in values]
            if len(values) % pack:
                raise ValueError(f"tl.map_elementwise: {len(values)} results cannot be packs of {pack}")
            dtypes[:] = [v.dtype for v in values[::pack]]
            return [v.handle for v in values]

        region = self.builder.create_map_elementwise([x.handle for x in inputs], pack)
        handles = region.run(function)
        results = [tensor(h, inputs[0].type.with_element_ty(t)) for h, t in zip(handles, dtypes)]
        return results[0] if len(results) == 1 else tl_tuple(results)


_VISITORS = {
    getattr(ast, name[len("visit_") :]): getattr(Evaluator, name)
    for name in dir(Evaluator)
    if name.startswith("visit_") and hasattr(ast, name[len("visit_") :])
}
