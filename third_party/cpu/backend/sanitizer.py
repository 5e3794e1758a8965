"""Checked launches: which memory each argument of a kernel gives access to, and what is raised when a kernel leaves it.

Kernels compiled with the option ``sanitize`` (``TRITON_CPU_SANITIZE``) ask before every access. See docs/sanitizer.md.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from typing import Any, NamedTuple

_NEAR = 1 << 20  # bytes within which an address of unknown origin is told as a distance from an argument


class Extent(NamedTuple):
    """Memory of one argument: addresses begin <= a < end. Both None: not known."""

    name: str
    begin: int | None
    end: int | None
    text: str


class OutOfBoundsError(RuntimeError, IndexError):
    """A kernel would have read or written memory that its arguments do not cover. The access did not happen.

    Attributes: `kernel`; `operation` (``"load"``, ``"store"``, ``"atomic"``, ``"gather"``); `places`, the source
    lines as ``(file, line)``, innermost call first; `program` (x, y, z); `index` of the element within the accessed
    block (`shape`), empty for a scalar; `address`; `bytes` per element; `argument`, the name of the nearest argument
    that the pointer may come from; `offset` of the access from the start of that argument's memory, in bytes.
    For a gather, `address` is the index that was read and `bytes` the extent of the axis.
    """

    def __init__(self, message: str, **details: Any):
        super().__init__(message)
        self.details = details
        for name, value in details.items():
            setattr(self, name, value)

    def __reduce__(self) -> tuple:
        return _rebuild, (str(self), self.details)


def _rebuild(message: str, details: dict) -> OutOfBoundsError:
    return OutOfBoundsError(message, **details)


# -- extents of arguments ----------------------------------------------------------------------------------------------


def _span_of(shape: Any, strides: Any, itemsize: int) -> tuple[int, int]:
    """First and last-plus-one byte, relative to element 0, of an array with byte `strides`."""
    if any(size == 0 for size in shape):
        return 0, 0
    reach = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    return sum(r for r in reach if r < 0), sum(r for r in reach if r > 0) + itemsize


def _array_range(array: Any, mode: str) -> tuple[int, int]:
    """Of a NumPy array, or in mode "storage" of the array or tensor whose memory it shows."""
    if mode == "storage":
        owner = array.base
        if isinstance(owner, type(array)) or hasattr(owner, "__array_interface__"):
            return _array_range(owner, mode)
        if hasattr(owner, "untyped_storage"):
            return _tensor_range(owner, mode)
    low, high = _span_of(array.shape, array.strides, array.itemsize)
    address = array.__array_interface__["data"][0]
    return address + low, address + high


def _tensor_range(tensor: Any, mode: str) -> tuple[int, int]:
    """Of a torch tensor: its storage, or the bytes from its first to its last element."""
    if mode == "storage":
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    itemsize = tensor.element_size()
    low, high = _span_of(tensor.shape, [stride * itemsize for stride in tensor.stride()], itemsize)
    return tensor.data_ptr() + low, tensor.data_ptr() + high


def _protocol_range(value: Any) -> tuple[int, int] | None:
    """Of an object that has `data_ptr()` and says how large it is; else None."""
    address = value.data_ptr()
    size = getattr(value, "nbytes", None)
    if size is None and hasattr(value, "numel") and hasattr(value, "element_size"):
        size = value.numel() * value.element_size()
    return None if size is None else (address, address + int(size))


def _memory_of(value: Any, mode: str) -> tuple[int, int] | None:
    """Addresses (begin, end) of the memory behind a pointer argument; None where it does not say."""
    if value is None:
        return 0, 0
    inner = getattr(value, "base", None)
    if hasattr(value, "untyped_storage"):
        return _tensor_range(value, mode)
    if hasattr(value, "__array_interface__"):
        return _array_range(value, mode)
    if inner is not None and hasattr(inner, "data_ptr"):  # a tensor seen as another type
        return _memory_of(inner, mode)
    return _protocol_range(value) if hasattr(value, "data_ptr") else None


def _describe(value: Any) -> str:
    if value is None:
        return "None"
    shape = getattr(value, "shape", None)
    dtype = getattr(value, "dtype", None)
    of = f" of shape {tuple(shape)}" if shape is not None else ""
    return f"{type(value).__name__}{of}" + (f" and type {dtype}" if dtype is not None else "")


def _leaves(name: str, type_name: Any, value: Any) -> Iterator[tuple[str, str, Any]]:
    """The live arguments in an argument, in the order of the kernel's slots."""
    if isinstance(type_name, (tuple, list)):
        for i, (inner, item) in enumerate(zip(type_name, value, strict=True)):
            yield from _leaves(f"{name}[{i}]", inner, item)
    elif type_name.startswith("tensordesc<"):  # base, sizes, and strides but the last
        yield name, "*", value.base
        for number in range(2 * len(value.shape) - 1):
            yield f"{name}.{number}", "i64", None
    elif type_name != "constexpr":
        yield name, type_name, value


def extents_of(signature: dict[str, Any], values: Any, mode: str) -> list[Extent]:
    """The memory of every live argument. `values` are all parameters in order, constexprs included."""
    result = []
    for (parameter, type_name), value in zip(signature.items(), values, strict=True):
        for name, leaf_type, leaf in _leaves(str(parameter), type_name, value):
            memory = _memory_of(leaf, mode) if leaf_type.startswith("*") else (0, 0)
            begin, end = memory if memory is not None else (None, None)
            result.append(Extent(name, begin, end, _describe(leaf)))
    return result


# -- what is raised ----------------------------------------------------------------------------------------------------


def _index_of(linear: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        linear, place = divmod(linear, size)
        index.append(place)
    return tuple(reversed(index))


def _distance(extent: Extent, address: int) -> int:
    """Bytes between an address and the memory of an argument; 0 inside."""
    assert extent.begin is not None and extent.end is not None
    return max(extent.begin - address, address - extent.end + 1, 0)


def _nearest(extents: list[Extent], address: int, arguments: int) -> Extent | None:
    """The argument that was missed: of those that the pointer may come from, else one that is not far away."""
    known = [e for i, e in enumerate(extents) if e.end and (not arguments or arguments >> i & 1)]
    found = min(known, key=lambda e: _distance(e, address), default=None)
    return found if found and (arguments or _distance(found, address) < _NEAR) else None


def _owner(extents: list[Extent], address: int) -> Extent | None:
    """The argument whose memory holds `address`, which the pointer does not come from."""
    return next((e for e in extents if e.end and e.begin is not None and e.begin <= address < e.end), None)


def _relation(extent: Extent, address: int, size: int) -> str:
    """Where an access lies relative to the memory of an argument."""
    begin, end = extent.begin or 0, extent.end or 0
    memory = f"'{extent.name}' ({extent.text}), {end - begin} bytes at [{begin:#x}, {end:#x})"
    if address < begin:
        return f"{begin - address} bytes before the start of {memory}"
    if address >= end:
        return f"{address - end} bytes past the end of {memory}"
    return f"{address + size - end} bytes of it past the end of {memory}"


def _places(lines: list[str]) -> list[tuple[str, int]]:
    found = []
    for line in lines:
        file, _, number = line.rpartition(":")
        found.append((file, int(number)))
    return found


def _trace(places: list[tuple[str, int]]) -> list[str]:
    """The places as lines of text, each with its source line if that can be read."""
    text = []
    for depth, (file, line) in enumerate(places):
        source = linecache.getline(file, line).strip()
        text.append(f"  {'called from' if depth else 'at'} {file}:{line}" + (f": {source}" if source else ""))
    return text or ["  at an unknown line"]


def _explanation(extents: list[Extent], nearest: Extent | None, address: int, size: int, arguments: int) -> list[str]:
    """Lines that say where the access lies and what its pointer has to do with that."""
    lines = [] if arguments else ["  through a pointer that comes from no argument"]
    if nearest is not None:
        lines.append(f"  {_relation(nearest, address, size)}")
        owner = _owner(extents, address)
        if owner is not None and owner is not nearest:
            lines.append(f"  which is memory of '{owner.name}'")
    elif arguments:
        names = [e.name for i, e in enumerate(extents) if arguments >> i & 1]
        lines.append(f"  through '{' or '.join(names)}', which has no memory there")
    return lines


def violation_error(kernel: str, found: dict[str, Any], extents: list[Extent]) -> OutOfBoundsError:
    """The exception for what the runtime reported (`libtriton.cpu.take_violation`)."""
    operation, shape_text, *lines = found["description"].split("\n")
    shape = tuple(map(int, shape_text.split("x"))) if shape_text else ()
    index = _index_of(found["element"], shape)
    address, size = found["address"], found["bytes"]
    element = f", element {index} of {shape}" if shape else ""
    where = [f"  program {found['program']}{element}"]
    nearest = None
    if operation == "gather":
        address = address - (1 << 64) if address >> 63 else address
        what = f"gather of index {address} along an axis of {size} elements"
    else:
        what = f"{operation} of {size} byte{'s' if size != 1 else ''} at {address:#x} is out of bounds"
        nearest = _nearest(extents, address, found["arguments"])
        where += _explanation(extents, nearest, address, size, found["arguments"])
    places = _places(lines)
    return OutOfBoundsError(
        "\n".join([f"kernel '{kernel}': {what}", *_trace(places), *where]),
        kernel=kernel,
        operation=operation,
        places=places,
        program=found["program"],
        index=index,
        shape=shape,
        address=address,
        bytes=size,
        argument=nearest.name if nearest else None,
        offset=address - nearest.begin if nearest and nearest.begin is not None else None,
    )


# -- launching ---------------------------------------------------------------------------------------------------------

_LEADING = 9  # grid, stream, function, metadata and hooks come before the kernel's own arguments


def checked_run(run: Any, src: Any, metadata: Any) -> Any:
    """`CompiledKernel.run` that hands the memory of the arguments to the runtime and raises `OutOfBoundsError`."""
    from triton._C.libtriton import cpu

    signature, mode, name = src.signature, metadata.sanitize or "storage", metadata.name

    def launch(*args: Any) -> None:
        extents = extents_of(signature, args[_LEADING:], mode)
        cpu.arm_sanitizer([None if e.begin is None else (e.begin, e.end) for e in extents])
        try:
            run(*args)
        except RuntimeError:
            found = cpu.take_violation()
            if found is None:
                raise
        else:
            return
        finally:
            cpu.arm_sanitizer(None)  # a launch that did not take place leaves nothing behind
        raise violation_error(name, found, extents)

    return launch
