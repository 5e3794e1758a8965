"""Expressions of a kernel. Part of the code generator."""

from __future__ import annotations

import ast
import operator
from types import ModuleType

from ..language import _values as V
from ..language._aggregate import base_aggregate
from ..language._builtin import BoundJITMethod
from ..language._tensor import tensor
from ..language._types import base_type
from ..language._values import _unwrap_if_constexpr, base_value, constexpr
from ..runtime.jit import JITFunction
from ._codegen_scope import nearest
from .errors import UnsupportedLanguageConstruct

# operator -> (on constants, method of the semantic, method of a value)
BINARY = {
    ast.Add: (operator.add, "add", "__add__"),
    ast.Sub: (operator.sub, "sub", "__sub__"),
    ast.Mult: (operator.mul, "mul", "__mul__"),
    ast.Div: (operator.truediv, "truediv", "__truediv__"),
    ast.FloorDiv: (operator.floordiv, "floordiv", "__floordiv__"),
    ast.Mod: (operator.mod, "mod", "__mod__"),
    ast.Pow: (operator.pow, None, "__pow__"),
    ast.LShift: (operator.lshift, "shl", "__lshift__"),
    ast.RShift: (operator.rshift, "shr", "__rshift__"),
    ast.BitAnd: (operator.and_, "and_", "__and__"),
    ast.BitOr: (operator.or_, "or_", "__or__"),
    ast.BitXor: (operator.xor, "xor_", "__xor__"),
}
_COMPARE = {
    ast.Eq: (operator.eq, "equal", "__eq__"),
    ast.NotEq: (operator.ne, "not_equal", "__ne__"),
    ast.Lt: (operator.lt, "less_than", "__lt__"),
    ast.LtE: (operator.le, "less_equal", "__le__"),
    ast.Gt: (operator.gt, "greater_than", "__gt__"),
    ast.GtE: (operator.ge, "greater_equal", "__ge__"),
}
_UNARY = {
    ast.USub: (operator.neg, "minus", "__neg__"),
    ast.UAdd: (operator.pos, "plus", "__pos__"),
    ast.Invert: (operator.invert, "invert", "__invert__"),
}

# Of constants: bits of an integer, items of a sequence. Python itself would compute until memory ends.
_LARGEST = 1 << 16


def _check_size_of_result(op: ast.AST, lhs, rhs) -> None:
    """ValueError for operators on constants whose result would be enormous."""
    numbers = isinstance(lhs, int) and isinstance(rhs, int)
    size = 0
    if isinstance(op, ast.Pow) and numbers and rhs > 0 and abs(lhs) > 1:
        size = lhs.bit_length() * rhs
    elif isinstance(op, ast.LShift) and numbers and lhs:
        size = lhs.bit_length() + rhs
    elif isinstance(op, ast.Mult) and numbers:
        size = lhs.bit_length() + rhs.bit_length()
    elif isinstance(op, ast.Mult):
        for sequence, count in ((lhs, rhs), (rhs, lhs)):
            if isinstance(count, int) and hasattr(sequence, "__len__"):
                size = len(sequence) * count
    if size > _LARGEST:
        unit = "bits" if numbers else "items"
        raise ValueError(f"the constant would have {size:.3g} {unit}; at most {_LARGEST} are computed")


class Expressions:
    """One method per kind of expression; each returns a language value or a host object (module, function, type)."""

    def visit_Constant(self, node):
        return constexpr(node.value)

    def visit_Name(self, node):
        return self.lookup(node.id)

    def visit_Tuple(self, node):
        return V.tuple(self._elements(node.elts))

    def visit_List(self, node):
        return V.tuple(self._elements(node.elts))

    def _elements(self, nodes) -> list:
        values = []
        for n in nodes:
            if isinstance(n, ast.Starred):
                values.extend(self.visit(n.value))
            else:
                values.append(self.visit(n))
        return values

    # --- operators ---
    def visit_BinOp(self, node):
        lhs = self.visit(node.left)
        rhs = self.visit(node.right)
        self.locate(node)
        return self.binary(BINARY, node.op, lhs, rhs)

    def binary(self, table, op: ast.AST, lhs, rhs):
        entry = table.get(type(op))
        if entry is None:
            raise self.unsupported(op, f"the operator {type(op).__name__} has no meaning in a kernel")
        on_constants, on_tensors, method = entry
        lhs_tensor, rhs_tensor = isinstance(lhs, tensor), isinstance(rhs, tensor)
        if lhs_tensor or rhs_tensor:
            plain_lhs = lhs_tensor or isinstance(lhs, constexpr)
            plain_rhs = rhs_tensor or isinstance(rhs, constexpr)
            if plain_lhs and plain_rhs:
                if on_tensors is None:
                    raise self.unsupported(op, f"`{type(op).__name__}` of tensors; use tl.exp2, or libdevice.pow")
                return getattr(self.semantic, on_tensors)(
                    lhs if lhs_tensor else lhs.value, rhs if rhs_tensor else rhs.value
                )
        if isinstance(lhs, base_aggregate) or isinstance(rhs, base_aggregate):
            return self._user_operator(method, lhs, rhs)
        if lhs_tensor or rhs_tensor:
            raise TypeError(
                f"{type(op).__name__} of {lhs} and {rhs}: the other operand is neither a tensor nor a number"
            )
        _check_size_of_result(op, _unwrap_if_constexpr(lhs), _unwrap_if_constexpr(rhs))
        if isinstance(lhs, V.tuple) or isinstance(rhs, V.tuple):
            return V.as_value(on_constants(lhs, rhs))
        return constexpr(on_constants(_unwrap_if_constexpr(lhs), _unwrap_if_constexpr(rhs)))

    def _user_operator(self, method: str, lhs, rhs):
        for owner, other, name in ((lhs, rhs, method), (rhs, lhs, "__r" + method[2:])):
            if isinstance(owner, base_aggregate):
                fn = getattr(type(owner), name, None)
                if isinstance(fn, JITFunction):
                    return self.call_jit(fn, [owner, other], {})
        raise TypeError(f"no {method} for {lhs} and {rhs}")

    def visit_UnaryOp(self, node):
        operand = self.visit(node.operand)
        self.locate(node)
        if isinstance(node.op, ast.Not):
            if isinstance(operand, tensor):
                return self.semantic.not_(operand)
            return constexpr(not _unwrap_if_constexpr(operand))
        on_constants, on_tensors, method = _UNARY[type(node.op)]
        if isinstance(operand, tensor):
            return getattr(self.semantic, on_tensors)(operand)
        if isinstance(operand, base_aggregate):
            return self.call_jit(getattr(type(operand), method), [operand], {})
        return constexpr(on_constants(_unwrap_if_constexpr(operand)))

    def visit_Compare(self, node):
        lhs = self.visit(node.left)
        result = None
        for op, right in zip(node.ops, node.comparators):
            rhs = self.visit(right)
            self.locate(node)
            this = self._compare(op, lhs, rhs, node)
            if result is None:
                result = this
            elif isinstance(result, constexpr) and isinstance(this, constexpr):
                result = constexpr(result.value and this.value)
            else:
                result = self.semantic.logical_and(result, this)
            if isinstance(result, constexpr) and not result.value:
                return result
            lhs = rhs
        return result

    def _compare(self, op, lhs, rhs, node):
        if isinstance(op, (ast.Is, ast.IsNot)):
            same = _unwrap_if_constexpr(lhs) is _unwrap_if_constexpr(rhs)
            return constexpr(same if isinstance(op, ast.Is) else not same)
        if isinstance(op, (ast.In, ast.NotIn)):
            raise UnsupportedLanguageConstruct(
                self.src, node, "`in` is not supported in kernels; compare with each value, joined by `or`"
            )
        return self.binary(_COMPARE, op, lhs, rhs)

    def visit_BoolOp(self, node):
        is_and = isinstance(node.op, ast.And)
        result = None
        for n in node.values:
            value = self.visit(n)
            if result is None:
                result = value
            else:
                self.locate(node)
                combine = self.semantic.logical_and if is_and else self.semantic.logical_or
                result = combine(result, value)
            if not isinstance(result, tensor):
                # A constant decides, or is neutral: go on with the next operand alone.
                if bool(_unwrap_if_constexpr(result)) != is_and:
                    return result
                last, result = result, None
        return result if result is not None else last

    def visit_IfExp(self, node):
        condition = self.visit(node.test)
        if not isinstance(condition, tensor):
            return self.visit(node.body if _unwrap_if_constexpr(condition) else node.orelse)
        self.locate(node)
        condition = self.branch_condition(condition, node)
        (value,) = self.emit_if(
            condition, lambda: [self.visit(node.body)], lambda: [self.visit(node.orelse)], self._ternary_names
        )
        return value

    @staticmethod
    def _ternary_names(_index: int) -> str:
        return "the value of the conditional expression"

    def visit_NamedExpr(self, node):
        value = self.visit(node.value)
        self.assign(node.target, value)
        return self.lookup(node.target.id)

    # --- attributes and items ---
    def visit_Attribute(self, node):
        value = self.visit(node.value)
        if isinstance(value, tensor) and node.attr == "T":
            self.locate(node)
            return self.semantic.trans(value, [])
        return self.attribute(value, node.attr)

    def attribute(self, value, name: str):
        """`value.name` as a kernel sees it."""
        if isinstance(value, constexpr) and name not in ("value", "type", "logical_and", "logical_or"):
            value = value.value
        if isinstance(value, ModuleType):
            value = self.redirect(value)
        try:
            found = getattr(value, name)
        except AttributeError as e:
            what = f"module '{value.__name__}'" if isinstance(value, ModuleType) else f"{type(value).__name__} {value}"
            raise AttributeError(f"{what} has no attribute '{name}'{nearest(name, dir(value))}") from e
        if isinstance(found, JITFunction) and isinstance(value, base_value):
            return BoundJITMethod(found, value)
        return self.as_kernel_value(found)

    def as_kernel_value(self, found):
        if isinstance(found, (bool, int, float, str, type(None))):
            return constexpr(found)
        if isinstance(found, (tuple, list)):
            return V.as_value(found)
        if isinstance(found, (base_value, base_type)):
            return found
        return self.redirect(found)

    def visit_Subscript(self, node):
        value = self.visit(node.value)
        index = self._index(node.slice)
        self.locate(node)
        if isinstance(value, tensor):
            return value.__getitem__(index, _semantic=self.semantic)
        if isinstance(value, V.tuple):
            return value[index]
        if isinstance(value, JITFunction):
            raise self.unsupported(node, f"a kernel cannot launch another one; call {value.__name__}(...) directly")
        if isinstance(index, list):
            index = tuple(_unwrap_if_constexpr(i) for i in index)
        elif isinstance(index, V.slice):
            index = index.to_python()
        return V.as_value(_unwrap_if_constexpr(value)[_unwrap_if_constexpr(index)])

    def _index(self, node):
        if isinstance(node, ast.Slice):
            parts = [constexpr(None) if p is None else self.visit(p) for p in (node.lower, node.upper, node.step)]
            return V.slice(*parts)
        if isinstance(node, ast.Tuple):
            return [self._index(n) for n in node.elts]
        return self.visit(node)

    # --- text and comprehensions ---
    def visit_JoinedStr(self, node):
        parts = []
        for n in node.values:
            if isinstance(n, ast.Constant):
                parts.append(str(n.value))
                continue
            value = self.visit(n.value)
            if isinstance(value, base_value) and not isinstance(value, constexpr):
                raise self.unsupported(n, "an f-string can only show values that are known at compile time")
            value = _unwrap_if_constexpr(value)
            if n.conversion != -1:
                value = {115: str, 114: repr, 97: ascii}[n.conversion](value)
            spec = self.visit_JoinedStr(n.format_spec).value if n.format_spec else ""
            parts.append(format(value, spec))
        return constexpr("".join(parts))

    def visit_ListComp(self, node):
        if len(node.generators) != 1:
            raise self.unsupported(node, "a comprehension can have one `for` only")
        generator = node.generators[0]
        items = self.visit(generator.iter)
        saved = dict(self.lscope)
        results = []
        for item in self.static_items(items, node):
            self._bind_loop_target(generator.target, item)
            if all(self._static_condition(test) for test in generator.ifs):
                results.append(self.visit(node.elt))
        self.lscope = saved
        return V.tuple(results)

    visit_GeneratorExp = visit_ListComp

    def _static_condition(self, test) -> bool:
        value = self.visit(test)
        if isinstance(value, tensor):
            raise self.unsupported(test, "the condition of a comprehension must be known at compile time")
        return bool(_unwrap_if_constexpr(value))

    def static_items(self, items, node):
        """The values that an iteration at compile time goes over."""
        if isinstance(items, V.tuple):
            return list(items.values)
        value = _unwrap_if_constexpr(items)
        if isinstance(value, (range, list, tuple, str)) or hasattr(value, "__next__"):
            return [V.as_value(v) for v in value]
        bounds = [_unwrap_if_constexpr(getattr(items, n, None)) for n in ("start", "end", "step")]
        if all(isinstance(b, int) for b in bounds):
            return [constexpr(i) for i in range(*bounds)]
        raise self.unsupported(node, f"cannot iterate over {items} at compile time")
