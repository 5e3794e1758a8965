"""Dots, reductions, scans, hints, debugging, foreign code. Part of `TritonSemantic`."""

from __future__ import annotations

import re
from math import prod

from . import _types as T
from ._semantic_shape import normalize_axis
from ._tensor import tensor

_PRECISIONS = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
_SCALED_FORMATS = ("e2m1", "e4m3", "e5m2", "bf16", "fp16")


class Compound:
    """What combines many elements, and what has no effect on values."""

    # --- dot ---
    def default_precision(self):
        """The precision that the user's environment asks for, None when it does not."""
        from .. import knobs

        return knobs.language.fp32_default

    def _dot_precision(self, requested) -> str:
        allowed = tuple(getattr(self.options, "allowed_dot_input_precisions", _PRECISIONS))
        default = getattr(self.options, "default_dot_input_precision", None) or "ieee"
        precision = (requested or default).lower()
        if precision not in _PRECISIONS:
            raise ValueError(f"input_precision must be one of {', '.join(_PRECISIONS)}; got {requested!r}")
        if precision not in allowed:
            if requested is None:
                return "ieee"
            raise ValueError(
                f"input_precision {precision!r} is not available on this target; it has {', '.join(allowed)}"
            )
        return precision

    @staticmethod
    def _check_dot_types(a: T.dtype, b: T.dtype) -> None:
        if a.is_fp8() and b.is_fp8():
            return
        if a != b:
            raise ValueError(f"tl.dot: both operands must have the same dtype, got {a!r} and {b!r}")
        if a.name not in ("int8", "uint8", "fp16", "bf16", "fp32", "fp64"):
            raise ValueError(f"tl.dot: dtype {a!r} is not supported; use int8, uint8, fp8, fp16, bf16, fp32 or fp64")

    @staticmethod
    def _dot_result(a: T.dtype, out_dtype: T.dtype) -> T.dtype:
        if a.is_int():
            return T.int32
        if a.name == "fp64":
            return T.float64
        if out_dtype.is_bf16():
            raise ValueError(
                "tl.dot: out_dtype=bfloat16 is not supported; use float32 or float16 and convert the result"
            )
        if a.name in ("fp32", "bf16"):
            return T.float32
        return out_dtype

    def dot(self, a: tensor, b: tensor, acc, input_precision, max_num_imprecise_acc, out_dtype) -> tensor:
        for name, operand in (("first", a), ("second", b)):
            if not isinstance(operand, tensor) or not operand.type.is_block():
                raise ValueError(
                    f"tl.dot: the {name} operand must be a matrix, got {getattr(operand, 'type', operand)}"
                )
        self._check_dot_types(a.dtype, b.dtype)
        self._check_fp8(a.dtype)
        self._check_fp8(b.dtype)
        a_shape, b_shape = a.type.shape, b.type.shape
        rank = len(a_shape)
        if rank < 2 or rank != len(b_shape):
            raise ValueError(
                f"tl.dot: both operands must be matrices or batches of matrices of equal rank, got shapes "
                f"{list(a_shape)} and {list(b_shape)}"
            )
        if a_shape[-1] != b_shape[-2]:
            raise ValueError(
                f"tl.dot: first operand {list(a_shape)} and second operand {list(b_shape)} do not match: "
                f"the last dimension ({a_shape[-1]}) must equal the last but one of the second ({b_shape[-2]})"
            )
        if a_shape[:-2] != b_shape[:-2]:
            raise ValueError(f"tl.dot: batch dimensions differ: {list(a_shape[:-2])} and {list(b_shape[:-2])}")
        if rank > 3:
            return self._batched_dot(a, b, acc, input_precision, max_num_imprecise_acc, out_dtype)
        self._check_dot_size(a, b)
        if acc is not None and not isinstance(acc, tensor):
            raise TypeError(f"tl.dot: the accumulator must be a tensor, got {acc}")
        if out_dtype is None:
            out_dtype = acc.dtype if acc is not None and acc.dtype.is_floating() else T.float32
        result = self._dot_result(a.dtype, out_dtype)
        ty = T.block_type(result, [*a_shape[:-1], b_shape[-1]])
        if acc is None:
            acc = self.full(ty.shape, 0, result)
        elif acc.type != ty:
            raise ValueError(f"tl.dot: the accumulator has type {acc.type}, the result {ty}")
        imprecise = max_num_imprecise_acc
        if imprecise is None:
            both_fp8 = a.dtype.is_fp8() and b.dtype.is_fp8()
            imprecise = getattr(self.options, "max_num_imprecise_acc_default", 0) if both_fp8 else 0
        precision = self._dot_precision(input_precision) if a.dtype.is_fp32() else "ieee"
        if a.dtype.name == "uint8":
            # tt.dot reads integers as signed; the next wider type holds the same values.
            a, b = self.cast(a, T.int16), self.cast(b, T.int16)
        handle = self.builder.create_dot(a.handle, b.handle, acc.handle, precision, imprecise or 0)
        return tensor(handle, ty)

    def _check_dot_size(self, a: tensor, b: tensor) -> None:
        smallest = self.codegen_fns.get("min_dot_size")
        if smallest is None:
            return
        min_m, min_n, min_k = smallest(a.type, b.type)
        m, k, n = a.type.shape[-2], a.type.shape[-1], b.type.shape[-1]
        if m < min_m or n < min_n or k < min_k:
            raise ValueError(
                f"tl.dot: M={m} N={n} K={k} is too small for this target, "
                f"which needs M >= {min_m}, N >= {min_n}, K >= {min_k}"
            )

    def _batched_dot(self, a, b, acc, input_precision, max_num_imprecise_acc, out_dtype) -> tensor:
        """Folds leading dimensions into one."""
        batch = a.type.shape[:-2]

        def fold(x):
            return self.reshape(x, [prod(batch), *x.type.shape[-2:]], False)

        result = self.dot(
            fold(a), fold(b), None if acc is None else fold(acc), input_precision, max_num_imprecise_acc, out_dtype
        )
        return self.reshape(result, [*batch, *result.type.shape[-2:]], False)

    def dot_scaled(
        self, lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc, fast_math, lhs_k_pack, rhs_k_pack, out_dtype
    ) -> tensor:
        for name, operand in (("lhs", lhs), ("rhs", rhs)):
            if not isinstance(operand, tensor):
                raise TypeError(f"tl.dot_scaled: {name} must be a matrix, got {operand}")
        for side, fmt in (("lhs", lhs_format), ("rhs", rhs_format)):
            if fmt not in _SCALED_FORMATS:
                raise ValueError(
                    f"tl.dot_scaled: {side}_format {fmt!r} is not supported; use one of {', '.join(_SCALED_FORMATS)}"
                )
        if len(lhs.type.get_block_shapes()) not in (2, 3):
            raise ValueError(
                f"tl.dot_scaled: operands must have rank 2 or 3, got shape {list(lhs.type.get_block_shapes())}"
            )
        lhs, rhs = self._as_format(lhs, lhs_format, "lhs"), self._as_format(rhs, rhs_format, "rhs")
        *batch, m, k = lhs.type.shape
        *_, k_rhs, n = rhs.type.shape
        if lhs_format == "e2m1":
            m, k = (m, 2 * k) if lhs_k_pack else (2 * m, k)
        if rhs_format == "e2m1":
            k_rhs, n = (2 * k_rhs, n) if rhs_k_pack else (k_rhs, 2 * n)
        if k != k_rhs:
            raise ValueError(
                f"tl.dot_scaled: K is {k} for lhs {list(lhs.type.shape)} ({lhs_format}) and {k_rhs} for rhs "
                f"{list(rhs.type.shape)} ({rhs_format})"
            )
        self._check_scale(lhs_scale, [*batch, m, k // 32], "lhs_scale")
        self._check_scale(rhs_scale, [*batch, n, k // 32], "rhs_scale")
        ty = T.block_type(out_dtype, [*batch, m, n])
        if acc is None:
            acc = self.full(ty.shape, 0, out_dtype)
        elif acc.type != ty:
            raise ValueError(f"tl.dot_scaled: the accumulator has type {acc.type}, the result {ty}")
        handle = self.builder.create_dot_scaled(
            lhs.handle,
            None if lhs_scale is None else lhs_scale.handle,
            lhs_format,
            rhs.handle,
            None if rhs_scale is None else rhs_scale.handle,
            rhs_format,
            acc.handle,
            fast_math,
            lhs_k_pack,
            rhs_k_pack,
        )
        return tensor(handle, ty)

    def _as_format(self, x: tensor, fmt: str, side: str) -> tensor:
        wanted = {"e5m2": T.float8e5, "e4m3": T.float8e4nv, "bf16": T.bfloat16, "fp16": T.float16}.get(fmt)
        if wanted is None:
            if x.dtype not in (T.uint8, T.int8):
                raise ValueError(f"tl.dot_scaled: {side} in format e2m1 must be packed in uint8, got {x.dtype!r}")
            return x
        if x.dtype == wanted:
            return x
        if x.dtype.is_int() and x.dtype.primitive_bitwidth == wanted.primitive_bitwidth:
            return self.bitcast(x, wanted)
        raise ValueError(f"tl.dot_scaled: {side} in format {fmt} has dtype {x.dtype!r}")

    @staticmethod
    def _check_scale(scale, shape, name: str) -> None:
        if scale is None:
            return
        if scale.dtype.primitive_bitwidth != 8 or list(scale.type.get_block_shapes()) != shape:
            raise ValueError(f"tl.dot_scaled: {name} must be uint8 of shape {shape}, got {scale.type}")

    # --- reduce and scan ---
    def reduction(self, inputs, axis: int | None, make_region) -> tuple:
        """`make_region(block)` fills in the combination of two groups of scalars."""
        if axis is None:
            inputs = [self.reshape(x, (x.numel.value,), True) for x in inputs]
            axis = 0
        rank = len(inputs[0].type.get_block_shapes())
        if rank == 0:
            return tuple(inputs)
        axis = normalize_axis(axis, rank, "tl.reduce")
        self._check_same_shape(inputs, "tl.reduce")
        op = self.builder.create_reduce([x.handle for x in inputs], axis)
        make_region(op.get_body())
        shape = [d for i, d in enumerate(inputs[0].type.shape) if i != axis]
        return tuple(
            tensor(op.get_result(i), T.block_type(x.dtype, shape) if shape else x.dtype) for i, x in enumerate(inputs)
        )

    def associative_scan(self, inputs, axis: int, reverse: bool, make_region) -> tuple:
        rank = len(inputs[0].type.get_block_shapes())
        if rank == 0:
            return tuple(inputs)
        axis = normalize_axis(axis, rank, "tl.associative_scan")
        self._check_same_shape(inputs, "tl.associative_scan")
        op = self.builder.create_scan([x.handle for x in inputs], axis, reverse)
        make_region(op.get_body())
        return tuple(tensor(op.get_result(i), x.type) for i, x in enumerate(inputs))

    @staticmethod
    def _check_same_shape(inputs, what: str) -> None:
        shapes = [x.type.get_block_shapes() for x in inputs]
        if any(s != shapes[0] for s in shapes):
            raise ValueError(
                f"{what}: all inputs must have the same shape, got {', '.join(str(list(s)) for s in shapes)}"
            )

    # --- hints ---
    def _set_hint(self, x: tensor, name: str, values, what: str) -> tensor:
        rank = max(1, len(x.type.get_block_shapes()))
        if len(values) != rank:
            raise ValueError(f"{what}: the tensor has rank {rank} and needs as many values, got {values}")
        x.handle.set_attr(name, self.builder.get_int32_tensor_attr(values))
        return x

    def multiple_of(self, x, values):
        return self._set_hint(x, "tt.divisibility", values, "tl.multiple_of")

    def max_contiguous(self, x, values):
        return self._set_hint(x, "tt.contiguity", values, "tl.max_contiguous")

    def max_constancy(self, x, values):
        return self._set_hint(x, "tt.constancy", values, "tl.max_constancy")

    def assume(self, condition) -> None:
        self.builder.create_assume(self.truth(condition).handle)

    # --- debugging ---
    def debug_barrier(self) -> None:
        self.builder.create_barrier()

    def device_print(self, prefix: str, args, hex: bool) -> None:
        # Readers of the output recognise values by " name: ".
        prefix = prefix.strip()
        prefix = f" {prefix}" if prefix else prefix
        if args:
            prefix = prefix.rstrip(":").rstrip() + ": " if prefix else " "
        args = [self.to_tensor(a) for a in args]
        signed = [int(a.dtype.is_int_signed()) for a in args]
        self.builder.create_print(prefix, hex, [a.handle for a in args], signed)

    def device_assert(self, condition, message: str, mask) -> None:
        """Nothing unless the kernel is compiled with `debug`."""
        if not getattr(self.options, "debug", False):
            return
        condition = self.truth(condition)
        if mask is not None:
            condition = self.or_(condition, self.not_(mask))
        self.builder.create_assert(condition.handle, message)

    # --- foreign code ---
    def extern_elementwise(self, lib_name, lib_path, args, table: dict, is_pure: bool) -> tensor:
        """Call the symbol that `table` ({(dtype, ...): (symbol, result dtype)}) has for the types of `args`."""
        args = [self.to_tensor(a) for a in args]
        dtypes = tuple(a.dtype for a in args)
        if dtypes not in table:
            dtypes = self._nearest_signature(dtypes, table)
            args = [self.cast(a, t) for a, t in zip(args, dtypes)]
        symbol, result = table[dtypes]
        shaped = args[0]
        for a in args[1:]:
            shaped, _ = self.broadcast_pair(shaped, a)
        shape = shaped.type.get_block_shapes()
        args = [self.broadcast_to(a, shape) if shape else a for a in args]
        ty = T.block_type(result, shape) if shape else result
        handle = self.builder.create_extern_elementwise(
            lib_name, lib_path, symbol, [a.handle for a in args], ty.to_ir(self.builder), is_pure
        )
        return tensor(handle, ty)

    def _nearest_signature(self, dtypes, table: dict):
        """The signature that mixed arguments promote to."""
        common = dtypes[0]
        for other in dtypes[1:]:
            common = self.computation_type(common, False, other, False, False)
        wanted = (common,) * len(dtypes)
        if wanted in table:
            return wanted
        known = "; ".join(", ".join(str(t) for t in signature) for signature in table)
        raise ValueError(
            f"no function for argument types ({', '.join(str(t) for t in dtypes)}); there are functions for: {known}"
        )

    def inline_asm(self, asm: str, constraints: str, args, dtypes, is_pure: bool, pack: int):
        check = self.codegen_fns.get("check_inline_asm")
        if check is not None:
            check(asm)
        args = [self.to_tensor(a) for a in args]
        shape: tuple = ()
        if args:
            shaped = args[0]
            for a in args[1:]:
                shaped, _ = self.broadcast_pair(shaped, a)
            shape = shaped.type.get_block_shapes()
            args = [self.broadcast_to(a, shape) if shape else a for a in args]
        outputs = len(re.findall(r"(?:^|,)\s*=", constraints))
        if outputs and outputs < len(dtypes):
            raise ValueError(f"inline assembly has {outputs} outputs in {constraints!r} but {len(dtypes)} dtypes")
        types = [T.block_type(t, shape) if shape else t for t in dtypes]
        handles = self.builder.create_inline_asm(
            asm, constraints, [a.handle for a in args], [t.to_ir(self.builder) for t in types], is_pure, pack
        )
        return [tensor(h, t) for h, t in zip(handles, types)]
