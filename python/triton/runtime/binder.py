"""From the arguments of a launch to what a compile needs: values per parameter, types, constants, attributes, options.

This is the thorough version. It runs when a kernel is compiled and when a launch cannot go through the native
launcher, which makes the same decisions without building any of these objects.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from .._utils import find_paths_if, get_iterable_path
from .kernel_param import KernelParam
from .specialize import CONSTEXPR, is_descriptor, is_descriptor_type, is_numpy_scalar, native_specialize_impl

_RESERVED = ("device", "device_type", "stream")
_RANGES = {
    **{f"i{n}": (-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in (8, 16, 32, 64)},
    **{f"u{n}": (0, 2**n - 1) for n in (8, 16, 32, 64)},
}
_UNSPECIALIZED_PINS = ("u1", "fp16", "bf16", "fp32", "fp64")


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def bind(fn: Any, args: tuple, kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Values in the order of the parameters, and the keywords that are options. TypeError like CPython's calls."""
    params: list[KernelParam] = fn.params
    variadic = next((p.num for p in params if p.is_variadic), None)
    positional = [p for p in params if "KEYWORD_ONLY" not in p.kind.name and not p.is_variadic]
    if len(args) > len(positional) and variadic is None:
        raise TypeError(
            f"{fn.__name__}() takes {plural(len(positional), 'positional argument')} but {len(args)} were given"
        )
    values: dict[str, Any] = {p.name: value for p, value in zip(positional, args)}
    if variadic is not None:
        values[params[variadic].name] = tuple(args[len(positional) :])
    options = {}
    names = {p.name for p in params}
    for name, value in kwargs.items():
        if name not in names:
            options[name] = value
        elif name in values:
            raise TypeError(f"{fn.__name__}() got multiple values for argument {name!r}")
        else:
            values[name] = value
    for p in params:
        if p.name not in values and p.has_default:
            values[p.name] = p.default
    missing = [p for p in params if p.name not in values]
    if missing:
        raise TypeError(missing_message(fn, missing))
    return [values[p.name] for p in params], options


def missing_message(fn: Any, missing: list[KernelParam]) -> str:
    names = ", ".join(repr(p.name) for p in missing)
    constants = [p.name for p in missing if p.is_constexpr]
    hint = f"; {constants[0]} is a tl.constexpr, so pass {constants[0]}=<a compile-time value>" if constants else ""
    return f"{fn.__name__}() missing {plural(len(missing), 'required argument')}: {names}{hint}"


class Specialization:
    """Types and keys of the arguments, in the order of the parameters."""

    __slots__ = ("keys", "types")

    def __init__(self, types: list[Any], keys: list[Any]):
        self.types = types
        self.keys = keys

    def __iter__(self) -> Iterator[list[Any]]:
        return iter((self.types, self.keys))


def _describe(fn: Any, param: KernelParam) -> str:
    return f"{fn.__name__}(): argument {param.num} ({param.name!r})"


def _check_pinned(fn: Any, param: KernelParam, value: Any) -> None:
    limits = _RANGES.get(param.annotation_type)
    if limits and isinstance(value, int) and not isinstance(value, bool) and not limits[0] <= value <= limits[1]:
        raise OverflowError(f"{_describe(fn, param)}: {value} does not fit in {param.annotation_type}")
    is_number = isinstance(value, (bool, int)) or hasattr(value, "__index__")
    if not is_number and not (isinstance(value, float) and param.annotation_type in ("fp16", "bf16", "fp32", "fp64")):
        raise TypeError(
            f"{_describe(fn, param)}, annotated {param.annotation}: expected a value of type {param.annotation_type}, "
            f"got {type(value).__name__}"
        )


def _specialize(fn: Any, backend: Any, param: KernelParam, value: Any) -> tuple[Any, Any]:
    if param.is_constexpr:
        if hasattr(value, "data_ptr") or (hasattr(value, "__array_interface__") and not is_numpy_scalar(value)):
            raise TypeError(
                f"{_describe(fn, param)} is a tl.constexpr, but a {type(value).__name__} was passed; a tensor is no "
                "compile-time value. Are arguments in the wrong order?"
            )
        return CONSTEXPR, value
    if param.annotation_type and value is not None:
        _check_pinned(fn, param, value)
        if param.annotation_type in _UNSPECIALIZED_PINS or param.do_not_specialize:
            return param.annotation_type, None
        key = native_specialize_impl(backend, int(value), False, True, not param.do_not_specialize_on_alignment)[1]
        return param.annotation_type, key if isinstance(key, str) else ""
    try:
        return native_specialize_impl(
            backend, value, param.is_const, not param.do_not_specialize, not param.do_not_specialize_on_alignment
        )
    except (TypeError, OverflowError) as error:
        raise type(error)(argument_message(fn, param, value, error)) from error
    except ValueError as error:
        if not is_descriptor(value):
            raise  # of the argument's own methods
        raise ValueError(f"{_describe(fn, param)}: {error}") from error


def argument_message(fn: Any, param: KernelParam, value: Any, error: Exception) -> str:
    """Why `value` cannot be an argument, with the argument's place and what to do."""
    what = f"{_describe(fn, param)}, of type {type(value).__name__}"
    if isinstance(error, OverflowError):
        return f"{what}: {error}"
    if hasattr(value, "dtype"):
        return f"{what} with dtype {value.dtype}: {error}"
    return (
        f"{what}: cannot be passed to a kernel. Mark the parameter tl.constexpr if the value is known when the kernel "
        f"is compiled; otherwise pass a tensor, a number or a tuple of them ({error})"
    )


def specialize(fn: Any, backend: Any, values: list[Any]) -> Specialization:
    """Types and keys of all arguments. TypeError and OverflowError name the argument."""
    pairs = [_specialize(fn, backend, p, v) for p, v in zip(fn.params, values)]
    return Specialization([t for t, _ in pairs], [k for _, k in pairs])


def constants(spec: Specialization, values: list[Any]) -> dict[tuple[int, ...], Any]:
    """Compile-time values by index path."""
    found = {}
    for path in find_paths_if(spec.types, lambda _, type_name: type_name == CONSTEXPR):
        value = get_iterable_path(values, path)
        if type(value).__name__ == "constexpr" and hasattr(value, "value"):
            value = value.value
        found[path] = value.item() if is_numpy_scalar(value) else value
    return found


def attributes(spec: Specialization, backend: Any) -> dict[tuple[int, ...], list]:
    """Attributes of the arguments by index path."""
    found = {}
    for path in find_paths_if(spec.keys, lambda _, key: isinstance(key, str)):
        attribute = backend.parse_attr(get_iterable_path(spec.keys, path))
        if attribute and get_iterable_path(spec.types, path) != CONSTEXPR:
            found[path] = attribute
    return found


def check_writable(fn: Any, kernel: Any, values: list[Any]) -> None:
    """ValueError when the kernel writes to a read-only array."""
    written = set(getattr(kernel.metadata, "written_arguments", ()))
    position = 0
    for param, type_name, value in zip(fn.params, kernel.src.signature.values(), values):
        leaves = _live_leaves(type_name, value)
        for index, leaf in enumerate(leaves, position):
            flags = getattr(leaf, "flags", None)
            if index in written and getattr(flags, "writeable", True) is False:
                raise ValueError(
                    f"{_describe(fn, param)} is a read-only array, but the kernel writes to it; pass a writable copy"
                )
        position += len(leaves)


def _live_leaves(type_name: Any, value: Any) -> list[Any]:
    """The values, of one argument, that the kernel gets."""
    if isinstance(type_name, (tuple, list)):
        return [leaf for t, v in zip(type_name, value) for leaf in _live_leaves(t, v)]
    if is_descriptor_type(type_name):
        return [value.base, *value.shape, *value.strides[:-1]]
    return [] if type_name == CONSTEXPR else [value]


def check_options(fn: Any, given: dict[str, Any], options: object) -> None:
    """KeyError for a keyword that is neither a parameter nor an option of the backend."""
    for name in given:
        if name in _RESERVED:
            raise KeyError(
                f"{fn.__name__}(): keyword {name!r} is not accepted; launches go to the current device and stream"
            )
        if name not in options.__dict__:
            known = [*fn.arg_names, *options.__dict__]
            near = difflib.get_close_matches(name, known, n=1)
            hint = f". Did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"Keyword argument {name} was specified but unrecognised by kernel {fn.__name__}(){hint}")


def normalize_grid(fn: Any, grid: Any, bound: dict[str, Any]) -> tuple[int, int, int]:
    """Three grid sizes. `bound`, the arguments by name, is what a callable grid gets."""
    if callable(grid):
        grid = grid(bound)
    if not isinstance(grid, (tuple, list)):
        grid = (grid,)
    if not 1 <= len(grid) <= 3:
        raise ValueError(f"{fn.__name__}[grid]: a grid has 1 to 3 sizes, got {len(grid)}: {tuple(grid)}")
    sizes = []
    for axis, size in zip("xyz", grid):
        try:
            number = size.__index__()
        except AttributeError:
            raise TypeError(
                f"{fn.__name__}[grid]: the size of axis {axis} must be an integer, got {type(size).__name__}: {size!r}"
            ) from None
        if not 0 <= number < 2**31:
            raise ValueError(f"{fn.__name__}[grid]: the size of axis {axis} must be in [0, 2**31), got {number}")
        sizes.append(number)
    return (*sizes, 1, 1)[:3]
