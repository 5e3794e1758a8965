"""Branches, loops and returns of a kernel as structured control flow. Part of the code generator.

Values that differ between the ways to a point become results of `scf.if`, `scf.for` and `scf.while`. A `return` inside
of an `if` makes the rest of the function part of the branches that do not return, so no unstructured jump is needed.
"""

from __future__ import annotations

import ast

from ..language import _types as T
from ..language import _values as V
from ..language import core
from ..language._tensor import tensor
from ..language._values import _unwrap_if_constexpr, base_value, constexpr, flatten_values, unflatten_values
from ._codegen_scope import Undefined, assigned_names, assigns, contains_return
from .errors import UnsupportedLanguageConstruct

# Code after an `if` whose branches both return only sometimes is traced once per way to it. This many are too many.
_MAX_COPIES = 256


def is_number(value) -> bool:
    return isinstance(value, constexpr) and isinstance(value.value, (bool, int, float))


class ControlFlow:
    """Statements that decide what runs."""

    # --- the end of the function ---
    def emit_tail(self, statements: list):
        """Emit the statements at the end of the function and return the value that the function returns."""
        for i, statement in enumerate(statements):
            if isinstance(statement, ast.Return):
                return self._returned(statement)
            if isinstance(statement, ast.If) and contains_return([statement]):
                return self._tail_if(statement, statements[i + 1 :])
            self.visit(statement)
        return constexpr(None)

    def _returned(self, node):
        if node.value is None:
            return constexpr(None)
        value = self.visit(node.value)
        self.current_node = node
        value = value if isinstance(value, base_value) else V.as_value(value)
        return value if self.keeps_constants else self.at_run_time(value)

    def _tail_if(self, node, rest: list):
        condition = self.visit(node.test)
        if not isinstance(condition, tensor):
            chosen = node.body if _unwrap_if_constexpr(condition) else node.orelse
            return self.emit_tail([*chosen, *rest])
        self.copies += 1
        if self.copies > _MAX_COPIES:
            raise self.unsupported(node, "too many `return` statements in nested branches; restructure the function")
        condition = self.branch_condition(condition, node)
        scope = self.lscope

        def branch(statements):
            def emit():
                self.lscope = dict(scope)
                return [self.emit_tail([*statements, *rest])]

            return emit

        (value,) = self.emit_if(condition, branch(node.body), branch(node.orelse), lambda _: "the returned value")
        return value

    # --- if ---
    def branch_condition(self, condition: tensor, node) -> tensor:
        if condition.type.is_block():
            if condition.type.numel != 1:
                raise UnsupportedLanguageConstruct(
                    self.src,
                    node,
                    f"the condition is a tensor of shape {list(condition.type.shape)}, but a branch needs a scalar. "
                    "Use tl.where to choose element by element, or reduce the condition, e.g. with tl.max",
                )
            condition = self.semantic.item(condition)
        return self.semantic.truth(condition)

    def emit_if(self, condition: tensor, emit_then, emit_else, name_of):
        """An `scf.if`. The two functions emit the branches and return as many values each; returns the merged values.

        `name_of(i)` says what the i-th value is, for errors. Raises TypeError when two values have no common type.
        """
        op, after, blocks, branches = self._trace_branches(condition, emit_then, emit_else)
        merged = [self._merge(a, b, blocks, name_of(i)) for i, (a, b) in enumerate(zip(*branches))]
        results = self._finish_if(op, after, blocks, [pair for pair in merged if pair is not None])
        results.reverse()
        return [branches[0][i] if pair is None else results.pop() for i, pair in enumerate(merged)]

    def _trace_branches(self, condition: tensor, *emitters):
        """A draft of an `scf.if`, the position after it, and for each branch its last block and its values."""
        builder = self.builder
        op = builder.create_if(condition.handle)
        after = builder.get_insertion_point()
        blocks, branches = [], []
        for i, emit in enumerate(emitters):
            builder.set_insertion_point_to_start(op.get_body(i))
            branches.append(emit())
            blocks.append(builder.get_insertion_block())
        return op, after, blocks, branches

    def _merge(self, a, b, blocks, what: str):
        """The two values in one type, converted at the end of their blocks; None if they are the same constant."""
        if a is b or (isinstance(a, constexpr) and isinstance(b, constexpr) and a.type == b.type):
            return None
        pair = []
        for value, other, block in ((a, b, blocks[0]), (b, a, blocks[1])):
            self.builder.set_insertion_point_to_end(block)
            pair.append(self._as_merged(value, other))
        if pair[0].type != pair[1].type:
            raise TypeError(
                f"{what} has type {pair[0].type} when the condition holds and {pair[1].type} when it does not. "
                "Both must be the same; cast one of them"
            )
        return pair

    def _as_merged(self, value, other):
        if not isinstance(value, base_value):
            value = V.as_value(value)
        if not is_number(value):
            return value
        if isinstance(other, tensor) and not other.dtype.is_ptr():
            kind = self._number_kind(value.value)
            if kind <= other.dtype.kind().value:
                return self.semantic.full(other.type.get_block_shapes(), value.value, other.dtype)
        return self.semantic.to_tensor(value)

    @staticmethod
    def _number_kind(number) -> int:
        return 0 if isinstance(number, bool) else 1 if isinstance(number, int) else 2

    def visit_If(self, node):
        condition = self.visit(node.test)
        if not isinstance(condition, tensor):
            if isinstance(condition, V.base_value) and not isinstance(condition, (constexpr, V.tuple)):
                raise self.unsupported(node.test, f"the condition of an `if` must be a scalar, got {condition}")
            chosen = node.body if _unwrap_if_constexpr(condition) else node.orelse
            self.visit_statements(chosen)
            return
        self.locate(node)
        condition = self.branch_condition(condition, node)
        names = list(
            dict.fromkeys(n for s in (node.body, node.orelse) for part in assigned_names(node, s) for n in part)
        )
        before = self.lscope

        def branch(statements):
            def emit():
                self.lscope = dict(before)
                self.visit_statements(statements)
                return [self.lscope.get(n) for n in names]

            return emit

        op, after, blocks, values = self._trace_branches(condition, branch(node.body), branch(node.orelse))
        self.current_node = node
        scope = dict(before)
        merged_names, merged = [], []
        for name, a, b in zip(names, *values):
            missing = self._missing(a, b, node)
            if missing is not None:
                scope[name] = missing
            elif a is b:
                scope[name] = a
            else:
                pair = self._merge(a, b, blocks, f"'{name}'")
                if pair is None:
                    scope[name] = a
                else:
                    merged_names.append(name)
                    merged.append(pair)
        results = self._finish_if(op, after, blocks, merged)
        scope.update(zip(merged_names, results))
        self.lscope = scope

    @staticmethod
    def _missing(a, b, node) -> Undefined | None:
        """What a name is after an `if` whose branches leave `a` and `b` in it; None where both are values."""
        for value in (a, b):
            if isinstance(value, Undefined):
                return value
        if a is None or b is None:
            return Undefined(f"only one branch of the `if` in line {node.lineno} sets it")
        return None

    def _finish_if(self, op, after, blocks, merged) -> list:
        builder = self.builder
        types: list = []
        for pair in merged:
            pair[0].type.flatten_ir_types(builder, types)
        for i, block in enumerate(blocks):
            builder.set_insertion_point_to_end(block)
            builder.create_yield(flatten_values(pair[i] for pair in merged))
        op = builder.finish_if(op, types)
        builder.restore_insertion_point(after)
        builder.set_insertion_point_after(op)
        return unflatten_values(op.results(), [pair[0].type for pair in merged])

    # --- values carried by loops ---
    def _carried(self, node) -> tuple[list[str], list]:
        """Names that the loop `node` changes and that have a value before it, with those values at run time."""
        assigned, indices = assigned_names(node, node.body)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            indices = [*indices, node.target.id]
        in_test = (
            [n.target.id for n in ast.walk(node.test) if isinstance(n, ast.NamedExpr)] if hasattr(node, "test") else []
        )
        assigned = {*assigned, *in_test}
        names, values = [], []
        # In the order in which they were first set, as the text form of Triton has them.
        for name, value in self.lscope.items():
            if name not in assigned or name in indices or not isinstance(value, base_value):
                continue
            if isinstance(value, constexpr) and not (
                is_number(value) and (name in in_test or self._may_assign(node.body, name))
            ):
                continue
            value = self.at_run_time(value)
            names.append(name)
            values.append(value)
        return names, values

    def _may_assign(self, statements: list, name: str) -> bool:
        """Whether statements assign `name`, leaving out branches that constants rule out: a constant that only such a
        branch assigns stays a constant.
        """
        for statement in statements:
            if isinstance(statement, ast.If):
                chosen = self._constant_branch(statement)
                branches = (statement.body, statement.orelse) if chosen is None else (chosen,)
                if any(self._may_assign(branch, name) for branch in branches):
                    return True
            elif isinstance(statement, (ast.For, ast.While)):
                if self._may_assign(statement.body, name):
                    return True
            elif assigns(statement, name):
                return True
        return False

    def _constant_branch(self, node: ast.If):
        """The branch that is taken if the condition is made of constants that the scope knows, else None."""
        for part in ast.walk(node.test):
            if isinstance(part, ast.Name):
                if not isinstance(self.lscope.get(part.id), constexpr):
                    return None
            elif not isinstance(
                part, (ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.boolop, ast.unaryop, ast.cmpop, ast.Load)
            ):
                return None
        return node.body if _unwrap_if_constexpr(self.visit(node.test)) else node.orelse

    def at_run_time(self, value):
        """Numbers become scalars; everything else stays."""
        if is_number(value):
            return self.semantic.to_tensor(value)
        return value

    def _yielded(self, node, outer: dict, names: list[str], before: list) -> list:
        """Values of the carried names at the end of the body, checked to have kept their types."""
        self.current_node = node
        values = []
        for name, old in zip(names, before):
            new = self.lscope.get(name)
            if isinstance(new, Undefined) or new is None:
                reason = new.reason if new is not None else "it is not set"
                raise NameError(f"'{name}' is changed by the loop but has no value at the end of its body: {reason}")
            if is_number(new):
                new = self._as_merged(new, old)
            if not isinstance(new, base_value) or new.type != old.type:
                raise TypeError(
                    f"'{name}' has type {old.type} before the loop in line {node.lineno} and "
                    f"{getattr(new, 'type', new)} at the end of its body. A variable that a loop changes must keep its "
                    "type: cast one of the two"
                )
            values.append(new)
        for name in assigned_names(node, node.body)[0]:
            if name not in names and self._constant_changed(name, outer):
                raise TypeError(
                    f"'{name}' is the compile-time constant {outer.get(name)!s} before the loop in line "
                    f"{node.lineno} and changes in it"
                )
        return values

    def _constant_changed(self, name: str, outer: dict) -> bool:
        before = outer.get(name)
        if not isinstance(before, constexpr):
            return False
        now = self.lscope.get(name)
        return not (isinstance(now, constexpr) and now.type == before.type)

    def _after_loop(self, node, outer: dict, names: list[str], results: list) -> None:
        assigned, indices = assigned_names(node, node.body)
        inner = [n for n in (*assigned, *indices) if n not in names]
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            inner.append(node.target.id)
        self.lscope = dict(outer)
        for name in inner:
            if not isinstance(outer.get(name), constexpr) or name in indices:
                self.lscope[name] = Undefined(
                    f"it is set inside of the loop in line {node.lineno}, which may not run; set it before the loop"
                )
        self.lscope.update(zip(names, results))

    def _loop_body(self, block, node, outer: dict, bindings: dict, names: list[str], before: list) -> None:
        """Trace the body of `node` into `block` with `bindings` added to the scope, and yield the carried values."""
        self.builder.set_insertion_point_to_end(block)
        self.lscope = {**outer, **bindings}
        self.loop_depth += 1
        self.visit_statements(node.body)
        self.loop_depth -= 1
        self.builder.create_yield(flatten_values(self._yielded(node, outer, names, before)))

    # --- while ---
    def visit_While(self, node):
        if node.orelse:
            raise self.unsupported(node.orelse[0], "`else` of a `while` is not supported")
        self.locate(node)
        builder = self.builder
        names, before = self._carried(node)
        outer = {**self.lscope, **dict(zip(names, before))}
        op = builder.create_while(flatten_values(before))
        after = builder.get_insertion_point()
        types = [v.type for v in before]
        head = op.get_body(0)
        builder.set_insertion_point_to_start(head)
        self.lscope = {**outer, **dict(zip(names, unflatten_values(head.arguments(), types)))}
        condition = self.visit(node.test)
        disable_licm = False
        if isinstance(condition, core.condition):
            condition, disable_licm = condition.condition, condition.disable_licm
        condition = self.branch_condition(self.semantic.to_tensor(condition), node)
        # The test may assign, too: what it leaves goes to the body, and out of the loop.
        builder.create_condition(condition.handle, flatten_values(self._yielded(node, outer, names, before)))
        body = op.get_body(1)
        bindings = dict(zip(names, unflatten_values(body.arguments(), types)))
        self._loop_body(body, node, outer, bindings, names, before)
        if disable_licm:
            builder.disable_licm(op)
        builder.restore_insertion_point(after)
        builder.set_insertion_point_after(op)
        self._after_loop(node, outer, names, unflatten_values(op.results(), types))

    # --- for ---
    def visit_For(self, node):
        if node.orelse:
            raise self.unsupported(node.orelse[0], "`else` of a `for` is not supported")
        if not isinstance(node.iter, ast.Call):
            return self._unrolled(node, self.static_items(self.visit(node.iter), node.iter))
        bounds = self.visit(node.iter)
        if isinstance(bounds, core.static_range):
            items = [constexpr(i) for i in range(bounds.start, bounds.end, bounds.step)]
            return self._unrolled(node, items)
        if isinstance(bounds, core.range):
            return self._range_loop(node, bounds)
        return self._unrolled(node, self.static_items(bounds, node.iter))

    def _bind_loop_target(self, target, value) -> None:
        if isinstance(target, ast.Name):
            self.lscope[target.id] = value
        else:
            self.assign(target, value)

    def _unrolled(self, node, items: list) -> None:
        for item in items:
            self._bind_loop_target(node.target, item)
            self.loop_depth += 1
            self.visit_statements(node.body)
            self.loop_depth -= 1

    def _loop_bounds(self, bounds, node):
        """Lower bound, upper bound, step as scalars of one integer type, and whether the loop counts down."""
        step = _unwrap_if_constexpr(bounds.step)
        counts_down = False
        start, end = bounds.start, bounds.end
        if isinstance(step, int):
            if step == 0:
                raise ValueError("range() step must not be zero")
            if step < 0:
                counts_down = True
                start, end, step = end, start, -step
        values = [self.semantic.to_tensor(v) for v in (start, end, step)]
        for name, value in zip(("start", "end", "step"), values):
            if value.type.is_block() or not value.dtype.is_int():
                raise TypeError(f"range() needs integer scalars; {name} is {value}")
        dtype = T.int32 if all(v.dtype.is_bool() for v in values) else None
        for value in values:
            if not value.dtype.is_bool():
                dtype = value.dtype if dtype is None else self.semantic.integer_promote(dtype, value.dtype)
        if dtype.int_bitwidth < 32:
            dtype = T.int32
        low, high, stride = (self.semantic.cast(v, dtype) for v in values)
        if not isinstance(step, int):
            # A loop whose step is known at run time only does nothing where that is not positive.
            is_positive = self.semantic.greater_than(stride, 0)
            self.semantic.device_assert(is_positive, "range() needs a step above 0", None)
            high = self.semantic.where(is_positive, high, low)
        return [low, high, stride], counts_down

    def _range_loop(self, node, bounds) -> None:
        if not isinstance(node.target, ast.Name):
            raise self.unsupported(node.target, "the index of a range loop must be a single name")
        self.locate(node)
        builder = self.builder
        (low, high, step), counts_down = self._loop_bounds(bounds, node)
        names, before = self._carried(node)
        outer = {**self.lscope, **dict(zip(names, before))}
        unsigned = low.dtype.is_int_unsigned()
        op = builder.create_for(low.handle, high.handle, step.handle, flatten_values(before), unsigned)
        self._loop_hints(op, bounds)
        after = builder.get_insertion_point()
        block = op.get_body()
        index, *arguments = block.arguments()
        types = [v.type for v in before]
        bindings = dict(zip(names, unflatten_values(arguments, types)))
        index = tensor(index, low.dtype)
        builder.set_insertion_point_to_end(block)
        if counts_down:
            index = self.semantic.add(self.semantic.sub(high, index, False), low, False)
        bindings[node.target.id] = index
        self._loop_body(block, node, outer, bindings, names, before)
        builder.restore_insertion_point(after)
        builder.set_insertion_point_after(op)
        self._after_loop(node, outer, names, unflatten_values(op.results(), types))

    def _loop_hints(self, op, bounds) -> None:
        builder = self.builder
        if bounds.num_stages is not None:
            op.set_attr("tt.num_stages", builder.get_int32_attr(bounds.num_stages))
        if bounds.loop_unroll_factor is not None:
            op.set_attr("tt.loop_unroll_factor", builder.get_int32_attr(bounds.loop_unroll_factor))
        if bounds.disallow_acc_multi_buffer:
            op.set_attr("tt.disallow_acc_multi_buffer", builder.get_unit_attr())
        if bounds.flatten:
            op.set_attr("tt.flatten", builder.get_unit_attr())
        if bounds.warp_specialize:
            op.set_attr("tt.warp_specialize", builder.get_unit_attr())
        if bounds.disable_licm:
            builder.disable_licm(op)
