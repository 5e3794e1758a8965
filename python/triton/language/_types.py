"""Types of the kernel language: scalars, pointers, blocks, tuples.

A type knows its IR form (`to_ir`, `flatten_ir_types`), the text it contributes to the symbol of a specialised
function (`mangle`), and how to rebuild a language value from IR handles (`unflatten_ir`).
"""

from __future__ import annotations

import enum

TRITON_MAX_TENSOR_NUMEL = 1048576


class base_type:
    """Common base of everything that can be the `.type` of a value inside a kernel."""

    def __eq__(self, other) -> bool:
        raise NotImplementedError(f"{type(self).__name__} must implement __eq__")

    def __ne__(self, other) -> bool:
        return not self == other

    def mangle(self) -> str:
        raise NotImplementedError(f"{type(self).__name__} must implement mangle")

    def flatten_ir_types(self, builder, out: list) -> None:
        raise NotImplementedError(f"{type(self).__name__} must implement flatten_ir_types")

    def unflatten_ir(self, handles: list, cursor: int):
        """Rebuild one value from `handles[cursor:]`; returns (value, next cursor)."""
        raise NotImplementedError(f"{type(self).__name__} must implement unflatten_ir")


# name -> (bits, fp mantissa bits, exponent bias, builder method); integers have no mantissa.
_FLOATS = {
    "fp8e4b15": (8, 3, 15, "get_fp8e4b15_ty"),
    "fp8e4nv": (8, 3, 7, "get_fp8e4nv_ty"),
    "fp8e4b8": (8, 3, 8, "get_fp8e4b8_ty"),
    "fp8e5": (8, 2, 15, "get_fp8e5_ty"),
    "fp8e5b16": (8, 2, 16, "get_fp8e5b16_ty"),
    "fp16": (16, 10, 15, "get_half_ty"),
    "bf16": (16, 7, 127, "get_bf16_ty"),
    "fp32": (32, 23, 127, "get_float_ty"),
    "fp64": (64, 52, 1023, "get_double_ty"),
}
_SINTS = {f"int{w}": w for w in (1, 8, 16, 32, 64)}
_UINTS = {f"uint{w}": w for w in (8, 16, 32, 64)}
# Names under which the dtypes are exported by triton.language.
_PUBLIC_NAMES = {
    "fp8e4b15": "float8e4b15",
    "fp8e4nv": "float8e4nv",
    "fp8e4b8": "float8e4b8",
    "fp8e5": "float8e5",
    "fp8e5b16": "float8e5b16",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
}


class dtype(base_type):
    """A scalar element type, named as in signatures: `int1 int8 .. uint64 fp16 bf16 fp32 fp64 fp8* void`."""

    SINT_TYPES = list(_SINTS)
    UINT_TYPES = list(_UINTS)
    FP_TYPES = list(_FLOATS)
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(enum.Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(enum.Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name: str):
        name = getattr(name, "value", name)
        self.name = name
        self.primitive_bitwidth = 0
        self._float = self._int = self._unsigned = False
        if name in _FLOATS:
            self._float = True
            self.primitive_bitwidth, self.fp_mantissa_width, self.exponent_bias, self._ir_getter = _FLOATS[name]
        elif name in _SINTS or name in _UINTS:
            self._int = True
            self.int_bitwidth = self.primitive_bitwidth = (_UINTS if name in _UINTS else _SINTS)[name]
            # A truth value counts as unsigned: true is 1, not -1.
            self._unsigned = name in _UINTS or name == "int1"
            self.int_signedness = dtype.SIGNEDNESS.UNSIGNED if self._unsigned else dtype.SIGNEDNESS.SIGNED
            self._ir_getter = f"get_int{self.int_bitwidth}_ty"
        elif name == "void":
            self._ir_getter = "get_void_ty"
        elif type(self) is dtype:
            known = dtype.SINT_TYPES + dtype.UINT_TYPES + dtype.FP_TYPES + dtype.OTHER_TYPES
            raise RuntimeError(f"unexpected type name {name!r}; known names: {', '.join(known)}")

    # --- predicates ---
    def is_fp8(self):
        return self._float and self.primitive_bitwidth == 8

    def is_fp8e4nv(self):
        return self.name == "fp8e4nv"

    def is_fp8e4b8(self):
        return self.name == "fp8e4b8"

    def is_fp8e4b15(self):
        return self.name == "fp8e4b15"

    def is_fp8e5(self):
        return self.name == "fp8e5"

    def is_fp8e5b16(self):
        return self.name == "fp8e5b16"

    def is_fp16(self):
        return self.name == "fp16"

    def is_bf16(self):
        return self.name == "bf16"

    def is_fp32(self):
        return self.name == "fp32"

    def is_fp64(self):
        return self.name == "fp64"

    def is_int1(self):
        return self.name == "int1"

    is_bool = is_int1

    def is_int8(self):
        return self.name == "int8"

    def is_int16(self):
        return self.name == "int16"

    def is_int32(self):
        return self.name == "int32"

    def is_int64(self):
        return self.name == "int64"

    def is_uint8(self):
        return self.name == "uint8"

    def is_uint16(self):
        return self.name == "uint16"

    def is_uint32(self):
        return self.name == "uint32"

    def is_uint64(self):
        return self.name == "uint64"

    def is_floating(self):
        return self._float

    def is_standard_floating(self):
        return self.name in dtype.STANDARD_FP_TYPES

    def is_int(self):
        return self._int

    def is_int_signed(self):
        return self._int and not self._unsigned

    def is_int_unsigned(self):
        return self._unsigned

    def is_void(self):
        return self.name == "void"

    def is_dtype(self):
        return True

    def is_block(self):
        return False

    def is_ptr(self):
        return False

    def is_const(self):
        return False

    @staticmethod
    def is_dtype_name(type_str) -> bool:
        return type_str in _FLOATS or type_str in _SINTS or type_str in _UINTS or type_str == "void"

    # --- properties ---
    def kind(self):
        if self.is_bool():
            return dtype.KIND.BOOLEAN
        if self.is_int():
            return dtype.KIND.INTEGRAL
        assert self.is_floating(), f"{self} is neither an integer nor a floating-point type"
        return dtype.KIND.FLOATING

    def get_int_max_value(self):
        bits = self.int_bitwidth - (0 if self._unsigned else 1)
        return (1 << bits) - 1

    def get_int_min_value(self):
        return 0 if self._unsigned else -(1 << (self.int_bitwidth - 1))

    @property
    def itemsize(self) -> int:
        return (self.primitive_bitwidth + 7) // 8

    @property
    def scalar(self):
        return self

    def with_element_ty(self, element_ty: dtype):
        return element_ty

    def get_block_shapes(self):
        return ()

    # --- identity ---
    def __eq__(self, other):
        other = getattr(other, "value", other) if type(other).__name__ == "constexpr" else other
        return isinstance(other, dtype) and self.name == other.name and type(self) is type(other)

    def __hash__(self):
        return hash(self.name)

    def __str__(self):
        return self.name

    def codegen_name(self):
        """The name of the type in source code: `float32`, `int8`."""
        return _PUBLIC_NAMES.get(self.name, self.name)

    def __repr__(self):
        return f"triton.language.{self.codegen_name()}"

    @property
    def cache_key_part(self) -> str:
        return self.name

    # --- IR ---
    def to_ir(self, builder):
        return getattr(builder, self._ir_getter)()

    def mangle(self) -> str:
        if self._int:
            return ("u" if self.name in _UINTS else "i") + str(self.int_bitwidth)
        if self.is_void():
            return "V"
        return self.name

    def flatten_ir_types(self, builder, out):
        out.append(self.to_ir(builder))

    def unflatten_ir(self, handles, cursor):
        from ._tensor import tensor

        return tensor(handles[cursor], self), cursor + 1


class pointer_type(dtype):
    """Pointer to `element_ty`; `const` pointers cannot be stored through."""

    def __init__(self, element_ty: dtype, address_space: int = 1, const: bool = False):
        element_ty = (
            getattr(element_ty, "value", element_ty) if type(element_ty).__name__ == "constexpr" else element_ty
        )
        if not isinstance(element_ty, dtype):
            raise TypeError(f"element_ty must be a dtype, got {type(element_ty).__name__}")
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = bool(const)
        super().__init__(f"const_pointer<{element_ty}>" if const else f"pointer<{element_ty}>")
        self.primitive_bitwidth = 64

    def to_ir(self, builder):
        return builder.get_ptr_ty(self.element_ty.to_ir(builder), self.address_space)

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def __eq__(self, other):
        other = getattr(other, "value", other) if type(other).__name__ == "constexpr" else other
        return (
            isinstance(other, pointer_type)
            and self.element_ty == other.element_ty
            and self.address_space == other.address_space
            and self.const == other.const
        )

    def __hash__(self):
        return hash((self.name, self.address_space))

    def __str__(self):
        return self.name

    def __repr__(self):
        return str(self)

    @property
    def scalar(self):
        return self

    def mangle(self) -> str:
        return f"P{'k' if self.const else ''}{self.element_ty.mangle()}"


def _is_power_of_two(x: int) -> bool:
    return x > 0 and x & (x - 1) == 0


def validate_block_shape(shape) -> int:
    """Check a block shape and return its number of elements.

    Raises TypeError for an entry that is not an int, ValueError for an entry that is not a power of two or for a
    block of more than TRITON_MAX_TENSOR_NUMEL elements.
    """
    numel = 1
    for i, d in enumerate(shape):
        if not isinstance(d, int):
            raise TypeError(f"Shape element {i} must have type `constexpr[int]`, got `constexpr[{type(d).__name__}]`")
        if not _is_power_of_two(d):
            raise ValueError(f"Shape element {i} must be a power of 2, got {d} in shape {list(shape)}")
        numel *= d
    if numel > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"block of shape {list(shape)} has {numel} elements; the limit is {TRITON_MAX_TENSOR_NUMEL}")
    return numel


class block_type(dtype):
    """A block of `element_ty` with a static shape of powers of two."""

    def __init__(self, element_ty: dtype, shape):
        shape = tuple(getattr(d, "value", d) for d in shape)
        if not shape:
            raise TypeError("a 0-d block type is not allowed; use the scalar type")
        self.element_ty = element_ty
        self.shape = shape
        self.numel = validate_block_shape(shape)
        super().__init__(f"<{[str(d) for d in shape]}, {element_ty}>")
        self.primitive_bitwidth = element_ty.primitive_bitwidth

    def to_ir(self, builder):
        return builder.get_block_ty(self.element_ty.to_ir(builder), self.shape)

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    def with_element_ty(self, scalar_ty: dtype):
        return block_type(scalar_ty, self.shape)

    def __eq__(self, other):
        return isinstance(other, block_type) and self.element_ty == other.element_ty and self.shape == other.shape

    def __hash__(self):
        return hash((self.element_ty, self.shape))

    def __str__(self):
        return self.name

    def __repr__(self):
        return str(self)

    @property
    def scalar(self):
        return self.element_ty

    @property
    def nbytes(self):
        return self.numel * (self.element_ty.primitive_bitwidth // 8)

    def mangle(self) -> str:
        return f"{self.element_ty.mangle()}S{'_'.join(map(str, self.shape))}S"


class tuple_type(base_type):
    """Type of a `tl.tuple`: element types and, for a namedtuple, its field names."""

    def __init__(self, types, fields=None):
        self.types = list(types)
        self.fields = fields or [""] * len(self.types)
        self.name = "[" + ",".join(f"{f}:{t}" if f else str(t) for f, t in zip(self.fields, self.types)) + "]"

    def __str__(self):
        return self.name

    def __repr__(self):
        return self.name

    def __iter__(self):
        return iter(self.types)

    def __len__(self):
        return len(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def __eq__(self, other):
        return type(self) is type(other) and self.types == other.types and self.fields == other.fields

    def __hash__(self):
        return hash(self.name)

    def mangle(self) -> str:
        return "T" + "_".join(t.mangle() for t in self.types) + "T"

    def flatten_ir_types(self, builder, out):
        for t in self.types:
            t.flatten_ir_types(builder, out)

    def unflatten_ir(self, handles, cursor):
        from ._values import tuple as tl_tuple

        values = []
        for t in self.types:
            value, cursor = t.unflatten_ir(handles, cursor)
            values.append(value)
        return tl_tuple(values, self), cursor


# --- the scalar types ---
void = dtype("void")
int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float8e5 = dtype("fp8e5")
float8e5b16 = dtype("fp8e5b16")
float8e4nv = dtype("fp8e4nv")
float8e4b8 = dtype("fp8e4b8")
float8e4b15 = dtype("fp8e4b15")
float16 = dtype("fp16")
bfloat16 = dtype("bf16")
float32 = dtype("fp32")
float64 = dtype("fp64")
pi32_t = pointer_type(int32)

_INTS = {(w, s): dtype(f"{'' if s else 'u'}int{w}") for w in (8, 16, 32, 64) for s in (True, False)}
_INTS[(1, True)] = _INTS[(1, False)] = int1


def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """The integer dtype of that width and signedness; width 1 is `int1` either way."""
    bitwidth = getattr(bitwidth, "value", bitwidth)
    signed = getattr(signed, "value", signed)
    found = _INTS.get((bitwidth, bool(signed)))
    if found is None:
        raise ValueError(f"unsupported bitwidth {bitwidth} and signedness {signed}; widths are 1, 8, 16, 32, 64")
    return found


# Spelling used in signatures -> dtype.
_SIGNATURE_TYPES = {
    "i1": int1,
    "u1": int1,
    "B": int1,
    "i8": int8,
    "i16": int16,
    "i32": int32,
    "i64": int64,
    "u8": uint8,
    "u16": uint16,
    "u32": uint32,
    "u64": uint64,
    "fp8e4nv": float8e4nv,
    "fp8e4b8": float8e4b8,
    "fp8e4b15": float8e4b15,
    "fp8e5": float8e5,
    "fp8e5b16": float8e5b16,
    "fp16": float16,
    "bf16": bfloat16,
    "fp32": float32,
    "f32": float32,
    "fp64": float64,
    "void": void,
}


def scalar_from_signature(name: str) -> dtype:
    """dtype for a scalar or pointer spelling of a kernel signature (`i32`, `*fp32`, `*ki8`)."""
    if name.startswith("*"):
        rest = name[1:]
        const = rest.startswith("k")
        return pointer_type(scalar_from_signature(rest[1:] if const else rest), const=const)
    found = _SIGNATURE_TYPES.get(name)
    if found is None:
        raise ValueError(
            f"unknown type {name!r} in a kernel signature; known: {', '.join(_SIGNATURE_TYPES)} and *T, *kT"
        )
    return found
