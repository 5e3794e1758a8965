"""Builtins that read and write memory."""

from __future__ import annotations

from ._block_pointer import block_pointer, tensor_descriptor
from ._builtin import builtin, must_use_result, tensor_member
from ._values import _unwrap_if_constexpr, _unwrap_shape


@tensor_member
@builtin
def load(
    pointer,
    mask=None,
    other=None,
    boundary_check=(),
    padding_option="",
    cache_modifier="",
    eviction_policy="",
    volatile=False,
    _semantic=None,
):
    """The values that `pointer` (a pointer, a block of pointers or a block pointer) points to.

    Where `mask` is false nothing is read and the result is `other`, or undefined without it. For a block pointer,
    `boundary_check` lists the dimensions to check against its shape and `padding_option` ("zero", "nan") the value
    outside. `cache_modifier` is one of "", ".ca", ".cg", ".cs", ".cv"; `eviction_policy` of "", "evict_first",
    "evict_last".
    """
    mask, other = _unwrap_if_constexpr(mask), _unwrap_if_constexpr(other)
    options = (
        _unwrap_if_constexpr(cache_modifier),
        _unwrap_if_constexpr(eviction_policy),
        bool(_unwrap_if_constexpr(volatile)),
    )
    if isinstance(pointer, block_pointer):
        if mask is not None or other is not None:
            raise ValueError("tl.load: a block pointer takes boundary_check and padding_option, not mask and other")
        return pointer._load(
            _unwrap_shape(boundary_check), _unwrap_if_constexpr(padding_option), options, _semantic=_semantic
        )
    if _unwrap_shape(boundary_check) or _unwrap_if_constexpr(padding_option):
        raise ValueError("tl.load: boundary_check and padding_option are for block pointers; use mask and other")
    return _semantic.load(pointer, mask, other, *options)


@tensor_member
@builtin
def store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy="", _semantic=None):
    """Write `value`, broadcast to the shape of `pointer` and cast to what it points to, where `mask` is true.

    `cache_modifier` is one of "", ".wb", ".ca", ".cg", ".cs", ".cv", ".wt". See `load` for the rest.
    """
    value, mask = _unwrap_if_constexpr(value), _unwrap_if_constexpr(mask)
    options = (_unwrap_if_constexpr(cache_modifier), _unwrap_if_constexpr(eviction_policy))
    if isinstance(pointer, block_pointer):
        if mask is not None:
            raise ValueError("tl.store: a block pointer takes boundary_check, not mask")
        return pointer._store(value, _unwrap_shape(boundary_check), options, _semantic=_semantic)
    if _unwrap_shape(boundary_check):
        raise ValueError("tl.store: boundary_check is for block pointers; use mask")
    return _semantic.store(pointer, value, mask, *options)


@builtin
def make_block_ptr(base, shape, strides, offsets, block_shape, order, _semantic=None):
    """Pointer to a block of `block_shape` at `offsets` of a strided tensor at `base`.

    `shape`, `strides` and `offsets` count elements; `order` lists dimensions from the fastest varying one.
    """
    return block_pointer.make(
        base, shape, strides, offsets, _unwrap_shape(block_shape), _unwrap_shape(order), _semantic=_semantic
    )


@must_use_result("tl.advance returns a new block pointer; assign the result")
@builtin
def advance(base, offsets, _semantic=None):
    """The block pointer moved by `offsets` elements in each dimension."""
    if not isinstance(base, block_pointer):
        raise ValueError(f"tl.advance moves block pointers, got {base}")
    return base._advance(offsets, _semantic)


# The methods of block pointers: p.load(boundary_check=(0, 1)).
block_pointer.load, block_pointer.store, block_pointer.advance = load, store, advance


@builtin
def make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero", _semantic=None):
    """Descriptor of a tensor of 1 to 5 dimensions that is accessed in blocks of `block_shape`.

    `strides` count elements and the last one is 1. Reads outside of `shape` give zero, or NaN with
    `padding_option="nan"`; writes outside are dropped.
    """
    padding = _unwrap_if_constexpr(padding_option)
    return tensor_descriptor.make(base, shape, strides, _unwrap_shape(block_shape), padding, _semantic=_semantic)


def _check_descriptor(desc, name: str) -> None:
    if not isinstance(desc, tensor_descriptor):
        raise TypeError(f"tl.{name} needs a tensor descriptor, got {desc}")


@builtin
def load_tensor_descriptor(desc, offsets, _semantic=None):
    """`desc.load(offsets)`."""
    _check_descriptor(desc, "load_tensor_descriptor")
    return desc.load(offsets, _semantic=_semantic)


@builtin
def store_tensor_descriptor(desc, offsets, value, _semantic=None):
    """`desc.store(offsets, value)`."""
    _check_descriptor(desc, "store_tensor_descriptor")
    return desc.store(offsets, value, _semantic=_semantic)


# --- atomics ---
_ATOMIC_DOC = """Atomically replace what `pointer` points to by {what}, where `mask` is true; returns the old values.

    `sem` is "relaxed", "acquire", "release" or "acq_rel" (default); `scope` "gpu" (default), "cta" or "sys".
    """


def _atomic(name: str, what: str, method: str, *leading):
    def function(pointer, val, mask=None, sem=None, scope=None, _semantic=None):
        mask = _unwrap_if_constexpr(mask)
        args = (pointer, _unwrap_if_constexpr(val), mask, _unwrap_if_constexpr(sem), _unwrap_if_constexpr(scope))
        return getattr(_semantic, method)(*leading, *args)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _ATOMIC_DOC.format(what=what)
    return tensor_member(builtin(function))


atomic_add = _atomic("atomic_add", "its sum with `val`", "atomic_add")
atomic_max = _atomic("atomic_max", "the greater of it and `val`", "atomic_extremum", "max")
atomic_min = _atomic("atomic_min", "the smaller of it and `val`", "atomic_extremum", "min")
atomic_and = _atomic("atomic_and", "its bitwise and with `val`", "atomic_bits", "and")
atomic_or = _atomic("atomic_or", "its bitwise or with `val`", "atomic_bits", "or")
atomic_xor = _atomic("atomic_xor", "its bitwise exclusive or with `val`", "atomic_bits", "xor")
atomic_xchg = _atomic("atomic_xchg", "`val`", "atomic_xchg")


@tensor_member
@builtin
def atomic_load(pointer, mask=None, sem=None, scope=None, _semantic=None):
    """The values that `pointer` points to, each read in one piece, where `mask` is true; undefined elsewhere.

    `sem` is "acquire" (default) or "relaxed"; `scope` as for `atomic_add`.
    """
    mask, sem, scope = (_unwrap_if_constexpr(x) for x in (mask, sem, scope))
    return _semantic.atomic_load(pointer, mask, sem, scope)


@tensor_member
@builtin
def atomic_store(pointer, val, mask=None, sem=None, scope=None, _semantic=None):
    """Write `val`, each element in one piece, where `mask` is true.

    `sem` is "release" (default) or "relaxed"; `scope` as for `atomic_add`.
    """
    val, mask, sem, scope = (_unwrap_if_constexpr(x) for x in (val, mask, sem, scope))
    return _semantic.atomic_store(pointer, val, mask, sem, scope)


@builtin
def _nanoseconds(reading, _semantic=None):
    """A clock of the target, as an int64 scalar. ValueError for targets without one. `reading`, an int64, is another
    number each time.
    """
    return _semantic.nanoseconds(_semantic.to_tensor(reading))


@tensor_member
@builtin
def atomic_cas(pointer, cmp, val, sem=None, scope=None, _semantic=None):
    """Atomically store `val` where memory equals `cmp`; returns the old values."""
    return _semantic.atomic_cas(
        pointer,
        _unwrap_if_constexpr(cmp),
        _unwrap_if_constexpr(val),
        _unwrap_if_constexpr(sem),
        _unwrap_if_constexpr(scope),
    )
