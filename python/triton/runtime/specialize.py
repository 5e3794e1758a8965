"""What the compiler is told about an argument: its type and, as a *key*, properties of its value.

The launcher in libtriton makes the same decisions natively on every launch; these functions are used when a kernel
is compiled, and by tools. `python/test/unit/runtime/test_specialize.py` compares the two.
"""

from __future__ import annotations

from typing import Any

from .._utils import canonicalize_ptr_dtype, is_namedtuple

CONSTEXPR = "constexpr"
_I32_MIN, _I32_END = -(2**31), 2**31
_I64_MIN, _I64_END, _U64_END = -(2**63), 2**63, 2**64


def int_type(value: int) -> str:
    """The smallest of i32, i64, u64 that holds `value`; OverflowError when none does."""
    if _I32_MIN <= value < _I32_END:
        return "i32"
    if _I64_MIN <= value < _I64_END:
        return "i64"
    if 0 <= value < _U64_END:
        return "u64"
    raise OverflowError(f"integer {value} does not fit in 64 bits")


def default_int_key(value: int, align: bool) -> str:
    return "D" if align and value % 16 == 0 else ""


def default_tensor_key(address: int, align: bool) -> str:
    return "D" if align and address % 16 == 0 else ""


def _int(backend: Any, value: int, specialize: bool, align: bool) -> tuple[str, Any]:
    if specialize and value == 1:
        return CONSTEXPR, 1
    type_name = int_type(value)
    if not specialize:
        return type_name, None
    get_key = getattr(backend, "get_int_specialization", None)
    return type_name, get_key(value, align=align) if get_key else default_int_key(value, align)


def _tensor(backend: Any, arg: Any, address: int, is_const: bool, specialize: bool, align: bool) -> tuple[str, Any]:
    type_name = pointer_type(arg.dtype, is_const)
    _check_plain(arg)
    if not specialize:
        return type_name, None
    get_key = getattr(backend, "get_tensor_specialization", None)
    key = get_key(arg, align=align) if get_key else default_tensor_key(address, align)
    return type_name, key


def _check_plain(tensor: Any) -> None:
    """TypeError for a view whose memory is to be read with other signs."""
    is_negated = getattr(tensor, "is_neg", None)
    if is_negated is not None and is_negated():
        raise TypeError("a view that negates its memory (such as x.conj().imag); pass .resolve_neg() of it")


def pointer_type(dtype: Any, is_const: bool) -> str:
    """Pointer type of a tensor: ``*fp32``. Elements of bool are bytes and named u1."""
    name = canonicalize_ptr_dtype(dtype, is_const)
    return name[:-2] + "u1" if name in ("*i1", "*ki1") else name


def is_descriptor(value: Any) -> bool:
    """True for a `TensorDescriptor` and objects of derived classes; by name, because its module is rarely loaded."""
    return any(cls.__name__ == "TensorDescriptor" for cls in type(value).__mro__)


def is_descriptor_type(type_name: Any) -> bool:
    return isinstance(type_name, str) and type_name.startswith("tensordesc<")


def descriptor_type_name(descriptor: Any) -> str:
    """``tensordesc<fp32[2, 8]>``; the padding "nan" is part of the type. ValueError if it was made invalid since."""
    strides, address = list(descriptor.strides), address_of(descriptor.base)
    if not strides or strides[-1] != 1 or address % 16:
        raise ValueError(
            f"the descriptor was changed: its base must be at a multiple of 16 bytes (it is at {address:#x}) and its "
            f"last stride 1 (strides: {strides})"
        )
    _check_plain(descriptor.base)
    element = pointer_type(descriptor.base.dtype, False)[1:]
    padding = ",nan" if getattr(descriptor, "padding", "zero") == "nan" else ""
    return f"tensordesc<{element}[{', '.join(str(int(size)) for size in descriptor.block_shape)}]{padding}>"


def address_of(tensor: Any) -> int:
    """Where the data of a tensor or array begins."""
    return tensor.data_ptr() if hasattr(tensor, "data_ptr") else tensor.__array_interface__["data"][0]


def native_specialize_impl(
    backend: Any, arg: Any, is_const: bool, specialize_value: bool, align: bool
) -> tuple[Any, Any]:
    """``(type, key)`` of one argument; nested tuples of both for a tuple.

    `backend` is the backend's class or an object of it. TypeError for values that can only be passed as
    `tl.constexpr`; an exception of `data_ptr()` or `dtype` is not caught.
    """
    if arg is None:
        return CONSTEXPR, None
    if isinstance(arg, bool):
        return "u1", None
    if isinstance(arg, int):
        return _int(backend, arg, specialize_value, align)
    if isinstance(arg, float):
        return "fp32", None
    if isinstance(arg, tuple):
        items = [native_specialize_impl(backend, item, is_const, specialize_value, align) for item in arg]
        make = type(arg)._make if is_namedtuple(arg) else tuple
        return make([item[0] for item in items]), make([item[1] for item in items])
    if hasattr(arg, "data_ptr") and hasattr(arg, "dtype"):
        return _tensor(backend, arg, arg.data_ptr(), is_const, specialize_value, align)
    if hasattr(arg, "__array_interface__") and hasattr(arg, "dtype"):
        return _array(backend, arg, is_const, specialize_value, align)
    cls = type(arg)
    if cls.__name__ == "constexpr" and cls.__module__.startswith("triton."):
        return CONSTEXPR, arg
    if is_descriptor(arg):
        return descriptor_type_name(arg), None
    raise TypeError(f"failed to specialize argument of type: {cls.__name__}")


def is_numpy_scalar(value: Any) -> bool:
    """True for numbers of NumPy, which offer most of what its arrays offer."""
    return hasattr(value, "__array_interface__") and hasattr(value, "item") and not hasattr(value, "ctypes")


def _array(backend: Any, arg: Any, is_const: bool, specialize: bool, align: bool) -> tuple[Any, Any]:
    """NumPy arrays are tensors; NumPy scalars are numbers of their own Python kind."""
    if is_numpy_scalar(arg):
        return native_specialize_impl(backend, arg.item(), is_const, specialize, align)
    if not arg.dtype.isnative:
        raise TypeError(f"array of dtype {arg.dtype.str} has foreign byte order; convert it with .astype()")
    address = arg.__array_interface__["data"][0]
    return pointer_type(arg.dtype, is_const), default_tensor_key(address, align) if specialize else None


def mangle_type(arg: Any, specialize: bool = False) -> str:
    """The type of `arg` as one string, with its key appended when `specialize`."""
    type_name, key = native_specialize_impl(None, arg, False, specialize, specialize)
    return str(type_name) + (key if isinstance(key, str) else "")
