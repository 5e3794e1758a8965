"""Loads, stores and atomics. Part of `TritonSemantic`."""

from __future__ import annotations

from . import _types as T
from ._tensor import tensor

_LOAD_MODIFIERS = {"": "none", ".ca": "ca", ".cg": "cg", ".cs": "cs", ".cv": "cv"}
_STORE_MODIFIERS = {"": "none", ".wb": "wb", ".ca": "ca", ".cg": "cg", ".cs": "cs", ".cv": "cv", ".wt": "wt"}
_EVICTION = {
    "": "evict_normal",
    "evict_normal": "evict_normal",
    "evict_first": "evict_first",
    "evict_last": "evict_last",
}
_SEMANTICS = {s: s for s in ("relaxed", "acquire", "release", "acq_rel")}
_SCOPES = {s: s for s in ("gpu", "cta", "sys")}


def _option(table: dict, value, what: str) -> str:
    """Keyword of the IR for an option string; ValueError lists what is possible."""
    found = table.get(value or "")
    if found is None:
        raise ValueError(f"{what} {value!r} is not supported; use one of {', '.join(repr(k) for k in table)}")
    return found


class Memory:
    """Accesses through pointers and blocks of pointers."""

    def _check_pointer(self, ptr, what: str) -> None:
        if not isinstance(ptr, tensor) or not ptr.dtype.is_ptr():
            got = ptr.type if isinstance(ptr, tensor) else repr(ptr)
            raise ValueError(f"{what} needs a pointer or a block of pointers, got {got}")

    def _mask_like(self, mask, what: str) -> tensor:
        mask = self.to_tensor(mask)
        if not mask.dtype.is_bool():
            if not mask.dtype.is_int() or mask.type.is_block():
                raise ValueError(f"{what}: mask must be int1 (the result of a comparison), got {mask.dtype!r}")
            mask = self.truth(mask)
        return mask

    @staticmethod
    def _check_scalar_access(ptr: tensor, value, what: str, name: str) -> None:
        if value is not None and not ptr.type.is_block() and value.type.is_block():
            raise ValueError(
                f"{what}: {name} has shape {list(value.type.shape)} but the pointer is a scalar. "
                "Add offsets to the pointer, or make a block of it with tl.broadcast_to"
            )

    def _byte_pointer(self, ptr: tensor) -> tensor:
        """Booleans take a byte in memory: access them as int8."""
        if not ptr.dtype.element_ty.is_bool():
            return ptr
        return self.cast(ptr, T.pointer_type(T.int8, ptr.dtype.address_space))

    # --- load and store ---
    def load(self, ptr, mask, other, cache_modifier: str, eviction_policy: str, is_volatile: bool) -> tensor:
        self._check_pointer(ptr, "tl.load")
        cache = _option(_LOAD_MODIFIERS, cache_modifier, "tl.load: cache_modifier")
        evict = _option(_EVICTION, eviction_policy, "tl.load: eviction_policy")
        if mask is None and other is not None:
            raise ValueError("tl.load: `other` is the value of masked elements and needs a `mask`")
        element = ptr.dtype.element_ty
        ptr = self._byte_pointer(ptr)
        if mask is not None:
            mask = self._mask_like(mask, "tl.load")
            self._check_scalar_access(ptr, mask, "tl.load", "mask")
            if ptr.type.is_block():
                ptr, mask = self.broadcast_pair(ptr, mask)
        if other is not None:
            if not isinstance(other, tensor):
                other = self.full(ptr.type.get_block_shapes(), other, ptr.dtype.element_ty)
            else:
                self._check_scalar_access(ptr, other, "tl.load", "other")
                other = self.cast(other, element) if element.is_bool() else other
                other = self.cast(other, ptr.dtype.element_ty)
                if ptr.type.is_block():
                    other = self.broadcast_to(other, ptr.type.shape)
        handle = self.builder.create_load(
            ptr.handle,
            None if mask is None else mask.handle,
            None if other is None else other.handle,
            cache,
            evict,
            is_volatile,
        )
        loaded = tensor(handle, ptr.type.with_element_ty(ptr.dtype.element_ty))
        return self.cast(loaded, T.int1) if element.is_bool() else loaded

    def store(self, ptr, value, mask, cache_modifier: str, eviction_policy: str) -> None:
        self._check_pointer(ptr, "tl.store")
        if ptr.dtype.is_const():
            raise ValueError("tl.store: cannot store through a pointer declared tl.const")
        cache = _option(_STORE_MODIFIERS, cache_modifier, "tl.store: cache_modifier")
        evict = _option(_EVICTION, eviction_policy, "tl.store: eviction_policy")
        value, mask = self._stored_value(ptr, value, mask, "tl.store")
        ptr = self._byte_pointer(ptr)
        self.builder.create_store(ptr.handle, value.handle, None if mask is None else mask.handle, cache, evict)

    def _stored_value(self, ptr: tensor, value, mask, what: str):
        """Value and mask in the shape of `ptr`, the value in the type that it points to (int8 for booleans)."""
        element = ptr.dtype.element_ty
        shape = ptr.type.get_block_shapes()
        if not isinstance(value, tensor):
            value = self.full((), value, python_number_target(value, element))
        self._check_scalar_access(ptr, value, what, "value")
        value = self.cast(value, element)
        if element.is_bool():
            value = self.cast(value, T.int8)
        if mask is not None:
            mask = self._mask_like(mask, what)
            self._check_scalar_access(ptr, mask, what, "mask")
        if shape:
            value = self._grow(value, shape, what, "value")
            mask = None if mask is None else self._grow(mask, shape, what, "mask")
        return value, mask

    def _grow(self, value: tensor, shape, what: str, name: str) -> tensor:
        try:
            return self.broadcast_to(value, shape)
        except ValueError as e:
            raise ValueError(
                f"{what}: {name} has shape {list(value.type.get_block_shapes())}, the pointers have {list(shape)}; {e}"
            ) from None

    # --- atomics ---
    def _atomic_operands(self, ptr, value, mask, what: str):
        self._check_pointer(ptr, what)
        element = ptr.dtype.element_ty
        if ptr.dtype.is_const():
            raise ValueError(f"{what}: cannot write through a pointer declared tl.const")
        if element.is_bool() or element.primitive_bitwidth < 16:
            raise ValueError(f"{what}: atomics need elements of 16, 32 or 64 bits, got {element!r}")
        if mask is None:
            # An explicit mask keeps the operation in one form for all later stages.
            mask = self.full(ptr.type.get_block_shapes(), True, T.int1)
        value, mask = self._stored_value(ptr, value, mask, what)
        return element, value, mask

    def _rmw(self, op: str, ptr, value, mask, sem: str, scope: str) -> tensor:
        handle = self.builder.create_atomic_rmw(op, ptr.handle, value.handle, mask.handle, sem, scope)
        return tensor(handle, value.type)

    def _atomic_options(self, sem, scope, what: str):
        return (
            _option(_SEMANTICS, sem or "acq_rel", f"{what}: sem"),
            _option(_SCOPES, scope or "gpu", f"{what}: scope"),
        )

    def atomic_add(self, ptr, value, mask, sem, scope) -> tensor:
        element, value, mask = self._atomic_operands(ptr, value, mask, "tl.atomic_add")
        sem, scope = self._atomic_options(sem, scope, "tl.atomic_add")
        return self._rmw("fadd" if element.is_floating() else "add", ptr, value, mask, sem, scope)

    def atomic_bits(self, op: str, ptr, value, mask, sem, scope) -> tensor:
        what = f"tl.atomic_{op}"
        element, value, mask = self._atomic_operands(ptr, value, mask, what)
        if not element.is_int() or element.primitive_bitwidth == 16:
            raise ValueError(f"{what} is defined for 32-bit and 64-bit integers, got {element!r}")
        sem, scope = self._atomic_options(sem, scope, what)
        return self._rmw(op, ptr, value, mask, sem, scope)

    def atomic_xchg(self, ptr, value, mask, sem, scope) -> tensor:
        element, value, mask = self._atomic_operands(ptr, value, mask, "tl.atomic_xchg")
        if element.primitive_bitwidth == 16:
            raise ValueError(f"tl.atomic_xchg needs elements of 32 or 64 bits, got {element!r}")
        sem, scope = self._atomic_options(sem, scope, "tl.atomic_xchg")
        return self._rmw("exch", ptr, value, mask, sem, scope)

    def atomic_extremum(self, op: str, ptr, value, mask, sem, scope) -> tensor:
        """Atomic "max" or "min"."""
        what = f"tl.atomic_{op}"
        element, value, mask = self._atomic_operands(ptr, value, mask, what)
        if element.primitive_bitwidth == 16:
            raise ValueError(f"{what} needs elements of 32 or 64 bits, got {element!r}")
        sem, scope = self._atomic_options(sem, scope, what)
        if element.is_int():
            signed = element.is_int_signed()
            return self._rmw(op if signed else "u" + op, ptr, value, mask, sem, scope)
        return self._float_extremum(op, ptr, value, mask, sem, scope)

    def _float_extremum(self, op: str, ptr, value, mask, sem, scope) -> tensor:
        # Floats that are not negative order like their bits as signed integers; negative ones, and any of them against
        # the rest, order the other way round as unsigned integers. So each lane takes one of two integer operations.
        bits = value.dtype.primitive_bitwidth
        signed, unsigned = T.get_int_dtype(bits, True), T.get_int_dtype(bits, False)
        as_signed = self.bitcast(value, signed)
        as_unsigned = self.bitcast(value, unsigned)
        space = ptr.dtype.address_space
        positive = self.greater_equal(as_signed, 0)
        negative = self.not_(positive)
        other = {"max": "umin", "min": "umax"}[op]
        upper = self._rmw(
            op, self.cast(ptr, T.pointer_type(signed, space)), as_signed, self.and_(mask, positive), sem, scope
        )
        lower = self._rmw(
            other, self.cast(ptr, T.pointer_type(unsigned, space)), as_unsigned, self.and_(mask, negative), sem, scope
        )
        old = self.where(positive, upper, self.bitcast(lower, signed))
        return self.bitcast(old, value.dtype)

    def atomic_load(self, ptr, mask, sem, scope) -> tensor:
        """An "or" with zero on the bits: the old value, and memory stays as it is."""
        self._check_pointer(ptr, "tl.atomic_load")
        element = ptr.dtype.element_ty
        bits = self._bit_pointer(ptr, "tl.atomic_load")
        _, zero, mask = self._atomic_operands(bits, 0, mask, "tl.atomic_load")
        sem, scope = self._access_options(sem, scope, "acquire", "tl.atomic_load")
        return self.bitcast(self._rmw("or", bits, zero, mask, sem, scope), element)

    def atomic_store(self, ptr, value, mask, sem, scope) -> None:
        """An exchange of the bits, whose result nobody uses."""
        self._check_pointer(ptr, "tl.atomic_store")
        _, value, mask = self._atomic_operands(ptr, value, mask, "tl.atomic_store")
        sem, scope = self._access_options(sem, scope, "release", "tl.atomic_store")
        bits = self._bit_pointer(ptr, "tl.atomic_store")
        self._rmw("exch", bits, self.bitcast(value, bits.dtype.element_ty), mask, sem, scope)

    def _bit_pointer(self, ptr: tensor, what: str) -> tensor:
        """`ptr` as a pointer to integers of the elements' width."""
        width = ptr.dtype.element_ty.primitive_bitwidth
        if width not in (16, 32, 64):
            raise ValueError(f"{what}: atomics need elements of 16, 32 or 64 bits, got {ptr.dtype.element_ty!r}")
        return self.cast(ptr, T.pointer_type(T.get_int_dtype(width, True), ptr.dtype.address_space))

    def _access_options(self, sem, scope, default: str, what: str):
        table = {s: s for s in (default, "relaxed")}
        return _option(table, sem or default, f"{what}: sem"), _option(_SCOPES, scope or "gpu", f"{what}: scope")

    def nanoseconds(self, reading: tensor) -> tensor:
        clock = self.codegen_fns.get("nanoseconds")
        if clock is None:
            raise ValueError("the target has no clock that kernels can read, so timeout_ns must be left out")
        return clock(self, self.cast(reading, T.int64))

    def atomic_cas(self, ptr, expected, value, sem, scope) -> tensor:
        self._check_pointer(ptr, "tl.atomic_cas")
        element = ptr.dtype.element_ty
        if element.primitive_bitwidth not in (16, 32, 64):
            raise ValueError(f"tl.atomic_cas needs elements of 16, 32 or 64 bits, got {element!r}")
        sem, scope = self._atomic_options(sem, scope, "tl.atomic_cas")
        expected, _ = self._stored_value(ptr, expected, None, "tl.atomic_cas")
        value, _ = self._stored_value(ptr, value, None, "tl.atomic_cas")
        handle = self.builder.create_atomic_cas(ptr.handle, expected.handle, value.handle, sem, scope)
        return tensor(handle, value.type)


def python_number_target(value, element: T.dtype) -> T.dtype:
    """dtype to make a constant in that is stored as `element`: the element itself for plain numbers."""
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"cannot store {value!r} of type {type(value).__name__}")
    if element.is_ptr():
        return T.int64
    if isinstance(value, float) and element.is_int():
        return T.float32
    return element
