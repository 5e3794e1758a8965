"""Conversions between dtypes. Part of `TritonSemantic`."""

from __future__ import annotations

from . import _types as T
from ._fp8e4b15 import convert
from ._tensor import tensor


class Casts:
    """Value conversions (`cast`) and reinterpretation of bits (`bitcast`)."""

    def cast(self, x: tensor, dtype: T.dtype, fp_downcast_rounding: str | None = None) -> tensor:
        """The values of `x` as `dtype`.

        `fp_downcast_rounding` is "rtne" or "rtz", for narrowing floating-point conversions only (ValueError otherwise).
        """
        dst = dtype.scalar
        src = x.dtype
        narrows = src.is_floating() and dst.is_floating() and dst.primitive_bitwidth <= src.primitive_bitwidth
        if fp_downcast_rounding is not None:
            if not narrows:
                raise ValueError(
                    f"fp_downcast_rounding applies to narrowing floating-point conversions, not to {src!r} -> {dst!r}"
                )
            if fp_downcast_rounding not in ("rtne", "rtz"):
                raise ValueError(f"fp_downcast_rounding must be 'rtne' or 'rtz', got {fp_downcast_rounding!r}")
        if src == dst:
            return x
        if src.is_void() or dst.is_void():
            raise ValueError(f"cannot cast {src!r} to {dst!r}")
        if src.is_floating():
            return self._cast_from_float(x, src, dst, fp_downcast_rounding)
        if src.is_int():
            return self._cast_from_int(x, src, dst)
        return self._cast_from_pointer(x, src, dst)

    def _convert(self, op: str, x: tensor, dst: T.dtype) -> tensor:
        ty = x.type.with_element_ty(dst)
        return tensor(self.builder.create_cast(op, x.handle, ty.to_ir(self.builder)), ty)

    def _check_fp8(self, dtype: T.dtype) -> None:
        supported = getattr(self.options, "supported_fp8_dtypes", None)
        if dtype.is_fp8() and supported is not None and dtype.name not in supported:
            raise ValueError(
                f"type {dtype} is not supported by this target, "
                f"which has {', '.join(sorted(supported)) or 'no fp8 types'}"
            )

    def _cast_from_float(self, x: tensor, src, dst, rounding) -> tensor:
        if dst.is_bool():
            return self.not_equal(x if not src.is_fp8() else self.cast(x, T.float32), 0.0)
        if src.is_fp8() or dst.is_fp8():
            return self._cast_fp8(x, src, dst, rounding)
        if dst.is_floating():
            if src.primitive_bitwidth == dst.primitive_bitwidth:
                return self.cast(self.cast(x, T.float32), dst)
            if src.primitive_bitwidth < dst.primitive_bitwidth:
                return self._convert("arith.extf", x, dst)
            if rounding == "rtz":
                return self._fp_to_fp(x, dst, rounding)
            return self._convert("arith.truncf", x, dst)
        if dst.is_int():
            return self._convert("arith.fptosi" if dst.is_int_signed() else "arith.fptoui", x, dst)
        raise ValueError(f"cannot cast {src!r} to {dst!r}")

    def _fp_to_fp(self, x: tensor, dst, rounding) -> tensor:
        ty = x.type.with_element_ty(dst)
        return tensor(self.builder.create_fp_to_fp(x.handle, ty.to_ir(self.builder), rounding), ty)

    def _cast_fp8(self, x: tensor, src, dst, rounding) -> tensor:
        self._check_fp8(src)
        self._check_fp8(dst)
        custom = self.codegen_fns.get("convert_custom_types")
        if "fp8e4b15" in (src.name, dst.name):
            if custom is not None:
                return custom(x, dst, fp_downcast_rounding=rounding, _semantic=self)
            return convert(self, x, dst, rounding)
        if not dst.is_floating() or (src.is_fp8() and dst.is_fp8()):
            return self.cast(self.cast(x, T.float32), dst, rounding if dst.is_floating() else None)
        narrowing = dst.primitive_bitwidth < src.primitive_bitwidth
        return self._fp_to_fp(x, dst, (rounding or "rtne") if narrowing else None)

    def _cast_from_int(self, x: tensor, src, dst) -> tensor:
        if dst.is_bool():
            return self.not_equal(x, 0)
        if dst.is_int():
            if src.int_bitwidth == dst.int_bitwidth:
                return tensor(x.handle, x.type.with_element_ty(dst))
            if dst.int_bitwidth < src.int_bitwidth:
                return self._convert("arith.trunci", x, dst)
            signed = src.is_int_signed()
            return self._convert("arith.extsi" if signed else "arith.extui", x, dst)
        if dst.is_fp8():
            return self.cast(self.cast(x, T.float32), dst)
        if dst.is_floating():
            signed = src.is_int_signed()
            return self._convert("arith.sitofp" if signed else "arith.uitofp", x, dst)
        if dst.is_ptr():
            return self._convert("tt.int_to_ptr", self.cast(x, T.int64), dst)
        raise ValueError(f"cannot cast {src!r} to {dst!r}")

    def _cast_from_pointer(self, x: tensor, src, dst) -> tensor:
        if dst.is_ptr():
            return self._convert("tt.bitcast", x, dst)
        if dst.is_int() and dst.int_bitwidth == 64:
            return self._convert("tt.ptr_to_int", x, dst)
        if dst.is_bool():
            return self.not_equal(self._convert("tt.ptr_to_int", x, T.int64), 0)
        raise ValueError(f"cannot cast {src!r} to {dst!r}: a pointer converts to 64-bit integers, int1 and pointers")

    def bitcast(self, x: tensor, dtype: T.dtype) -> tensor:
        """The bits of `x` as `dtype`, which has the same width (ValueError otherwise)."""
        dst = dtype.scalar
        src = x.dtype
        if src == dst:
            return x
        if src.is_ptr() or dst.is_ptr():
            return self.cast(x, dst)
        if src.primitive_bitwidth != dst.primitive_bitwidth:
            raise ValueError(
                f"cannot bitcast {src!r} of {src.primitive_bitwidth} bits to {dst!r} of {dst.primitive_bitwidth} bits"
            )
        if (src.is_int() or src.name == "fp8e4b15") and (dst.is_int() or dst.name == "fp8e4b15"):
            return tensor(x.handle, x.type.with_element_ty(dst))
        return self._convert("tt.bitcast", x, dst)
