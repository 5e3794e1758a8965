"""Type rules of the language: which type an operation computes in, and how operands are brought to it."""

from __future__ import annotations

from . import _types as T
from ._tensor import tensor
from ._values import constexpr


class IncompatibleTypeErrorImpl(Exception):
    """An operator was applied to types it has no meaning for."""

    def __init__(self, type_a, type_b):
        self.type_a = type_a
        self.type_b = type_b
        self.message = f"the operator has no meaning for operands of types {type_a} and {type_b}"
        super().__init__(self.message)

    def __reduce__(self):
        return (type(self), (self.type_a, self.type_b))


_MIN_NORMAL_F32 = 2.0**-126
_MAX_F32 = (2 - 2**-23) * 2.0**127


def python_scalar_type(x) -> T.dtype:
    """dtype of a Python number: bool → int1, int → smallest of i32 u32 i64 u64, float → fp32, or fp64 when fp32 has
    no normal number for it. Raises ValueError for an int of more than 64 bits, TypeError for anything else.
    """
    if isinstance(x, bool):
        return T.int1
    if isinstance(x, int):
        for ty in (T.int32, T.uint32, T.int64, T.uint64):
            if ty.get_int_min_value() <= x <= ty.get_int_max_value():
                return ty
        raise ValueError(f"the integer {x} does not fit in 64 bits")
    if isinstance(x, float):
        magnitude = abs(x)
        if magnitude == 0 or x != x or magnitude == float("inf") or _MIN_NORMAL_F32 <= magnitude <= _MAX_F32:
            return T.float32
        return T.float64
    raise TypeError(f"expected a tensor or a number, got {x!r} of type {type(x).__name__}")


class TypeRules:
    """Promotion, broadcasting, constants. Part of `TritonSemantic`."""

    tensor = tensor
    builder = None

    # --- constants ---
    def scalar_constant(self, value, dtype: T.dtype) -> tensor:
        return tensor(self.builder.create_constant(dtype.to_ir(self.builder), value), dtype)

    def full(self, shape, value, dtype) -> tensor:
        """Block of `shape` (scalar for an empty one) filled with a number or a scalar tensor, as `dtype`."""
        if isinstance(value, tensor):
            if value.type.is_block() and value.type.numel != 1:
                raise ValueError(f"tl.full fills with a scalar, got a value of shape {list(value.type.shape)}")
            value = self.cast(value, dtype) if dtype is not None else value
            return self.splat(value, shape)
        if dtype is None:
            raise ValueError("tl.full needs a dtype when the value is not a tensor")
        if dtype.is_ptr():
            return self.splat(self.cast(self.to_tensor(value), dtype), shape)
        ty = T.block_type(dtype, shape) if shape else dtype
        if dtype.name == "fp8e4b15":
            return self.cast(self.full(shape, value, T.float16), dtype)
        if not isinstance(value, (bool, int, float)):
            raise TypeError(f"expected a number or a tensor, got {value!r}")
        if dtype.is_int() and isinstance(value, float):
            value = int(value)
        return tensor(self.builder.create_constant(ty.to_ir(self.builder), value), ty)

    def to_tensor(self, x, check_type: bool = True):
        """A tensor for a Python number or constexpr; tensors pass through. See `python_scalar_type`."""
        if isinstance(x, tensor):
            return x
        if isinstance(x, constexpr):
            x = x.value
        if not isinstance(x, (bool, int, float)):
            if check_type:
                raise TypeError(f"expected a tensor or a number, got {x!r} of type {type(x).__name__}")
            return x
        return self.scalar_constant(x, python_scalar_type(x))

    # --- promotion ---
    def integer_promote(self, a: T.dtype, b: T.dtype) -> T.dtype:
        """C's rule: the wider wins, at equal width the unsigned one."""
        if a.int_bitwidth == b.int_bitwidth:
            return a if a.is_int_unsigned() else b
        return a if a.int_bitwidth > b.int_bitwidth else b

    def computation_type(
        self, a: T.dtype, a_is_number: bool, b: T.dtype, b_is_number: bool, div_or_mod: bool
    ) -> T.dtype:
        """Type that an operator on `a` and `b` computes in; `*_is_number` marks a Python number."""
        if a_is_number != b_is_number:
            number, other = (a, b) if a_is_number else (b, a)
            if number.kind().value <= other.kind().value:
                return T.float32 if div_or_mod and other.name in ("fp16", "bf16") else other
        names = (a.name, b.name)
        if "fp64" in names:
            return T.float64
        if "fp32" in names:
            return T.float32
        if "fp16" in names:
            return T.float32 if div_or_mod else T.float16
        if "bf16" in names:
            return T.bfloat16 if names == ("bf16", "bf16") and not div_or_mod else T.float32
        if a.is_fp8() or b.is_fp8():
            return a if a == b else T.float16
        if not a.is_int() or not b.is_int():
            raise TypeError(f"unexpected types {a!r} and {b!r}")
        if div_or_mod and a.int_signedness != b.int_signedness and not (a.is_bool() or b.is_bool()):
            raise TypeError(
                f"cannot use /, // or % with {a!r} and {b!r}: they differ in signedness, which seldom gives a useful "
                "answer. Cast one of them"
            )
        return self.integer_promote(a, b)

    @staticmethod
    def _check_has_arithmetic(*operands) -> None:
        for operand in operands:
            if isinstance(operand, tensor) and operand.dtype.name == "fp8e4b15":
                raise TypeError("fp8e4b15 is a type of memory, without arithmetic: convert first, .to(tl.float16)")

    def _check_pointer_operand(self, a: T.dtype, b: T.dtype, allowed: bool) -> None:
        if not a.is_ptr():
            return
        if not allowed or b.is_floating() or (b.is_ptr() and a != b):
            raise IncompatibleTypeErrorImpl(a, b)

    def binary_operands(self, lhs, rhs, allow_lhs_ptr=False, allow_rhs_ptr=False, arithmetic=True, div_or_mod=False):
        """Both operands of an operator as tensors of one shape, and of one dtype when `arithmetic`.

        Raises IncompatibleTypeErrorImpl for pointers where they are not allowed, ValueError for shapes that do not
        broadcast and for a Python number that the dtype cannot hold.
        """
        lhs = lhs.value if isinstance(lhs, constexpr) else lhs
        rhs = rhs.value if isinstance(rhs, constexpr) else rhs
        lhs_is_number = not isinstance(lhs, tensor)
        rhs_is_number = not isinstance(rhs, tensor)
        if not (allow_lhs_ptr or allow_rhs_ptr):
            self._check_has_arithmetic(lhs, rhs)
        if not (lhs_is_number or rhs_is_number) and lhs.type == rhs.type and not lhs.dtype.is_ptr():
            if not (div_or_mod and lhs.dtype.name in ("fp16", "bf16")):
                return lhs, rhs
        a = python_scalar_type(lhs) if lhs_is_number else lhs.dtype
        b = python_scalar_type(rhs) if rhs_is_number else rhs.dtype
        self._check_pointer_operand(a, b, allow_lhs_ptr)
        self._check_pointer_operand(b, a, allow_rhs_ptr)
        if arithmetic and not a.is_ptr() and not b.is_ptr():
            common = self.computation_type(a, lhs_is_number, b, rhs_is_number, div_or_mod)
            a = b = common
            for number in (lhs,) * lhs_is_number + (rhs,) * rhs_is_number:
                self._check_number_fits(number, common)
            lhs = lhs if lhs_is_number else self.cast(lhs, common)
            rhs = rhs if rhs_is_number else self.cast(rhs, common)
        if lhs_is_number:
            lhs = self._constant_like(lhs, a, None if rhs_is_number else rhs)
        if rhs_is_number:
            rhs = self._constant_like(rhs, b, lhs)
        return self.broadcast_pair(lhs, rhs)

    def _constant_like(self, number, dtype: T.dtype, other: tensor | None) -> tensor:
        return self.full(other.type.get_block_shapes() if other is not None else (), number, dtype)

    def _check_number_fits(self, number, dtype: T.dtype) -> None:
        if not dtype.is_int() or isinstance(number, bool):
            return
        if number < 0 and dtype.is_int_unsigned():
            raise ValueError(
                f"cannot combine the unsigned type {dtype!r} with the negative number {number}; cast one of them"
            )
        if not dtype.get_int_min_value() <= number <= dtype.get_int_max_value():
            raise ValueError(f"Scalar {number} is out of range for type {dtype}")

    # --- shapes ---
    def splat(self, value: tensor, shape) -> tensor:
        shape = tuple(shape)
        if value.type.is_block():
            if value.type.numel != 1:
                raise ValueError(f"only a scalar can be splat, got shape {list(value.type.shape)}")
            value = tensor(self.builder.create_unsplat(value.handle), value.dtype)
        if not shape:
            return value
        return tensor(self.builder.create_splat(value.handle, shape), T.block_type(value.dtype, shape))

    def broadcast_impl_shape(self, value: tensor, shape) -> tensor:
        """`value` repeated to `shape`, which has its rank; a scalar is splat. ValueError if a dimension is neither
        equal nor 1.
        """
        shape = tuple(shape)
        if not value.type.is_block():
            return self.splat(value, shape)
        have = value.type.shape
        if have == shape:
            return value
        if len(have) != len(shape):
            raise ValueError(f"Cannot broadcast, rank mismatch: {list(have)}, {list(shape)}")
        for i, (size, wanted) in enumerate(zip(have, shape)):
            if size != wanted and size != 1:
                raise ValueError(
                    f"Cannot broadcast, the expanded size of the tensor ({wanted}) must match the existing size "
                    f"({size}) at non-singleton dimension {i}: {list(have)}, {list(shape)}"
                )
        return tensor(self.builder.create_broadcast(value.handle, shape), T.block_type(value.dtype, shape))

    def broadcast_pair(self, lhs: tensor, rhs: tensor):
        """Both values in their common shape: scalars are splat, missing leading dimensions added, 1s repeated."""
        lhs_shape = lhs.type.get_block_shapes()
        rhs_shape = rhs.type.get_block_shapes()
        if lhs_shape == rhs_shape:
            return lhs, rhs
        if not lhs_shape:
            return self.splat(lhs, rhs_shape), rhs
        if not rhs_shape:
            return lhs, self.splat(rhs, lhs_shape)
        while len(lhs_shape) < len(rhs_shape):
            lhs = self.expand_dims(lhs, 0)
            lhs_shape = lhs.type.shape
        while len(rhs_shape) < len(lhs_shape):
            rhs = self.expand_dims(rhs, 0)
            rhs_shape = rhs.type.shape
        shape = []
        for i, (a, b) in enumerate(zip(lhs_shape, rhs_shape)):
            if a != b and a != 1 and b != 1:
                raise ValueError(
                    f"shapes {list(lhs_shape)} and {list(rhs_shape)} cannot be broadcast: dimension {i} is {a} and {b}"
                )
            shape.append(b if a == 1 else a)
        return self.broadcast_impl_shape(lhs, shape), self.broadcast_impl_shape(rhs, shape)
