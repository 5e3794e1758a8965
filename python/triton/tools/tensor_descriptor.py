"""`TensorDescriptor`: a tensor with the shape of the blocks that a kernel loads from it, made on the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._utils import validate_block_shape

_ALIGNMENT = 16  # bytes, of the base and of all strides but the last
_PADDINGS = ("zero", "nan")


def _strides_in_elements(tensor: Any) -> list[int]:
    """torch has a method, NumPy an attribute that counts bytes."""
    if callable(getattr(tensor, "stride", None)):
        return [int(stride) for stride in tensor.stride()]
    return [int(stride) // tensor.itemsize for stride in tensor.strides]


def _address(tensor: Any) -> int:
    return tensor.data_ptr() if hasattr(tensor, "data_ptr") else tensor.__array_interface__["data"][0]


def _element_size(tensor: Any) -> int:
    return tensor.element_size() if hasattr(tensor, "element_size") else tensor.dtype.itemsize


@dataclass
class TensorDescriptor:
    """`base` with rank 1 to 5, sizes, strides in elements and block sizes (powers of two).

    Elements outside of `shape` are read as `padding`: "zero", or "nan" for floating-point types. The last stride is
    1; the address and the other strides are multiples of 16 bytes, and so is the last block size.
    ValueError and TypeError say which of these does not hold.
    """

    base: Any
    shape: list[int]
    strides: list[int]
    block_shape: list[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self) -> None:
        rank = len(self.shape)
        if not 1 <= rank <= 5:
            raise ValueError(f"TensorDescriptor: rank must be 1 to 5, got {rank}")
        for name in ("strides", "block_shape"):
            if len(getattr(self, name)) != rank:
                raise ValueError(f"TensorDescriptor: {name} has {len(getattr(self, name))} items for rank {rank}")
        validate_block_shape(self.block_shape)
        self._check_alignment()
        if self.padding not in _PADDINGS:
            raise ValueError(f"TensorDescriptor: padding must be one of {_PADDINGS}, got {self.padding!r}")
        if self.padding == "nan" and "float" not in str(self.base.dtype):
            raise ValueError(f"TensorDescriptor: padding 'nan' needs a floating-point type, got {self.base.dtype}")

    def _check_alignment(self) -> None:
        size = _element_size(self.base)
        if _address(self.base) % _ALIGNMENT:
            raise ValueError(f"TensorDescriptor: the address of base must be a multiple of {_ALIGNMENT} bytes")
        for dim, stride in enumerate(self.strides[:-1]):
            if stride * size % _ALIGNMENT:
                raise ValueError(
                    f"TensorDescriptor: stride {stride} of dimension {dim} is {stride * size} bytes, "
                    f"which is no multiple of {_ALIGNMENT}"
                )
        if self.strides[-1] != 1:
            raise ValueError(f"TensorDescriptor: the last dimension must be contiguous, got stride {self.strides[-1]}")
        if self.block_shape[-1] * size < _ALIGNMENT:
            raise ValueError(
                f"TensorDescriptor: the last block size, {self.block_shape[-1]}, is less than {_ALIGNMENT} bytes"
            )

    @staticmethod
    def from_tensor(
        tensor: Any, block_shape: list[int], padding: str = "zero", round_f32_to_tf32: bool = False
    ) -> TensorDescriptor:
        """All of `tensor`."""
        shape = [int(size) for size in tensor.shape]
        return TensorDescriptor(
            tensor, shape, _strides_in_elements(tensor), list(block_shape), padding, round_f32_to_tf32
        )
