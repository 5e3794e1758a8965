"""Creating and rearranging blocks. Part of `TritonSemantic`."""

from __future__ import annotations

from math import prod

from . import _types as T
from ._tensor import tensor


def normalize_axis(axis: int, rank: int, what: str) -> int:
    """A dimension counted from 0; negative ones count from the end. Raises ValueError when it is out of range."""
    if not isinstance(axis, int) or isinstance(axis, bool):
        raise ValueError(f"{what}: axis must be a compile-time integer, got {axis!r}")
    if not -rank <= axis < rank:
        raise ValueError(f"{what}: axis {axis} is out of range for a tensor of rank {rank}")
    return axis % rank if rank else axis


class Shapes:
    """Ranges, reshapes, permutations, joins, gathers, histograms."""

    def program_id(self, axis: int) -> tensor:
        return tensor(self.builder.create_get_program_id(self._grid_axis("program_id", axis)), T.int32)

    def num_programs(self, axis: int) -> tensor:
        return tensor(self.builder.create_get_num_programs(self._grid_axis("num_programs", axis)), T.int32)

    @staticmethod
    def _grid_axis(name: str, axis) -> int:
        if axis not in (0, 1, 2):
            raise ValueError(f"{name} axis must be 0, 1, or 2 but got {axis}")
        return axis

    def arange(self, start, end) -> tensor:
        for name, value in (("start", start), ("end", end)):
            if not isinstance(value, int):
                raise ValueError(
                    f"tl.arange: {name} must be a constexpr integer, got {value}. The size of a block is part of the "
                    "compiled code: pass it as a tl.constexpr parameter"
                )
        if not (-(2**31) <= start < 2**31 and -(2**31) <= end < 2**31):
            raise ValueError(f"tl.arange: start and end must fit in 32 bits, got {start} and {end}")
        if end <= start:
            raise ValueError(f"tl.arange: end must be greater than start, got arange({start}, {end})")
        size = end - start
        if size & (size - 1):
            raise ValueError(
                f"arange's range must be a power of 2, got arange({start}, {end}) of size {size}. "
                f"Use {1 << size.bit_length()} and mask the elements that are too many"
            )
        return tensor(self.builder.create_make_range(start, end), T.block_type(T.int32, (size,)))

    def item(self, x: tensor) -> tensor:
        """The scalar in a block of one element."""
        if not x.type.is_block():
            return x
        if x.type.numel != 1:
            raise ValueError(f"tl.item needs a tensor of one element, got shape {list(x.type.shape)}")
        return tensor(self.builder.create_unsplat(x.handle), x.dtype)

    def reshape(self, x: tensor, shape, can_reorder: bool) -> tensor:
        shape = tuple(shape)
        if not x.type.is_block():
            if prod(shape) != 1:
                raise ValueError(f"reshape() cannot change the number of elements: a scalar to shape {list(shape)}")
            return self.splat(x, shape)
        if prod(shape) != x.type.numel:
            raise ValueError(
                f"reshape() cannot change total number of elements: {list(x.type.shape)} has {x.type.numel}, "
                f"{list(shape)} has {prod(shape)}"
            )
        if not shape:
            return self.item(x)
        if shape == x.type.shape:
            return x
        ty = T.block_type(x.dtype, shape)
        return tensor(self.builder.create_reshape(x.handle, shape, can_reorder), ty)

    def expand_dims(self, x: tensor, axis: int) -> tensor:
        shape = list(x.type.get_block_shapes())
        axis = normalize_axis(axis, len(shape) + 1, "expand_dims")
        shape.insert(axis, 1)
        if not x.type.is_block():
            return self.splat(x, shape)
        return tensor(self.builder.create_expand_dims(x.handle, axis), T.block_type(x.dtype, shape))

    def permute(self, x: tensor, dims) -> tensor:
        dims = [int(d) for d in dims]
        rank = len(x.type.get_block_shapes())
        if sorted(dims) != list(range(rank)):
            raise ValueError(f"permute dims must be a permutation of 0, 1, ..., {rank - 1}; got {dims}")
        if dims == list(range(rank)):
            return x
        ty = T.block_type(x.dtype, [x.type.shape[d] for d in dims])
        return tensor(self.builder.create_trans(x.handle, dims), ty)

    def trans(self, x: tensor, dims) -> tensor:
        if not dims:
            rank = len(x.type.get_block_shapes())
            if rank < 2:
                raise ValueError(f"tl.trans needs a tensor of at least two dimensions, got rank {rank}")
            dims = [*range(rank - 2), rank - 1, rank - 2]
        return self.permute(x, dims)

    def broadcast_to(self, x: tensor, shape) -> tensor:
        shape = list(shape)
        if not shape:
            if x.type.is_block():
                raise ValueError(f"cannot broadcast shape {list(x.type.shape)} to a scalar")
            return x
        have = len(x.type.get_block_shapes())
        if x.type.is_block() and have < len(shape):
            for _ in range(len(shape) - have):
                x = self.expand_dims(x, 0)
        return self.broadcast_impl_shape(x, shape)

    def join(self, a: tensor, b: tensor) -> tensor:
        a, b = self.binary_operands(a, b, True, True) if a.dtype != b.dtype else self.broadcast_pair(a, b)
        if a.type.is_block():
            ty = T.block_type(a.dtype, [*a.type.shape, 2])
            return tensor(self.builder.create_join(a.handle, b.handle), ty)
        joined = self.join(self.splat(a, (1,)), self.splat(b, (1,)))
        return self.reshape(joined, (2,), False)

    def split(self, x: tensor):
        shape = x.type.get_block_shapes()
        if not shape or shape[-1] != 2:
            raise ValueError(f"tl.split needs a tensor whose last dimension has size 2, got shape {list(shape)}")
        if len(shape) == 1:
            x = self.reshape(x, (1, 2), False)
        low, high = self.builder.create_split(x.handle)
        if len(shape) == 1:
            ty = T.block_type(x.dtype, (1,))
            return self.item(tensor(low, ty)), self.item(tensor(high, ty))
        ty = T.block_type(x.dtype, shape[:-1])
        return tensor(low, ty), tensor(high, ty)

    def cat(self, a: tensor, b: tensor, can_reorder: bool, dim: int) -> tensor:
        a, b = self.binary_operands(a, b, True, True) if a.dtype != b.dtype else (a, b)
        if a.type != b.type or not a.type.is_block():
            raise ValueError(f"tl.cat needs two tensors of the same shape and type, got {a.type} and {b.type}")
        rank = len(a.type.shape)
        dim = normalize_axis(dim, rank, "tl.cat")
        if can_reorder:
            if rank != 1:
                raise ValueError(f"tl.cat with can_reorder=True takes tensors of rank 1, got rank {rank}")
            ty = T.block_type(a.dtype, (2 * a.type.shape[0],))
            return tensor(self.builder.create_cat(a.handle, b.handle, ty.to_ir(self.builder)), ty)
        # [.., n, ..] joined is [.., n, .., 2]; moving the 2 in front of n makes the halves follow each other.
        joined = self.join(a, b)
        moved = self.permute(joined, [*range(dim), rank, *range(dim, rank)])
        shape = list(a.type.shape)
        shape[dim] *= 2
        return self.reshape(moved, shape, False)

    def gather(self, source: tensor, index: tensor, axis: int) -> tensor:
        if not index.dtype.is_int():
            raise ValueError(f"tl.gather: index must be an integer tensor, got {index.dtype!r}")
        shape, index_shape = source.type.get_block_shapes(), index.type.get_block_shapes()
        if len(shape) != len(index_shape) or not shape:
            raise ValueError(
                f"tl.gather: source and index must have the same rank, got {list(shape)} and {list(index_shape)}"
            )
        axis = normalize_axis(axis, len(shape), "tl.gather")
        for d, (size, wanted) in enumerate(zip(shape, index_shape)):
            if d != axis and size != wanted:
                raise ValueError(
                    f"tl.gather: source has size {size} in dimension {d} and index {wanted}; axis is {axis}"
                )
        handle = self.builder.create_gather(source.handle, index.handle, axis)
        return tensor(handle, source.type.scalar if not index_shape else T.block_type(source.dtype, index_shape))

    def histogram(self, x: tensor, num_bins: int, mask) -> tensor:
        if len(x.type.get_block_shapes()) != 1:
            raise ValueError(f"tl.histogram takes a tensor of rank 1, got shape {list(x.type.get_block_shapes())}")
        if not x.dtype.is_int():
            raise ValueError(f"tl.histogram takes integers, got {x.dtype!r}")
        if x.dtype.int_bitwidth < 32:
            x = self.cast(x, T.int32)
        if not isinstance(num_bins, int) or num_bins < 1 or num_bins & (num_bins - 1):
            raise ValueError(f"tl.histogram: num_bins must be a constexpr power of two, got {num_bins}")
        if mask is not None:
            mask = self.broadcast_impl_shape(self.truth(mask), x.type.shape).handle
        ty = T.block_type(T.int32, (num_bins,))
        return tensor(self.builder.create_histogram(x.handle, ty.to_ir(self.builder), mask), ty)
