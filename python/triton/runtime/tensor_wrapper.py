"""Objects that stand for tensors: without data (`MockTensor`) or with another element type (`TensorWrapper`)."""

from __future__ import annotations

from typing import Any


class MockTensor:
    """A tensor of element type `dtype` without storage, for compiling without a launch (`warmup`).

    Its address is 0, which counts as aligned.
    """

    def __init__(self, dtype: Any, shape: tuple[int, ...] | None = None):
        self.dtype = dtype
        self.shape = tuple(shape) if shape is not None else (1,)

    @staticmethod
    def wrap_dtype(arg: Any) -> Any:
        """A `MockTensor` for a dtype (of the language, torch or NumPy); any other object unchanged."""
        cls = type(arg)
        package = cls.__module__.split(".")[0]
        if cls.__name__ == "dtype" and package in ("torch", "numpy", "triton"):
            return MockTensor(arg)
        if cls.__module__ == "numpy.dtypes" or (package == "numpy" and cls.__name__.startswith("dtype[")):
            return MockTensor(arg)
        return arg

    def stride(self) -> tuple[int, ...]:
        """Contiguous strides in elements."""
        strides, step = [], 1
        for size in reversed(self.shape):
            strides.append(step)
            step *= size
        return tuple(reversed(strides))

    @staticmethod
    def data_ptr() -> int:
        return 0

    @staticmethod
    def ptr_range() -> int:
        return 0

    def __repr__(self) -> str:
        return f"MockTensor({self.dtype}, shape={self.shape})"


class TensorWrapper:
    """The storage of tensor `base`, seen as elements of `dtype`. Attributes not named here are those of `base`."""

    def __init__(self, base: Any, dtype: Any):
        self.dtype = dtype
        self.base = base
        self.data = getattr(base, "data", base)
        self.device = getattr(base, "device", None)
        self.shape = base.shape

    def data_ptr(self) -> int:
        return self.base.data_ptr()

    def stride(self, *args: Any) -> Any:
        return self.base.stride(*args)

    def element_size(self) -> int:
        return self.base.element_size()

    def cpu(self) -> TensorWrapper:
        return TensorWrapper(self.base.cpu(), self.dtype)

    def copy_(self, other: TensorWrapper) -> None:
        self.base.copy_(other.base)

    def clone(self) -> TensorWrapper:
        return TensorWrapper(self.base.clone(), self.dtype)

    def to(self, device: Any) -> TensorWrapper:
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes: Any) -> TensorWrapper:
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self) -> str:
        return f"TensorWrapper[{self.dtype}]({self.base})"


class _ArrayPointer:
    """`data_ptr` and `dtype` of an object that offers only the array interface."""

    def __init__(self, array: Any):
        self.array = array
        self.dtype = array.dtype
        self.shape = array.shape

    def data_ptr(self) -> int:
        return self.array.__array_interface__["data"][0]

    def element_size(self) -> int:
        return self.array.itemsize


def reinterpret(tensor: Any, dtype: Any) -> Any:
    """`tensor` with its elements taken as `dtype`, without a copy. TypeError for objects without an address."""
    if isinstance(tensor, TensorWrapper):
        base = tensor.base
        return base if dtype == base.dtype else TensorWrapper(base, dtype)
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    if hasattr(tensor, "__array_interface__"):
        return TensorWrapper(_ArrayPointer(tensor), dtype)
    raise TypeError(f"cannot reinterpret a {type(tensor).__name__} as {dtype}: it has no data_ptr()")
