//===- EmitFloat.cpp - conversions between float formats --------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// f32 is the hub of all conversions. bf16 and the formats of one byte are
// integers here, so their conversions are integer arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

Value Emitter::floatCast(Value v, Type from, Type to, bool towardZero) {
  if (from == to)
    return v;
  bool isNarrow = cast<FloatType>(to).getWidth() < 32;
  if (from.isF64()) {
    if (!isNarrow)
      return arith::TruncFOp::create(b, loc, to, v);
    // Rounding twice is harmless if the first step rounds to odd.
    return fromF32(f64ToOddF32(v), to, towardZero);
  }
  Value middle = toF32(v, from);
  if (to.isF64())
    return arith::ExtFOp::create(b, loc, to, middle);
  return fromF32(middle, to, towardZero);
}

Value Emitter::toF32(Value v, Type from) {
  Type f32 = b.getF32Type();
  if (from.isF32())
    return v;
  if (from.isF16())
    return arith::ExtFOp::create(b, loc, f32, v);
  if (!from.isBF16())
    return fromFloat8(v, from);
  Value bits = extend(v, b.getI32Type(), false);
  bits = arith::ShLIOp::create(b, loc, bits, i32(16));
  return arith::BitcastOp::create(b, loc, f32, bits);
}

Value Emitter::fromF32(Value v, Type to, bool towardZero) {
  if (to.isF32())
    return v;
  if (to.isF16())
    return toF16(v, towardZero);
  return to.isBF16() ? toBF16(v, towardZero) : toFloat8(v, to, towardZero);
}

/// Truncated, with the last bit set where something was cut off.
Value Emitter::f64ToOddF32(Value v) {
  Type f32 = b.getF32Type(), type = b.getI32Type();
  Value near = arith::TruncFOp::create(b, loc, f32, v);
  Value back = arith::ExtFOp::create(b, loc, v.getType(), near);
  Value isInexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, v);
  Value isAbove = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                        math::AbsFOp::create(b, loc, back),
                                        math::AbsFOp::create(b, loc, v));
  Value bits = arith::BitcastOp::create(b, loc, type, near);
  Value down =
      arith::SubIOp::create(b, loc, bits, extend(isAbove, type, false));
  Value odd = arith::OrIOp::create(b, loc, down, i32(1));
  bits = arith::SelectOp::create(b, loc, isInexact, odd, bits);
  return arith::BitcastOp::create(b, loc, f32, bits);
}

Value Emitter::toBF16(Value v, bool towardZero) {
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), v);
  Value high = arith::ShRUIOp::create(b, loc, bits, i32(16));
  Value rounded = high;
  if (!towardZero) {
    Value odd = arith::AndIOp::create(b, loc, high, i32(1));
    Value bias = arith::AddIOp::create(b, loc, odd, i32(0x7fff));
    rounded = arith::AddIOp::create(b, loc, bits, bias);
    rounded = arith::ShRUIOp::create(b, loc, rounded, i32(16));
  }
  Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, v, v);
  Value quiet = arith::OrIOp::create(b, loc, high, i32(0x40));
  rounded = arith::SelectOp::create(b, loc, isNan, quiet, rounded);
  return arith::TruncIOp::create(b, loc, b.getI16Type(), rounded);
}

Value Emitter::toF16(Value v, bool towardZero) {
  Type f16 = b.getF16Type(), i16 = b.getI16Type();
  Value near = arith::TruncFOp::create(b, loc, f16, v);
  if (!towardZero)
    return near;
  Value back = arith::ExtFOp::create(b, loc, b.getF32Type(), near);
  Value isAbove = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                        math::AbsFOp::create(b, loc, back),
                                        math::AbsFOp::create(b, loc, v));
  Value bits = arith::BitcastOp::create(b, loc, i16, near);
  bits = arith::SubIOp::create(b, loc, bits, extend(isAbove, i16, false));
  return arith::BitcastOp::create(b, loc, f16, bits);
}

namespace {
/// A float format of one byte. Source: OCP 8-bit floating point specification
/// and the "fnuz" variants that MLIR documents for its types.
struct Float8 {
  int mantissa, bias;
  bool hasInf; ///< the all-ones exponent is inf and NaN as in IEEE
  bool fnuz;   ///< one NaN, 0x80; no negative zero

  int64_t nan() const { return fnuz ? 0x80 : 0x7f; }
  int64_t largest() const { return hasInf ? 0x7b : fnuz ? 0x7f : 0x7e; }
};

constexpr int64_t kF32Inf = 0x7f800000, kF32Nan = 0x7fc00000;
} // namespace

static Float8 float8Format(Type type) {
  if (isa<Float8E5M2Type>(type))
    return {2, 15, true, false};
  if (isa<Float8E5M2FNUZType>(type))
    return {2, 16, false, true};
  if (isa<Float8E4M3FNUZType>(type))
    return {3, 8, false, true};
  return {3, 7, false, false};
}

Value Emitter::fromFloat8(Value v, Type from) {
  Float8 f = float8Format(from);
  Type type = b.getI32Type(), f32 = b.getF32Type();
  auto compare = [&](arith::CmpIPredicate predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, predicate, x, i32(y));
  };
  Value bits = extend(v, type, false);
  Value magnitude = arith::AndIOp::create(b, loc, bits, i32(0x7f));
  // An f32 with a wrong exponent, then one exact multiplication, which also
  // normalises subnormal numbers.
  Value shifted =
      arith::ShLIOp::create(b, loc, magnitude, i32(23 - f.mantissa));
  Value raw = arith::BitcastOp::create(b, loc, f32, shifted);
  Value scaled = arith::MulFOp::create(
      b, loc, raw, real(f32, std::ldexp(1.0, 127 - f.bias)));
  Value result = arith::BitcastOp::create(b, loc, type, scaled);
  auto replace = [&](Value where, Value with) {
    result = arith::SelectOp::create(b, loc, where, with, result);
  };
  if (f.hasInf)
    replace(compare(arith::CmpIPredicate::uge, magnitude, 0x7c),
            arith::OrIOp::create(b, loc, shifted, i32(kF32Inf)));
  else if (!f.fnuz)
    replace(compare(arith::CmpIPredicate::eq, magnitude, f.nan()),
            i32(kF32Nan));
  Value sign = arith::AndIOp::create(b, loc, bits, i32(0x80));
  sign = arith::ShLIOp::create(b, loc, sign, i32(24));
  result = arith::OrIOp::create(b, loc, result, sign);
  if (f.fnuz)
    replace(compare(arith::CmpIPredicate::eq, bits, f.nan()), i32(kF32Nan));
  return arith::BitcastOp::create(b, loc, f32, result);
}

Value Emitter::toFloat8(Value v, Type to, bool towardZero) {
  Float8 f = float8Format(to);
  Type type = b.getI32Type(), f32 = b.getF32Type();
  auto select = [&](Value where, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, where, x, y);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, predicate, x, i32(y));
  };
  auto asBits = [&](Value x) -> Value {
    return arith::BitcastOp::create(b, loc, type, x);
  };
  Value bits = asBits(v);
  Value magnitude = arith::AndIOp::create(b, loc, bits, i32(0x7fffffff));
  // Normal results: round the mantissa in place and move the exponent.
  int drop = 23 - f.mantissa;
  Value normal = magnitude;
  if (!towardZero) {
    Value odd = arith::ShRUIOp::create(b, loc, magnitude, i32(drop));
    odd = arith::AndIOp::create(b, loc, odd, i32(1));
    Value half = arith::AddIOp::create(b, loc, odd, i32((1 << (drop - 1)) - 1));
    normal = arith::AddIOp::create(b, loc, magnitude, half);
  }
  normal = arith::ShRUIOp::create(b, loc, normal, i32(drop));
  normal = arith::SubIOp::create(
      b, loc, normal, i32(static_cast<int64_t>(127 - f.bias) << f.mantissa));
  // Subnormal results: adding a power of two whose last place is the smallest
  // subnormal leaves the result in the low bits.
  Value magic = real(f32, std::ldexp(1.0, 1 - f.bias - f.mantissa + 23));
  Value absolute = arith::BitcastOp::create(b, loc, f32, magnitude);
  Value sum = arith::AddFOp::create(b, loc, absolute, magic);
  Value subnormal = arith::SubIOp::create(b, loc, asBits(sum), asBits(magic));
  if (towardZero) {
    Value back = arith::SubFOp::create(b, loc, sum, magic);
    Value isAbove = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                          back, absolute);
    subnormal =
        arith::SubIOp::create(b, loc, subnormal, extend(isAbove, type, false));
  }
  Value isSubnormal = compare(arith::CmpIPredicate::ult, magnitude,
                              static_cast<int64_t>(128 - f.bias) << 23);
  Value result = select(isSubnormal, subnormal, normal);
  // Out of range saturates, infinities included where the format has none.
  result = arith::MinUIOp::create(b, loc, result, i32(f.largest()));
  if (f.hasInf)
    result = select(compare(arith::CmpIPredicate::eq, magnitude, kF32Inf),
                    i32(0x7c), result);
  Value sign = arith::ShRUIOp::create(b, loc, bits, i32(24));
  sign = arith::AndIOp::create(b, loc, sign, i32(0x80));
  if (f.fnuz)
    sign = select(compare(arith::CmpIPredicate::eq, result, 0), i32(0), sign);
  result = arith::OrIOp::create(b, loc, result, sign);
  result = select(compare(arith::CmpIPredicate::ugt, magnitude, kF32Inf),
                  i32(f.nan()), result);
  return arith::TruncIOp::create(b, loc, b.getI8Type(), result);
}
