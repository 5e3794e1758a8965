"""Branches and loops of a kernel, executed.

What is not executed is still looked at, once per launch: the other branch of an `if` and the body of a loop without
iterations run without effects, so that a mistake there is reported, and the types of both ways are compared, as by the
compiler; a name that only one way sets has no value afterwards. On such a trial, loops take one turn, because what they
wait for may never come.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ...compiler._codegen_control import is_number
from ...compiler._codegen_scope import assigned_names
from ...language import core
from ...language._tensor import tensor
from ...language._values import _unwrap_if_constexpr, base_value, constexpr
from ...language._values import tuple as tl_tuple
from . import elements as E
from .regions import Diverged


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


class Control:
    """Statements that decide what runs. Part of the evaluator."""

    def _chosen(self, condition, node) -> bool:
        """Whether a condition, a constant or a scalar, holds."""
        if isinstance(condition, tensor):
            self.locate(node)
            return _decided(self.branch_condition(condition, node).handle.data)
        if isinstance(condition, base_value) and not isinstance(condition, (constexpr, tl_tuple)):
            raise self.unsupported(node.test, f"the condition of an `if` must be a scalar, got {condition}")
        return bool(_unwrap_if_constexpr(condition))

    # --- trials ---
    def _is_new(self, node) -> bool:
        """Whether this launch meets the branch or loop `node` for the first time."""
        tried = self.state.tried
        if id(node) in tried:
            return False
        tried.add(id(node))
        return True

    def _trial(self, run) -> tuple[Any, dict | None]:
        """The result of `run()`, which has no effects, and the names afterwards (None where lanes went different ways).
        This evaluator stays as it is.
        """
        scope, depth, node = self.lscope, self.loop_depth, self.current_node
        made = self.under_construction
        fields = dict(made.__dict__) if made is not None else {}
        self.lscope = dict(scope)
        try:
            with self.builder.without_effects():
                result = run()
            return result, self.lscope
        except Diverged:
            return None, None
        finally:
            self.lscope, self.loop_depth, self.current_node = scope, depth, node
            if made is not None:
                made.__dict__.clear()
                made.__dict__.update(fields)

    def _check_same_type(self, what: str, value, other, holds: bool) -> None:
        """TypeError when the two ways of a branch give values of different types."""
        if not isinstance(value, base_value) or not isinstance(other, base_value):
            return
        pair = (self._as_merged(value, other), self._as_merged(other, value))
        if pair[0].type != pair[1].type:
            first, second = pair if holds else pair[::-1]
            raise TypeError(
                f"{what} has type {first.type} when the condition holds and {second.type} when it does not. "
                "Both must be the same; cast one of them"
            )

    # --- branches ---
    def visit_If(self, node):
        condition = self.visit(node.test)
        holds = self._chosen(condition, node)
        chosen, other = (node.body, node.orelse) if holds else (node.orelse, node.body)
        if not isinstance(condition, tensor) or np.ndim(condition.handle.data) or not self._is_new(node):
            self.visit_statements(chosen)
            return
        _, elsewhere = self._trial(lambda: self.visit_statements(other))
        self.visit_statements(chosen)
        if elsewhere is None:
            return
        self.current_node = node
        for name in dict.fromkeys((*assigned_names(node, chosen)[0], *assigned_names(node, other)[0])):
            value, other_value = self.lscope.get(name), elsewhere.get(name)
            self._check_same_type(f"'{name}'", value, other_value, holds)
            missing = self._missing(value, other_value, node)
            if missing is not None:
                self.lscope[name] = missing

    def _tail_if(self, node, rest):
        condition = self.visit(node.test)
        holds = self._chosen(condition, node)
        chosen, other = (node.body, node.orelse) if holds else (node.orelse, node.body)
        new = isinstance(condition, tensor) and not np.ndim(condition.handle.data) and self._is_new(node)
        if new:
            elsewhere, _ = self._trial(lambda: self.emit_tail([*other, *rest]))
        value = self.emit_tail([*chosen, *rest])
        if new:
            self._check_same_type("the returned value", value, elsewhere, holds)
        return value

    def visit_IfExp(self, node):
        condition = self.visit(node.test)
        holds = self._chosen(condition, node)
        chosen, other = (node.body, node.orelse) if holds else (node.orelse, node.body)
        value = self.visit(chosen)
        if isinstance(condition, tensor) and (isinstance(value, constexpr) or self._is_new(node)):
            # A number takes the type of the other value, which compiled code knows without running it.
            elsewhere, _ = self._trial(lambda: self.visit(other))
            if elsewhere is not None:
                self._check_same_type("the value of the conditional expression", value, elsewhere, holds)
                if not (isinstance(elsewhere, constexpr) and elsewhere.type == value.type):
                    value = self._as_merged(value, elsewhere)
        return value

    # --- loops ---
    def _body(self, node, outer: dict, names: list[str], before: list, first: bool) -> None:
        """One iteration, after which only the variables `names` differ from those before the loop, `outer`. After the
        first one they must have kept their types.
        """
        self.loop_depth += 1
        self.visit_statements(node.body)
        self.loop_depth -= 1
        if first:
            carried = self._yielded(node, outer, names, before)
        else:
            values = [self.lscope[name] for name in names]
            carried = [self._as_merged(v, old) if is_number(v) else v for v, old in zip(values, before)]
        self.lscope = {**outer, **dict(zip(names, carried))}

    def _start_loop(self, node):
        """The scope before the loop; the names that it changes with their values, from here on those at run time."""
        names, before = self._carried(node)
        self.lscope.update(zip(names, before))
        return dict(self.lscope), names, before

    def _end_loop(self, node, outer: dict, names: list[str]) -> None:
        self._after_loop(node, outer, names, [self.lscope[name] for name in names])

    def visit_While(self, node):
        if node.orelse:
            raise self.unsupported(node.orelse[0], "`else` of a `while` is not supported")
        outer, names, before = self._start_loop(node)
        first = True
        while True:
            condition = self.visit(node.test)
            if isinstance(condition, core.condition):
                condition = condition.condition
            holds = self._chosen(self.semantic.to_tensor(condition), node)
            if not holds or (self.builder.muted and not first):
                break
            self._body(node, outer, names, before, first)
            first = False
        if first and self._is_new(node):
            self._trial(lambda: self._body(node, outer, names, before, True))
        self._end_loop(node, outer, names)

    def _range_loop(self, node, bounds) -> None:
        if not isinstance(node.target, ast.Name):
            raise self.unsupported(node.target, "the index of a range loop must be a single name")
        self.locate(node)
        scalars, counts_down = self._loop_bounds(bounds, node)
        dtype = scalars[0].dtype
        element = scalars[0].handle.element
        kind = element.unsigned if dtype.is_int_unsigned() else element.storage
        low, high, step = (_uniform(np.asarray(s.handle.data).view(kind)) for s in scalars)
        outer, names, before = self._start_loop(node)

        def run(index: int, first: bool) -> None:
            index = high - index + low if counts_down else index
            self.lscope[node.target.id] = tensor(E.Value(element, np.asarray(index, kind).view(element.storage)), dtype)
            self._body(node, outer, names, before, first)

        if self.builder.muted or (low >= high and self._is_new(node)):
            self._trial(lambda: run(low, True))
        elif step <= 0:
            raise ValueError(f"range() needs a step that is positive, or a negative constant; it is {step}")
        else:
            for i in range(low, high, step):
                run(i, i == low)
        self._end_loop(node, outer, names)
