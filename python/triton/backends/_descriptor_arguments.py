"""Tensor descriptors among the arguments of a launcher that takes them apart.

For drivers whose launchers are made from a signature: where a kernel has a `TensorDescriptor`, its launcher gets the
parts of it, or an object of the device made from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from triton._utils import find_paths_if

__all__ = ["decompose_descriptor", "expand_signature", "make_tensordesc_args", "wrap_handle_tensordesc_impl"]

_DESCRIPTOR = re.compile(r"tensordesc<([^\[>]*)\[([^\]]*)\]")


def _is_descriptor(_: Any, type_name: Any) -> bool:
    return isinstance(type_name, str) and type_name.startswith("tensordesc<")


def decompose_descriptor(arg: Any) -> list[Any]:
    """The parts of a descriptor: base, shape, strides, whether its padding is NaN, whether it rounds to tf32, and shape
    and strides again (of what the first three describe, and of the block that is read)."""
    rounds = bool(getattr(arg, "round_f32_to_tf32", False))
    return [arg.base, *arg.shape, *arg.strides, arg.padding == "nan", rounds, *arg.shape, *arg.strides]


def expand_signature(
    signature: Iterable[Any], tensordesc_meta: Sequence[Any] | None, descriptor_type: str
) -> list[Any]:
    """The types of a launcher's arguments for those of a kernel's; tuples stay tuples.

    Descriptors for which the device has objects (`tensordesc_meta` has entries) are a `descriptor_type` followed by
    shape and strides, others the types of `decompose_descriptor`.
    """

    def expand(type_name: Any) -> list[Any]:
        if isinstance(type_name, (tuple, list)):
            return [tuple(part for item in type_name for part in expand(item))]
        if not _is_descriptor((), type_name):
            return [type_name]
        match = _DESCRIPTOR.match(type_name)
        if match is None:
            raise ValueError(f"{type_name!r} is no type of a tensor descriptor, such as tensordesc<fp32[2, 8]>")
        rank = match[2].count(",") + 1
        described = ["i32"] * rank + ["i64"] * rank
        if tensordesc_meta:
            return [descriptor_type, *described]
        return [f"*{match[1]}", *["i64"] * (2 * rank), "i1", "i1", *described]

    return [part for type_name in signature for part in expand(type_name)]


def make_tensordesc_args(
    args: Sequence[Any],
    signature: Sequence[Any],
    paths: Iterable[tuple[int, ...]],
    tensordesc_meta: list[Any],
    base_args: Sequence[Any],
    make_tensordesc_arg: Callable[[Any, Any, Sequence[Any]], Iterable[Any]],
) -> list[Any]:
    """`args` with each descriptor at one of `paths` replaced by ``make_tensordesc_arg(descriptor, meta, base_args)``.

    `meta` is the entry of `tensordesc_meta` in the same place, or None if that is empty. ValueError if it has another
    number of entries.
    """
    if not isinstance(tensordesc_meta, list):
        raise TypeError(f"tensordesc_meta must be a list, got {type(tensordesc_meta).__name__}")
    places = list(paths)
    if tensordesc_meta and len(tensordesc_meta) != len(places):
        raise ValueError(f"there are {len(places)} tensor descriptors, but {len(tensordesc_meta)} in tensordesc_meta")
    entries = dict(zip(places, tensordesc_meta or [None] * len(places)))

    def rebuilt(items: Sequence[Any], path: tuple[int, ...]) -> list[Any]:
        result: list[Any] = []
        for i, item in enumerate(items):
            here = (*path, i)
            if here in entries:
                result += make_tensordesc_arg(item, entries[here], base_args)
            elif any(place[: len(here)] == here for place in places):
                result.append(tuple(rebuilt(item, here)))
            else:
                result.append(item)
        return result

    return rebuilt(args, ())


def wrap_handle_tensordesc_impl(
    launcher: Callable[..., Any],
    signature: Mapping[Any, Any],
    tensordesc_meta: list[Any],
    make_tensordesc_arg: Callable[[Any, Any, Sequence[Any]], Iterable[Any]],
) -> Callable[..., Any]:
    """A launcher ``f(*base_args, args)`` that hands `launcher` arguments without descriptors.

    `launcher` itself where the `signature` has none.
    """
    types = tuple(signature.values())
    paths = find_paths_if(types, _is_descriptor)
    if not paths:
        return launcher

    def launch(*given: Any) -> Any:
        *base_args, args = given
        expanded = make_tensordesc_args(args, types, paths, tensordesc_meta, tuple(base_args), make_tensordesc_arg)
        return launcher(*base_args, expanded)

    return launch
