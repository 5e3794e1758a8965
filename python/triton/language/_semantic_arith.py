"""Arithmetic, comparisons, logic. Part of `TritonSemantic`."""

from __future__ import annotations

from . import _types as T
from ._semantic_types import IncompatibleTypeErrorImpl, python_scalar_type
from ._tensor import tensor
from ._values import constexpr


class Arithmetic:
    """Meaning of the operators on tensors and Python numbers."""

    def _binary(self, op: str, lhs: tensor, rhs: tensor) -> tensor:
        return tensor(self.builder.create_binary(op, lhs.handle, rhs.handle), lhs.type)

    def _unary(self, op: str, x: tensor) -> tensor:
        return tensor(self.builder.create_unary(op, x.handle), x.type)

    # --- overflow, only under `sanitize_overflow` and `debug` ---
    def _checks_overflow(self, dtype: T.dtype) -> bool:
        options = self.options
        return (
            getattr(options, "sanitize_overflow", False)
            and getattr(options, "debug", False)
            and dtype.is_int()
            and 1 < dtype.int_bitwidth < 64
        )

    def _assert_no_overflow(self, op: str, lhs: tensor, rhs: tensor, name: str) -> None:
        """Repeats the operation in 64 bits and asserts that the narrow type holds the result."""
        dtype = lhs.dtype
        wide = self._binary(op, self.cast(lhs, T.int64), self.cast(rhs, T.int64))
        fits = self.and_(
            self.less_equal(wide, dtype.get_int_max_value()), self.greater_equal(wide, dtype.get_int_min_value())
        )
        self.device_assert(fits, f"{dtype} overflow detected for operation {name}", None)

    def _integer_or_float(self, name: str, lhs, rhs, sanitize_overflow: bool) -> tensor:
        lhs, rhs = self.binary_operands(lhs, rhs)
        if lhs.dtype.is_floating():
            return self._binary(f"arith.{name}f", lhs, rhs)
        if not lhs.dtype.is_int():
            raise TypeError(f"unexpected type {lhs.dtype!r} for {name}")
        if sanitize_overflow and self._checks_overflow(lhs.dtype):
            self._assert_no_overflow(f"arith.{name}i", lhs, rhs, name)
        return self._binary(f"arith.{name}i", lhs, rhs)

    # --- + - * ---
    def add(self, lhs, rhs, sanitize_overflow=True) -> tensor:
        lhs = self._value(lhs)
        rhs = self._value(rhs)
        lhs_ptr = isinstance(lhs, tensor) and lhs.dtype.is_ptr()
        rhs_ptr = isinstance(rhs, tensor) and rhs.dtype.is_ptr()
        if not lhs_ptr and not rhs_ptr:
            return self._integer_or_float("add", lhs, rhs, sanitize_overflow)
        if lhs_ptr and rhs_ptr:
            raise TypeError("cannot add pointers together")
        return self._advance_pointer(lhs, rhs) if lhs_ptr else self._advance_pointer(rhs, lhs)

    def _advance_pointer(self, pointer: tensor, offset) -> tensor:
        pointer, offset = self.binary_operands(pointer, offset, True, True, arithmetic=False)
        if not offset.dtype.is_int():
            raise IncompatibleTypeErrorImpl(pointer.dtype, offset.dtype)
        if offset.dtype.is_int_unsigned() and offset.dtype.int_bitwidth < 64:
            # addptr reads its offset as signed.
            offset = self.cast(offset, T.int64)
        return tensor(self.builder.create_addptr(pointer.handle, offset.handle), pointer.type)

    def sub(self, lhs, rhs, sanitize_overflow=True) -> tensor:
        lhs = self._value(lhs)
        if isinstance(lhs, tensor) and lhs.dtype.is_ptr():
            rhs = self._value(rhs)
            if isinstance(rhs, tensor):
                if rhs.dtype.is_ptr():
                    raise IncompatibleTypeErrorImpl(lhs.dtype, rhs.dtype)
                if rhs.dtype.is_int_unsigned() and rhs.dtype.int_bitwidth < 64:
                    rhs = self.cast(rhs, T.int64)
                return self.add(lhs, self.minus(rhs))
            return self.add(lhs, -rhs)
        return self._integer_or_float("sub", lhs, rhs, sanitize_overflow)

    def mul(self, lhs, rhs, sanitize_overflow=True) -> tensor:
        return self._integer_or_float("mul", lhs, rhs, sanitize_overflow)

    # --- division ---
    def truediv(self, lhs, rhs) -> tensor:
        lhs, rhs = self.binary_operands(lhs, rhs, div_or_mod=True)
        if lhs.dtype.is_int():
            lhs, rhs = self.cast(lhs, T.float32), self.cast(rhs, T.float32)
        return self._binary("arith.divf", lhs, rhs)

    def fdiv(self, lhs, rhs, ieee_rounding: bool) -> tensor:
        lhs, rhs = self.binary_operands(lhs, rhs)
        if not lhs.dtype.is_floating():
            raise TypeError(f"tl.fdiv divides floating-point numbers, got {lhs.dtype!r}")
        return self._binary("arith.divf", lhs, rhs)

    def floordiv(self, lhs, rhs) -> tensor:
        lhs, rhs = self.binary_operands(lhs, rhs, div_or_mod=True)
        if not lhs.dtype.is_int():
            raise TypeError(
                f"`//` divides integers, got {lhs.dtype!r}. Use `/` and tl.floor for floating-point numbers"
            )
        return self._binary("arith.divsi" if lhs.dtype.is_int_signed() else "arith.divui", lhs, rhs)

    def mod(self, lhs, rhs) -> tensor:
        lhs, rhs = self.binary_operands(lhs, rhs, div_or_mod=True)
        if lhs.dtype.is_floating():
            return self._binary("arith.remf", lhs, rhs)
        return self._binary("arith.remsi" if lhs.dtype.is_int_signed() else "arith.remui", lhs, rhs)

    # --- minimum, maximum, clamp ---
    def _extremum(self, name: str, lhs, rhs, propagate_nan) -> tensor:
        lhs, rhs = self.binary_operands(lhs, rhs)
        if lhs.dtype.is_floating():
            suffix = "imumf" if propagate_nan == "all" else "numf"
            return self._binary(f"arith.{name}{suffix}", lhs, rhs)
        if not lhs.dtype.is_int():
            raise TypeError(f"tl.{name}imum is not defined for {lhs.dtype!r}")
        unsigned = lhs.dtype.is_int_unsigned()
        return self._binary(f"arith.{name}{'ui' if unsigned else 'si'}", lhs, rhs)

    def minimum(self, lhs, rhs, propagate_nan="none") -> tensor:
        return self._extremum("min", lhs, rhs, propagate_nan)

    def maximum(self, lhs, rhs, propagate_nan="none") -> tensor:
        return self._extremum("max", lhs, rhs, propagate_nan)

    def clamp(self, x, low, high, propagate_nan="none") -> tensor:
        low, high = self.binary_operands(low, high)
        x, low = self.binary_operands(x, low)
        x, high = self.binary_operands(x, high)
        x, low = self.binary_operands(x, low)
        if not x.dtype.is_floating():
            return self.minimum(self.maximum(x, low), high)
        return tensor(self.builder.create_clampf(x.handle, low.handle, high.handle, propagate_nan), x.type)

    # --- bits ---
    def _bitwise(self, op: str, lhs, rhs) -> tensor:
        lhs, rhs = self.binary_operands(lhs, rhs)
        if not lhs.dtype.is_int():
            raise IncompatibleTypeErrorImpl(lhs.dtype, rhs.dtype)
        return self._binary(op, lhs, rhs)

    def and_(self, lhs, rhs) -> tensor:
        return self._bitwise("arith.andi", lhs, rhs)

    def or_(self, lhs, rhs) -> tensor:
        return self._bitwise("arith.ori", lhs, rhs)

    def xor_(self, lhs, rhs) -> tensor:
        return self._bitwise("arith.xori", lhs, rhs)

    def shl(self, lhs, rhs) -> tensor:
        return self._bitwise("arith.shli", lhs, rhs)

    def shr(self, lhs, rhs) -> tensor:
        """Arithmetic shift for signed operands, logical for unsigned ones."""
        lhs, rhs = self.binary_operands(lhs, rhs)
        if not lhs.dtype.is_int():
            raise IncompatibleTypeErrorImpl(lhs.dtype, rhs.dtype)
        return self._binary("arith.shrsi" if lhs.dtype.is_int_signed() else "arith.shrui", lhs, rhs)

    # --- unary ---
    def plus(self, x) -> tensor:
        return x

    def minus(self, x: tensor) -> tensor:
        if x.dtype.is_ptr():
            raise ValueError(f"wrong type argument to unary minus: {x.dtype!r}")
        if x.dtype.is_floating():
            # From -0.0 and not from 0.0: the sign of a zero must flip as well.
            return self._binary("arith.subf", self.full(x.type.get_block_shapes(), -0.0, x.dtype), x)
        return self.sub(self.full(x.type.get_block_shapes(), 0, x.dtype), x, sanitize_overflow=False)

    def invert(self, x: tensor) -> tensor:
        if x.dtype.is_ptr() or x.dtype.is_floating():
            raise ValueError(f"wrong type argument to unary invert: {x.dtype!r}")
        return self._binary("arith.xori", x, self.full(x.type.get_block_shapes(), -1, x.dtype))

    # --- logic ---
    def truth(self, x) -> tensor:
        """`x` as int1: whether it is not zero."""
        x = self.to_tensor(x)
        return x if x.dtype.is_bool() else self.cast(x, T.int1)

    def logical_and(self, lhs, rhs) -> tensor:
        return self.and_(self.truth(lhs), self.truth(rhs))

    def logical_or(self, lhs, rhs) -> tensor:
        return self.or_(self.truth(lhs), self.truth(rhs))

    def not_(self, x) -> tensor:
        return self.invert(self.truth(x))

    # --- comparisons ---
    def _comparable(self, number, other):
        """A number to compare with `other`, and `other` in a type that holds both.

        -1 for an unsigned type stands for its greatest value, as in C: code uses it to mark what is absent.
        """
        dtype = other.dtype
        if not dtype.is_int() or not isinstance(number, int) or dtype.is_bool():
            return number, other
        if dtype.get_int_min_value() <= number <= dtype.get_int_max_value():
            return number, other
        if number < 0 and dtype.is_int_unsigned():
            return number % (1 << dtype.int_bitwidth), other
        return number, self.cast(other, python_scalar_type(number))

    def _compare(self, integer: str, floating: str, lhs, rhs) -> tensor:
        lhs, rhs = self._value(lhs), self._value(rhs)
        if not isinstance(rhs, tensor) and isinstance(lhs, tensor):
            rhs, lhs = self._comparable(rhs, lhs)
        elif not isinstance(lhs, tensor) and isinstance(rhs, tensor):
            lhs, rhs = self._comparable(lhs, rhs)
        lhs, rhs = self.binary_operands(lhs, rhs)
        dtype = lhs.dtype
        if dtype.is_floating():
            handle = self.builder.create_cmpf(floating, lhs.handle, rhs.handle)
        else:
            if integer not in ("eq", "ne"):
                integer = ("s" if dtype.is_int_signed() else "u") + integer
            handle = self.builder.create_cmpi(integer, lhs.handle, rhs.handle)
        return tensor(handle, lhs.type.with_element_ty(T.int1))

    def greater_than(self, lhs, rhs) -> tensor:
        return self._compare("gt", "ogt", lhs, rhs)

    def greater_equal(self, lhs, rhs) -> tensor:
        return self._compare("ge", "oge", lhs, rhs)

    def less_than(self, lhs, rhs) -> tensor:
        return self._compare("lt", "olt", lhs, rhs)

    def less_equal(self, lhs, rhs) -> tensor:
        return self._compare("le", "ole", lhs, rhs)

    def equal(self, lhs, rhs) -> tensor:
        return self._compare("eq", "oeq", lhs, rhs)

    def not_equal(self, lhs, rhs) -> tensor:
        return self._compare("ne", "une", lhs, rhs)

    def where(self, condition, x, y) -> tensor:
        """Element of `x` where the condition holds, else of `y`; both are evaluated."""
        condition = self.truth(condition)
        x, y = self.binary_operands(x, y, True, True)
        if condition.type.is_block() or x.type.is_block():
            condition, x = self.broadcast_pair(condition, x)
            x, y = self.broadcast_pair(x, y)
        return tensor(self.builder.create_select(condition.handle, x.handle, y.handle), x.type)

    # --- elementwise math ---
    def umulhi(self, x, y) -> tensor:
        x, y = self.binary_operands(x, y)
        if not x.dtype.is_int() or x.dtype.int_bitwidth < 32:
            raise ValueError(f"tl.umulhi multiplies 32-bit or 64-bit integers, got {x.dtype!r}")
        return self._binary("tt.mulhiui", x, y)

    def fma(self, x, y, z) -> tensor:
        x, y = self.binary_operands(x, y)
        z, x = self.binary_operands(z, x)
        z, y = self.binary_operands(z, y)
        if not x.dtype.is_floating():
            raise ValueError(f"tl.fma is defined for floating-point numbers, got {x.dtype!r}")
        return tensor(self.builder.create_fma(x.handle, y.handle, z.handle), x.type)

    def abs(self, x) -> tensor:
        x = self.to_tensor(x)
        dtype = x.dtype
        if dtype.name == "fp8e4b15":
            # No float type in the IR: clear the sign bit of the byte.
            mask = self.full(x.type.get_block_shapes(), 0x7F, T.int8)
            return tensor(self.builder.create_binary("arith.andi", x.handle, mask.handle), x.type)
        if dtype.is_floating():
            return self._unary("math.absf", x)
        if dtype.is_int_signed():
            return self._unary("math.absi", x)
        if dtype.is_int():
            return x
        raise TypeError(f"tl.abs is not defined for {dtype!r}")

    def math_unary(self, name: str, op: str, x, dtypes=("fp32", "fp64")) -> tensor:
        """A function of floating-point numbers; ValueError for a dtype that is not among `dtypes`."""
        x = self.to_tensor(x)
        if x.dtype.name not in dtypes:
            raise ValueError(f"tl.{name}: expected dtype {' or '.join(dtypes)}, got {x.dtype}. Use .to(tl.float32)")
        return self._unary(op, x)

    @staticmethod
    def _value(x):
        return x.value if isinstance(x, constexpr) else x
