"""The builder that computes: it has the methods of `libtriton.ir.builder` that the semantic calls, on NumPy arrays.

Where the IR would name a type, it takes and gives `elements.Element` and `elements.Block`; where it would name a value,
`elements.Value`. Values of one program are scalars (rank 0) and blocks; inside of a combine function "scalars" may be
arrays, one element per lane, as every operation works element by element.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np

from . import arithmetic, assembly, functions, libm, products
from . import elements as E
from .elements import Block, Element, Value, element_of
from .floats import decode, encode
from .memory import Memory, MemoryFault, Unreadable, rmw_function
from .printing import print_values
from .regions import MapRegion, ReduceRegion, ScanRegion


class DeviceAssertion(Exception):
    """A `tl.device_assert` did not hold."""


def _filled(scalar: np.ndarray, shape: tuple) -> np.ndarray:
    """An array of `shape` in which every element is `scalar`, in the memory of one. Nothing writes to values."""
    return np.ndarray(shape, scalar.dtype, np.asarray(scalar), 0, (0,) * len(shape))


def _block_of_lanes(scalar: np.ndarray, shape: tuple) -> np.ndarray:
    """A block of one element in a function of scalars, which has an element per lane; see regions.py."""
    if math.prod(shape) != 1:
        raise ValueError(f"a function of scalars makes a block of shape {tuple(shape)}; it may have one element only")
    return scalar


class TypeMethods:
    """Types, attributes and constants."""

    def get_void_ty(self) -> Element:
        return E.NONE

    def get_block_ty(self, element: Element, shape: Any) -> Block:
        return Block(element, shape)

    def get_ptr_ty(self, element: Element, address_space: int = 1) -> Element:
        return E.pointer(element)

    def get_int32_attr(self, value: int) -> int:
        return value

    def get_int32_tensor_attr(self, values: list) -> list:
        return values

    def create_constant(self, ir_type: Element | Block, number: Any) -> Value:
        """A number, or a block filled with it. Integers wrap, floats round to nearest even."""
        element = element_of(ir_type)
        if element.kind == "float":
            data = encode(element, np.asarray(number, np.float64))
        elif element is E.I1:
            data = np.asarray(bool(number))
        else:
            data = np.asarray(int(number) % 2**element.bits, element.unsigned).view(element.storage)
        return Value(element, _filled(data, ir_type.shape) if isinstance(ir_type, Block) else data)

    def create_poison(self, ir_type: Element | Block) -> Value:
        return self.create_constant(ir_type, 0)


for _name, _element in {
    "int1": E.I1,
    "int8": E.I8,
    "int16": E.I16,
    "int32": E.I32,
    "int64": E.I64,
    "half": E.F16,
    "bf16": E.BF16,
    "float": E.F32,
    "double": E.F64,
    "fp8e4nv": E.F8E4M3FN,
    "fp8e5": E.F8E5M2,
    "fp8e4b8": E.F8E4M3FNUZ,
    "fp8e5b16": E.F8E5M2FNUZ,
    "fp8e4b15": E.I8,
}.items():
    setattr(TypeMethods, f"get_{_name}_ty", lambda self, element=_element: element)


class ElementMethods:
    """Operations on each element."""

    def create_unary(self, op: str, x: Value) -> Value:
        return functions.unary(op, x)

    def create_binary(self, op: str, a: Value, b: Value) -> Value:
        return arithmetic.binary(op, a, b)

    def create_cast(self, op: str, x: Value, ir_type: Element | Block) -> Value:
        return arithmetic.convert(op, x, element_of(ir_type))

    def create_fp_to_fp(self, x: Value, ir_type: Element | Block, rounding: str | None) -> Value:
        return arithmetic.float_to_float(x, element_of(ir_type), rounding == "rtz")

    def create_cmpi(self, predicate: str, a: Value, b: Value) -> Value:
        return arithmetic.compare_integers(predicate, a, b)

    def create_cmpf(self, predicate: str, a: Value, b: Value) -> Value:
        return arithmetic.compare_floats(predicate, a, b)

    def create_fma(self, a: Value, b: Value, c: Value) -> Value:
        return arithmetic.fused_multiply_add(a, b, c)

    def create_select(self, condition: Value, a: Value, b: Value) -> Value:
        return Value(a.element, np.where(condition.data, a.data, b.data))

    def create_clampf(self, x: Value, low: Value, high: Value, propagate_nan: str) -> Value:
        suffix = "imumf" if propagate_nan == "all" else "numf"
        return arithmetic.binary(f"arith.min{suffix}", arithmetic.binary(f"arith.max{suffix}", x, low), high)

    def create_addptr(self, pointer: Value, offset: Value) -> Value:
        pointee = pointer.element.pointee
        size = np.int64(pointee.storage.itemsize)
        return Value(pointer.element, pointer.data + offset.data.astype(np.int64) * size)

    def create_extern_elementwise(
        self, lib_name: str, lib_path: str, symbol: str, args: list, ir_type: Element | Block, is_pure: bool
    ) -> Value:
        result = element_of(ir_type)
        return Value(result, libm.call(lib_path, symbol, args, result))

    def create_inline_asm(
        self, asm: str, constraints: str, args: list[Value], ir_types: list, is_pure: bool, pack: int
    ) -> list[Value]:
        return assembly.run(asm, constraints, args, ir_types, pack)


class ShapeMethods:
    """Making and rearranging blocks."""

    def create_make_range(self, start: int, end: int) -> Value:
        return Value(E.I32, np.arange(start, end, dtype=np.int32))

    def create_splat(self, scalar: Value, shape: Any) -> Value:
        make = _block_of_lanes if scalar.data.ndim else _filled
        return Value(scalar.element, make(scalar.data, shape))

    def create_unsplat(self, block: Value) -> Value:
        return Value(block.element, block.data.reshape(()) if block.data.size == 1 else block.data)

    def create_expand_dims(self, block: Value, axis: int) -> Value:
        return Value(block.element, np.expand_dims(block.data, axis))

    def create_broadcast(self, block: Value, shape: Any) -> Value:
        return Value(block.element, np.broadcast_to(block.data, shape))

    def create_reshape(self, block: Value, shape: Any, allow_reorder: bool) -> Value:
        return Value(block.element, block.data.reshape(shape))

    def create_trans(self, block: Value, order: Any) -> Value:
        return Value(block.element, np.transpose(block.data, order))

    def create_cat(self, a: Value, b: Value, ir_type: Block) -> Value:
        return Value(a.element, np.concatenate([a.data, b.data]))

    def create_join(self, a: Value, b: Value) -> Value:
        return Value(a.element, np.stack([a.data, b.data], axis=-1))

    def create_split(self, block: Value) -> list:
        return [Value(block.element, block.data[..., i]) for i in (0, 1)]

    def create_gather(self, source: Value, index: Value, axis: int) -> Value:
        where = index.data.view(index.element.unsigned)
        size = source.data.shape[axis]
        if self.muted:
            where = where % size
        elif int(where.max()) >= size:
            wrong = index.data.ravel()[where.argmax()]
            raise IndexError(f"tl.gather: index {wrong} is outside of 0 .. {size - 1}")
        return Value(source.element, np.take_along_axis(source.data, where.astype(np.int64), axis))

    def create_histogram(self, block: Value, ir_type: Block, mask: Value | None) -> Value:
        bins = ir_type.shape[0]
        values = block.data if mask is None else block.data[mask.data]
        values = values[(values >= 0) & (values < bins)]
        return Value(E.I32, np.bincount(values, minlength=bins).astype(np.int32))


class MemoryMethods:
    """Loads, stores, atomics. While the builder is muted they do nothing and give zeros."""

    memory: Memory
    muted: bool

    def create_load(self, pointer: Value, mask, other, cache: str, evict: str, is_volatile: bool) -> Value:
        element = pointer.element.pointee
        addresses = np.asarray(pointer.data)
        if self.muted:
            return Value(element, np.zeros(addresses.shape, element.storage))
        mask, other = (None if v is None else v.data for v in (mask, other))
        try:
            return Value(element, self.memory.load(element, addresses, mask, other))
        except MemoryFault as fault:
            if is_volatile:
                raise
            file, line, _ = self.location
            return Unreadable(element, MemoryFault(f"load of {fault}, at {file}:{line}"))

    def create_store(self, pointer: Value, value: Value, mask, cache: str, evict: str) -> None:
        if not self.muted:
            mask = None if mask is None else mask.data
            self.memory.store(pointer.element.pointee, np.asarray(pointer.data), value.data, mask)

    def create_atomic_rmw(self, op: str, pointer: Value, value: Value, mask, sem: str, scope: str) -> Value:
        element, addresses = value.element, np.asarray(pointer.data)
        if self.muted:
            return Value(element, np.zeros(addresses.shape, element.storage))
        given = np.broadcast_to(value.data, addresses.shape).ravel()
        combine = rmw_function(op, element)
        mask = None if mask is None else mask.data
        old = self.memory.read_modify_write(element, addresses, mask, lambda old, at: combine(old, given[at]))
        return Value(element, old)

    def create_atomic_cas(self, pointer: Value, expected: Value, value: Value, sem: str, scope: str) -> Value:
        element, addresses = value.element, np.asarray(pointer.data)
        if self.muted:
            return Value(element, np.zeros(addresses.shape, element.storage))
        want, given = (np.broadcast_to(v.data, addresses.shape).ravel() for v in (expected, value))
        bits = element.unsigned  # floats are compared by their bits, as the hardware does

        def update(old: np.ndarray, at: np.ndarray) -> np.ndarray:
            return np.where(old.view(bits) == want[at].view(bits), given[at], old)

        return Value(element, self.memory.read_modify_write(element, addresses, None, update))


class CompoundMethods:
    """Products, and operations with a region."""

    def create_dot(self, a: Value, b: Value, acc: Value, precision: str, max_imprecise: int) -> Value:
        return products.dot(a, b, acc)

    def create_dot_scaled(
        self, a, a_scale, a_format, b, b_scale, b_format, acc, fast_math, lhs_k_pack, rhs_k_pack
    ) -> Value:
        return products.dot_scaled(a, a_scale, a_format, b, b_scale, b_format, acc, lhs_k_pack, rhs_k_pack)

    def create_reduce(self, operands: list, axis: int) -> ReduceRegion:
        return ReduceRegion(self, operands, axis)

    def create_scan(self, operands: list, axis: int, reverse: bool) -> ScanRegion:
        return ScanRegion(self, operands, axis, reverse)

    def create_map_elementwise(self, operands: list, pack: int) -> MapRegion:
        return MapRegion(self, operands, pack)

    def region_results(self, values: list) -> None:
        """What ends a region: its results are kept for the operation that runs it."""
        self.results = values

    create_reduce_ret = create_scan_ret = region_results


class NumpyBuilder(TypeMethods, ElementMethods, ShapeMethods, MemoryMethods, CompoundMethods):
    """Computes the operations of one program after the other; `program` and `grid` say which."""

    def __init__(self, memory: Memory, grid: tuple[int, int, int]):
        self.memory = memory
        self.grid = grid
        self.program = (0, 0, 0)
        self.muted = False
        self.location: tuple[str, int, int] = ("", 0, 0)
        self.results: list = []

    # --- positions: there is only "now" ---
    def set_loc(self, *location: Any) -> None:
        self.location = location[0] if len(location) == 1 else location

    def set_name(self, value: Value, name: str) -> None:
        """Values are printed by the names in the scope."""

    def set_inlined_loc(self, file: str, line: int, column: int, *call: Any) -> None:
        self.set_loc(file, line, column)

    def get_loc(self) -> tuple[str, int, int]:
        return self.location

    def get_insertion_point(self) -> None:
        return None

    def restore_insertion_point(self, point: None) -> None:
        pass

    def set_insertion_point_to_end(self, block: Any) -> None:
        pass

    @contextlib.contextmanager
    def without_effects(self):
        """For finding out the type of what is not executed: nothing touches memory or prints."""
        before, self.muted = self.muted, True
        try:
            yield
        finally:
            self.muted = before

    # --- the program ---
    def create_get_program_id(self, axis: int) -> Value:
        return Value(E.I32, np.asarray(self.program[axis], np.int32))

    def create_get_num_programs(self, axis: int) -> Value:
        return Value(E.I32, np.asarray(self.grid[axis], np.int32))

    def create_barrier(self) -> None:
        """One thread runs a program, so there is nobody to wait for."""

    def create_assume(self, condition: Value) -> None:
        if not self.muted and not np.all(condition.data):
            raise DeviceAssertion("tl.assume: the condition does not hold; compiled code may do anything")

    def create_print(self, prefix: str, as_hex: bool, values: list, signed: list) -> None:
        if not self.muted:
            print_values(self.program, prefix, as_hex, values, signed)

    def create_assert(self, condition: Value, message: str) -> None:
        if not self.muted and not np.all(condition.data):
            x, y, z = self.program
            raise DeviceAssertion(f"device assertion failed in program ({x}, {y}, {z}): {message}")


def as_number(value: Value) -> Any:
    """The Python number that a scalar holds."""
    if value.element.kind == "float":
        return float(decode(value.element, value.data))
    number = value.data.item()
    return number if not isinstance(number, float) or not math.isnan(number) else math.nan
