"""Block pointers and tensor descriptors: values made of a base pointer, shape, strides and position.

Both are lowered to blocks of plain pointers and masks when they are used, so nothing after the front end needs to know
them, and the analyses of pointers (contiguity, divisibility) apply as they are.
"""

from __future__ import annotations

from . import _types as T
from ._builtin import builtin
from ._tensor import tensor
from ._values import _unwrap_if_constexpr, base_value, constexpr, flatten_values
from ._values import tuple as tl_tuple

_RANKS = range(1, 6)


class _strided_type(T.base_type):
    """Type of a strided view that is accessed in blocks: element pointer, block shape and field types."""

    value_class: type

    def __init__(self, block: T.block_type, field_types: list, extra):
        self.block_type = block
        self.element_ty = block
        self.field_types = field_types
        self.extra = extra
        self.name = f"{self.spelling}<{block}>"

    def __eq__(self, other):
        return (
            type(self) is type(other)
            and self.block_type == other.block_type
            and self.field_types == other.field_types
            and self.extra == other.extra
        )

    def __hash__(self):
        return hash((self.name, str(self.extra)))

    def __str__(self):
        return self.name

    __repr__ = __str__

    @property
    def scalar(self):
        return self

    def is_ptr(self):
        return True

    def is_block(self):
        return False

    def mangle(self) -> str:
        fields = "_".join(t.mangle() for t in self.field_types)
        extra = "".join(c if c.isalnum() else "_" for c in str(self.extra))
        return f"{self.spelling}{self.block_type.mangle()}_{fields}_{extra}"

    def flatten_ir_types(self, builder, out):
        for t in self.field_types:
            t.flatten_ir_types(builder, out)

    def unflatten_ir(self, handles, cursor):
        fields = []
        for t in self.field_types:
            value, cursor = t.unflatten_ir(handles, cursor)
            fields.append(value)
        return self.value_class(self, fields), cursor


def _scalar_ints(values, dtype, what: str, semantic):
    """Scalar tensors of `dtype` for `values` (numbers, constexprs or scalar tensors)."""
    result = []
    for v in values:
        v = _unwrap_if_constexpr(v)
        if isinstance(v, int) and not isinstance(v, bool):
            result.append(semantic.scalar_constant(v, dtype))
            continue
        if not isinstance(v, tensor) or v.type.is_block() or not v.dtype.is_int():
            raise ValueError(f"{what} must be integers, got {v if not isinstance(v, tensor) else v.type}")
        result.append(semantic.cast(v, dtype))
    return result


def _elements(x) -> list:
    if isinstance(x, (tl_tuple, tuple, list)):
        return list(x)
    unwrapped = _unwrap_if_constexpr(x)
    return list(unwrapped) if isinstance(unwrapped, (list, tuple)) else [x]


def _scaled(index: tensor, stride, semantic) -> tensor:
    """`index` times `stride`, which is the constant 1 in the last dimension of a descriptor made on the host."""
    return index if isinstance(stride, constexpr) else semantic.mul(index, stride, sanitize_overflow=False)


class _strided_value(base_value):
    """Fields in order: base, shape (int64 each), strides (int64 each), offsets (int32 each, block pointers only)."""

    def __init__(self, type, fields):
        self.type = type
        self.fields = fields
        rank = len(type.block_type.shape)
        self.base = fields[0]
        self._shape = fields[1 : 1 + rank]
        self._strides = fields[1 + rank : 1 + 2 * rank]
        self._offsets = fields[1 + 2 * rank :]

    def _flatten_ir(self, handles):
        handles.extend(flatten_values(self.fields))

    def __str__(self):
        return str(self.type)

    __repr__ = __str__

    def _coordinates(self, offsets, semantic) -> list:
        """Index of every element of the block in each dimension, as int64 blocks of the block's rank."""
        shape = self.type.block_type.shape
        result = []
        for d, size in enumerate(shape):
            index = semantic.cast(semantic.arange(0, size), T.int64)
            for other in range(len(shape)):
                if other != d:
                    index = semantic.expand_dims(index, other)
            result.append(semantic.add(index, semantic.cast(offsets[d], T.int64)))
        return result

    def _address(self, coordinates, semantic) -> tensor:
        offset = None
        for index, stride in zip(coordinates, self._strides):
            term = _scaled(index, stride, semantic)
            offset = term if offset is None else semantic.add(offset, term, sanitize_overflow=False)
        offset = semantic.broadcast_to(offset, self.type.block_type.shape)
        return semantic.add(self.base, offset)

    def _mask(self, coordinates, dims, semantic):
        """Whether an element is inside of the tensor, looking at `dims`; None when there are none."""
        mask = None
        for d in dims:
            inside = semantic.and_(
                semantic.greater_equal(coordinates[d], 0), semantic.less_than(coordinates[d], self._shape[d])
            )
            mask = inside if mask is None else semantic.and_(mask, inside)
        return None if mask is None else semantic.broadcast_to(mask, self.type.block_type.shape)

    def _padding(self, option: str):
        element = self.type.block_type.element_ty
        if option == "nan":
            if not element.is_floating():
                raise ValueError(f'padding_option="nan" needs floating-point elements, got {element!r}')
            return float("nan")
        return 0

    def _load_block(self, offsets, dims, padding, options, semantic):
        coordinates = self._coordinates(offsets, semantic)
        mask = self._mask(coordinates, dims, semantic)
        other = None if mask is None or padding is None else self._padding(padding)
        return semantic.load(self._address(coordinates, semantic), mask, other, *options)

    def _store_block(self, offsets, value, dims, options, semantic):
        coordinates = self._coordinates(offsets, semantic)
        mask = self._mask(coordinates, dims, semantic)
        return semantic.store(self._address(coordinates, semantic), value, mask, *options)


class block_pointer(_strided_value):
    """What `tl.make_block_ptr` returns."""

    @staticmethod
    def make(base, shape, strides, offsets, block_shape, order, _semantic):
        parts = [_elements(p) for p in (shape, strides, offsets)]
        rank = len(block_shape)
        if not isinstance(base, tensor) or not base.dtype.is_ptr() or base.type.is_block():
            raise ValueError(f"tl.make_block_ptr: base must be a scalar pointer, got {getattr(base, 'type', base)}")
        if not rank >= 1 or any(len(p) != rank for p in parts):
            raise ValueError(
                "tl.make_block_ptr: shape, strides, offsets and block_shape must have the same length, got "
                f"{', '.join(str(len(p)) for p in parts)} and {rank}"
            )
        if sorted(order) != list(range(rank)):
            raise ValueError(f"tl.make_block_ptr: order must be a permutation of 0 .. {rank - 1}, got {order}")
        what = "tl.make_block_ptr: shape, strides and offsets"
        fields = [
            base,
            *_scalar_ints(parts[0], T.int64, what, _semantic),
            *_scalar_ints(parts[1], T.int64, what, _semantic),
            *_scalar_ints(parts[2], T.int32, what, _semantic),
        ]
        block = T.block_type(base.dtype.element_ty, block_shape)
        return block_pointer(block_pointer_type(block, [f.type for f in fields], tuple(order)), fields)

    def _checked_dims(self, boundary_check) -> list:
        rank = len(self.type.block_type.shape)
        dims = [d + rank if d < 0 else d for d in boundary_check]
        if any(not 0 <= d < rank for d in dims) or len(set(dims)) != len(dims):
            raise ValueError(f"boundary_check must list dimensions of 0 .. {rank - 1} once, got {list(boundary_check)}")
        return dims

    def _load(self, boundary_check, padding_option, options, _semantic):
        if padding_option not in ("", None, "zero", "nan"):
            raise ValueError(f'padding_option must be "", "zero" or "nan", got {padding_option!r}')
        # What is outside is unspecified without a padding option; zero is what targets give.
        dims = self._checked_dims(boundary_check)
        return self._load_block(self._offsets, dims, padding_option or "zero", options, _semantic)

    def _store(self, value, boundary_check, options, _semantic):
        return self._store_block(self._offsets, value, self._checked_dims(boundary_check), options, _semantic)

    def _advance(self, offsets, _semantic):
        steps = _elements(offsets)
        if len(steps) != len(self._offsets):
            raise ValueError(
                f"tl.advance: the block pointer has {len(self._offsets)} dimensions, got {len(steps)} offsets"
            )
        steps = _scalar_ints(steps, T.int32, "tl.advance: offsets", _semantic)
        moved = [_semantic.add(o, s, sanitize_overflow=False) for o, s in zip(self._offsets, steps)]
        return block_pointer(self.type, [*self.fields[: -len(moved)], *moved])

    @property
    def dtype(self):
        return self.type


class block_pointer_type(_strided_type):
    spelling = "blockptr"
    value_class = block_pointer


class tensor_descriptor(_strided_value):
    """What `tl.make_tensor_descriptor` returns, and what a host descriptor is inside of a kernel."""

    @staticmethod
    def make(base, shape, strides, block_shape, padding, _semantic):
        shape, strides = _elements(shape), _elements(strides)
        rank = len(block_shape)
        what = "tl.make_tensor_descriptor"
        if not isinstance(base, tensor) or not base.dtype.is_ptr() or base.type.is_block():
            raise ValueError(f"{what}: base must be a scalar pointer, got {getattr(base, 'type', base)}")
        if rank not in _RANKS:
            raise ValueError(f"{what}: a descriptor has 1 to 5 dimensions, got {rank}")
        if len(shape) != rank or len(strides) != rank:
            raise ValueError(
                f"{what}: shape, strides and block_shape must have the same length, "
                f"got {len(shape)}, {len(strides)}, {rank}"
            )
        if _unwrap_if_constexpr(strides[-1]) != 1 or isinstance(strides[-1], tensor):
            raise ValueError(f"{what}: the last stride must be the constant 1, got {strides[-1]}")
        if padding not in ("zero", "nan"):
            raise ValueError(f'{what}: padding_option must be "zero" or "nan", got {padding!r}')
        element = base.dtype.element_ty
        if block_shape[-1] * element.itemsize < 16:
            raise ValueError(
                f"{what}: the last dimension of the block must hold at least 16 bytes, "
                f"got {block_shape[-1]} elements of {element.itemsize} bytes"
            )
        fields = [
            base,
            *_scalar_ints(shape, T.int64, f"{what}: shape", _semantic),
            *_scalar_ints(strides, T.int64, f"{what}: strides", _semantic),
        ]
        block = T.block_type(element, block_shape)
        ty = tensor_descriptor_type(block, [f.type for f in fields], padding)
        return tensor_descriptor(ty, fields)

    @property
    def shape(self):
        return tl_tuple(self._shape)

    @property
    def strides(self):
        return tl_tuple(self._strides)

    @property
    def block_type(self):
        return self.type.block_type

    @property
    def block_shape(self):
        return tl_tuple(self.type.block_type.shape)

    @property
    def dtype(self):
        return self.type.block_type.element_ty

    def _positions(self, offsets, semantic):
        offsets = _elements(offsets)
        rank = len(self.type.block_type.shape)
        if len(offsets) != rank:
            raise ValueError(f"the descriptor has {rank} dimensions, got {len(offsets)} offsets")
        return _scalar_ints(offsets, T.int32, "descriptor offsets", semantic)

    def _all_dims(self):
        return range(len(self.type.block_type.shape))

    @builtin
    def load(self, offsets, _semantic=None):
        """The block at `offsets`; elements outside of the tensor are the padding."""
        offsets = self._positions(offsets, _semantic)
        return self._load_block(offsets, self._all_dims(), self.type.extra, ("", "", False), _semantic)

    @builtin
    def store(self, offsets, value, _semantic=None):
        """Write a block at `offsets`; elements outside of the tensor are dropped."""
        return self._store_block(
            self._positions(offsets, _semantic), self._checked_value(value), self._all_dims(), ("", ""), _semantic
        )

    def _checked_value(self, value) -> tensor:
        shape = self.type.block_type.shape
        if not isinstance(value, tensor) or value.type.get_block_shapes() != shape:
            raise ValueError(f"the descriptor moves blocks of shape {list(shape)}, got {getattr(value, 'type', value)}")
        return value

    def _atomic(self, op, offsets, value, semantic):
        coordinates = self._coordinates(self._positions(offsets, semantic), semantic)
        mask = self._mask(coordinates, self._all_dims(), semantic)
        pointers = self._address(coordinates, semantic)
        value = semantic.cast(self._checked_value(value), self.dtype)
        if op == "add":
            semantic.atomic_add(pointers, value, mask, "relaxed", None)
        elif op in ("min", "max"):
            semantic.atomic_extremum(op, pointers, value, mask, "relaxed", None)
        else:
            semantic.atomic_bits(op, pointers, value, mask, "relaxed", None)

    def _rows(self, x_offsets, y_offset, semantic):
        """Addresses and mask of whole rows `x_offsets` from column `y_offset` on."""
        block = self.type.block_type.shape
        if len(block) != 2 or block[0] != 1:
            raise ValueError(
                f"gather and scatter need a descriptor of blocks of one row, got block shape {list(block)}"
            )
        if not isinstance(x_offsets, tensor):
            raise TypeError(f"x_offsets must be a one-dimensional integer tensor, got {x_offsets}")
        if not x_offsets.type.is_block() or len(x_offsets.type.shape) != 1 or not x_offsets.dtype.is_int():
            raise ValueError(f"x_offsets must be a one-dimensional integer tensor, got {x_offsets.type}")
        rows = x_offsets.type.shape[0]
        if rows < 8:
            raise ValueError(f"gather and scatter move at least 8 rows, got {rows}")
        (y,) = _scalar_ints([y_offset], T.int64, "y_offset", semantic)
        x = semantic.expand_dims(semantic.cast(x_offsets, T.int64), 1)
        column = semantic.cast(semantic.arange(0, block[1]), T.int64)
        column = semantic.add(semantic.expand_dims(column, 0), y, sanitize_overflow=False)
        offset = semantic.add(
            _scaled(x, self._strides[0], semantic), _scaled(column, self._strides[1], semantic), False
        )
        inside = None
        for index, size in ((x, self._shape[0]), (column, self._shape[1])):
            here = semantic.and_(semantic.greater_equal(index, 0), semantic.less_than(index, size))
            inside = here if inside is None else semantic.and_(inside, here)
        shape = (rows, block[1])
        return semantic.add(self.base, semantic.broadcast_to(offset, shape)), semantic.broadcast_to(inside, shape)

    @builtin
    def gather(self, x_offsets, y_offset, _semantic=None):
        """Rows `x_offsets` from column `y_offset` on."""
        pointers, mask = self._rows(x_offsets, y_offset, _semantic)
        return _semantic.load(pointers, mask, self._padding(self.type.extra), "", "", False)

    @builtin
    def scatter(self, value, x_offsets, y_offset, _semantic=None):
        """Write the rows of `value` to rows `x_offsets`, from column `y_offset` on."""
        pointers, mask = self._rows(x_offsets, y_offset, _semantic)
        return _semantic.store(pointers, value, mask, "", "")


def _install_descriptor_atomics():
    def method(op):
        @builtin
        def atomic(self, offsets, value, _semantic=None):
            self._atomic(op, offsets, value, _semantic)

        atomic.__name__ = f"atomic_{op}"
        return atomic

    for op in ("add", "min", "max", "and", "or", "xor"):
        setattr(tensor_descriptor, f"atomic_{op}", method(op))


_install_descriptor_atomics()


class tensor_descriptor_type(_strided_type):
    spelling = "tensordesc"
    value_class = tensor_descriptor


tensor_descriptor_base = tensor_descriptor
