"""Small helpers shared by the front end and the runtime: index paths, type names, block shapes.

An *index path* is a tuple of positions that leads through nested tuples: ``(2, 0)`` is the first item of the
third argument. Constants and attributes of a kernel are keyed by such paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from triton.flagtree_spec import spec_func

TRITON_MAX_TENSOR_NUMEL = 1048576

# A backend may define this function in the top module of its overlay, `spec/triton/__init__.py`. `None` on the
# trunk: callers must test it. (`_utils.py` itself cannot be replaced by an overlay file, because `triton` is the
# package that holds `backends`.)
apply_with_path: Callable | None = spec_func("apply_with_path")

BITWIDTH_DICT: dict[str, int] = {
    **{f"u{n}": n for n in (1, 8, 16, 32, 64)},
    **{f"i{n}": n for n in (1, 8, 16, 32, 64)},
    **{f"fp{n}": n for n in (16, 32, 64)},
    **{f"fp8{suffix}": 8 for suffix in ("e4nv", "e4b15", "e4b8", "e5", "e5b16")},
    "bf16": 16,
    "void": 0,
}

# Names that array libraries and users give to types, and the name that the compiler uses.
type_canonicalisation_dict: dict[str, str] = {
    "bool": "i1",
    "int1": "i1",
    "uint1": "u1",
    "i1": "i1",
    "float8e4nv": "fp8e4nv",
    "float8e5": "fp8e5",
    "float8e4b15": "fp8e4b15",
    "float8_e4m3fn": "fp8e4nv",
    "float8e4b8": "fp8e4b8",
    "float8_e4m3fnuz": "fp8e4b8",
    "float8_e5m2": "fp8e5",
    "float8e5b16": "fp8e5b16",
    "float8_e5m2fnuz": "fp8e5b16",
    "half": "fp16",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float": "fp32",
    "float32": "fp32",
    "double": "fp64",
    "float64": "fp64",
    "int": "i32",
    **{f"int{n}": f"i{n}" for n in (8, 16, 32, 64)},
    **{f"uint{n}": f"u{n}" for n in (8, 16, 32, 64)},
    "void": "void",
}
for _name in list(type_canonicalisation_dict.values()):
    type_canonicalisation_dict[_name] = _name


def get_iterable_path(iterable: Any, path: tuple[int, ...]) -> Any:
    """The item of nested `iterable` that index `path` leads to; the object itself for an empty path."""
    for index in path:
        iterable = iterable[index]
    return iterable


def set_iterable_path(iterable: Any, path: tuple[int, ...], value: Any) -> None:
    """Assigns `value` at the non-empty index `path`; the container of the last step must be mutable."""
    if not path:
        raise ValueError("set_iterable_path: the index path is empty, so there is nothing to assign to")
    get_iterable_path(iterable, path[:-1])[path[-1]] = value


def is_iterable(value: Any) -> bool:
    """True for what an index path descends into: tuples and lists, also those of the language."""
    if isinstance(value, (tuple, list)):
        return True
    return type(value).__name__ == "tuple" and type(value).__module__.startswith("triton.language")


def find_paths_if(iterable: Iterable, predicate: Callable[[tuple[int, ...], Any], bool]) -> list[tuple[int, ...]]:
    """Index paths, in order, of the leaves for which ``predicate(path, leaf)`` is true."""
    found: list[tuple[int, ...]] = []

    def visit(value: Any, path: tuple[int, ...]) -> None:
        if path == () or is_iterable(value):
            for index, item in enumerate(value):
                visit(item, (*path, index))
        elif predicate(path, value):
            found.append(path)

    visit(iterable, ())
    return found


def is_namedtuple(value: Any) -> bool:
    """True for an instance, and for the class, of a named tuple."""
    cls = value if isinstance(value, type) else type(value)
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def _tuple_create(like: Any, contents: Iterable) -> Any:
    """A tuple of the same type as `like` (named tuples keep their fields) that holds `contents`."""
    return type(like)(*contents) if is_namedtuple(like) else type(like)(contents)


def list_list_flatten(values: list[list]) -> tuple[list[int], list]:
    """Sizes of the inner lists, and their items in one list."""
    return [len(inner) for inner in values], [item for inner in values for item in inner]


def list_list_unflatten(sizes: list[int], flat: list) -> list[list]:
    """Undoes `list_list_flatten`."""
    if sum(sizes) != len(flat):
        raise ValueError(f"list_list_unflatten: sizes {sizes} name {sum(sizes)} items, got {len(flat)}")
    result, start = [], 0
    for size in sizes:
        result.append(flat[start : start + size])
        start += size
    return result


def is_power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


def validate_block_shape(shape: Iterable[int]) -> int:
    """Number of elements of a block. TypeError and ValueError name the dimension that is wrong."""
    numel = 1
    for index, dim in enumerate(shape):
        if isinstance(dim, bool) or not isinstance(dim, int):
            raise TypeError(f"Shape element {index} must have type `constexpr[int]`, got `constexpr[{type(dim)}]`")
        if not is_power_of_two(dim):
            raise ValueError(f"Shape element {index} must be a power of 2, got {dim}")
        numel *= dim
    if numel > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"numel ({numel}) exceeds triton maximum tensor numel ({TRITON_MAX_TENSOR_NUMEL})")
    return numel


def canonicalize_dtype(dtype: Any) -> str:
    """The compiler's name of a scalar type: ``torch.float32``, ``numpy.dtype('float32')`` and ``fp32`` are fp32."""
    name = str(dtype).rsplit(".", 1)[-1]
    try:
        return type_canonicalisation_dict[name]
    except KeyError:
        raise TypeError(f"unsupported element type: {dtype!r}") from None


def canonicalize_ptr_dtype(dtype: Any, is_const: bool) -> str:
    """``*fp32``, or ``*kfp32`` for a pointer that the kernel only reads."""
    return f"{'*k' if is_const else '*'}{canonicalize_dtype(dtype)}"


def get_primitive_bitwidth(dtype: str) -> int:
    """Bits of one element of canonical type `dtype`."""
    return BITWIDTH_DICT[dtype]
