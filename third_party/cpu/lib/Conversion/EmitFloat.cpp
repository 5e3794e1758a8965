//===- EmitFloat.cpp - conversions between float formats --------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// bf16 is rounded with integer instructions: the machine's own conversion
// flushes subnormal numbers. Formats of one byte are integers to LLVM.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static bool isHalf(Type t) {
  Type elem = getElementTypeOrSelf(t);
  return elem.isF16() || elem.isBF16();
}

Value Emitter::floatCast(Value v, Type elem, int64_t width, bool towardZero) {
  Type from = getElementTypeOrSelf(v.getType());
  if (from == elem)
    return v;
  Type f32 = b.getF32Type(), i32 = b.getI32Type(), i16 = b.getIntegerType(16);
  Type toType = valueType(elem, width);
  auto c32 = [&](int64_t x) {
    return splatConstant(i32, b.getI32IntegerAttr(x), width);
  };
  if (from.getIntOrFloatBitWidth() == 8)
    return floatCast(fromFloat8(v, from, width), elem, width, towardZero);
  if (elem.getIntOrFloatBitWidth() == 8)
    return toFloat8(floatCast(v, f32, width), elem, width, towardZero);
  if (from.isBF16()) {
    Value bits = arith::BitcastOp::create(b, loc, valueType(i16, width), v);
    bits = arith::ExtUIOp::create(b, loc, valueType(i32, width), bits);
    bits = arith::ShLIOp::create(b, loc, bits, c32(16));
    Value f = arith::BitcastOp::create(b, loc, valueType(f32, width), bits);
    return floatCast(f, elem, width, towardZero);
  }
  if (from.isF16()) {
    Value f = arith::ExtFOp::create(b, loc, valueType(f32, width), v);
    return floatCast(f, elem, width, towardZero);
  }
  if (from.isF64() && isHalf(elem)) {
    // Rounding twice is harmless if the first step rounds to odd.
    Value near = arith::TruncFOp::create(b, loc, valueType(f32, width), v);
    Value back = arith::ExtFOp::create(b, loc, v.getType(), near);
    Value inexact =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, v);
    Value absBack = math::AbsFOp::create(b, loc, back);
    Value absV = math::AbsFOp::create(b, loc, v);
    Value above =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, absBack, absV);
    Value bits = arith::BitcastOp::create(b, loc, valueType(i32, width), near);
    Value down = arith::SubIOp::create(
        b, loc, bits, arith::ExtUIOp::create(b, loc, bits.getType(), above));
    Value odd = arith::OrIOp::create(b, loc, down, c32(1));
    bits = arith::SelectOp::create(b, loc, inexact, odd, bits);
    Value f = arith::BitcastOp::create(b, loc, valueType(f32, width), bits);
    return floatCast(f, elem, width, towardZero);
  }
  if (elem.isBF16()) {
    Value bits = arith::BitcastOp::create(b, loc, valueType(i32, width), v);
    Value high = arith::ShRUIOp::create(b, loc, bits, c32(16));
    Value rounded = high;
    if (!towardZero) {
      Value odd = arith::AndIOp::create(b, loc, high, c32(1));
      Value bias = arith::AddIOp::create(b, loc, odd, c32(0x7fff));
      rounded = arith::AddIOp::create(b, loc, bits, bias);
      rounded = arith::ShRUIOp::create(b, loc, rounded, c32(16));
    }
    Value isNan =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, v, v);
    Value quiet = arith::OrIOp::create(b, loc, high, c32(0x40));
    rounded = arith::SelectOp::create(b, loc, isNan, quiet, rounded);
    Value narrow =
        arith::TruncIOp::create(b, loc, valueType(i16, width), rounded);
    return arith::BitcastOp::create(b, loc, toType, narrow);
  }
  if (elem.isF16() && towardZero) {
    Value near = arith::TruncFOp::create(b, loc, toType, v);
    Value back = math::AbsFOp::create(
        b, loc, arith::ExtFOp::create(b, loc, valueType(f32, width), near));
    Value absV = math::AbsFOp::create(b, loc, v);
    Value above =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, back, absV);
    Value bits = arith::BitcastOp::create(b, loc, valueType(i16, width), near);
    bits = arith::SubIOp::create(
        b, loc, bits, arith::ExtUIOp::create(b, loc, bits.getType(), above));
    return arith::BitcastOp::create(b, loc, toType, bits);
  }
  if (elem.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, toType, v);
  return arith::TruncFOp::create(b, loc, toType, v);
}

namespace {
/// A float format of one byte. Source: OCP 8-bit floating point specification
/// and the "fnuz" variants that MLIR documents for its types.
struct Float8 {
  int mantissa, bias;
  bool hasInf; ///< the all-ones exponent is inf and NaN as in IEEE
  bool fnuz;   ///< one NaN, 0x80; no negative zero
};
} // namespace

static Float8 float8Format(Type t) {
  if (isa<Float8E5M2Type>(t))
    return {2, 15, true, false};
  if (isa<Float8E5M2FNUZType>(t))
    return {2, 16, false, true};
  if (isa<Float8E4M3FNUZType>(t))
    return {3, 8, false, true};
  return {3, 7, false, false};
}

Value Emitter::fromFloat8(Value v, Type elem, int64_t width) {
  Float8 f = float8Format(elem);
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  auto c = [&](int64_t x) {
    return splatConstant(i32, b.getI32IntegerAttr(x), width);
  };
  Value bits =
      arith::BitcastOp::create(b, loc, valueType(b.getI8Type(), width), v);
  bits = arith::ExtUIOp::create(b, loc, valueType(i32, width), bits);
  Value magnitude = arith::AndIOp::create(b, loc, bits, c(0x7f));
  // The value as an f32 with a wrong exponent, then one exact multiplication,
  // which also normalises subnormal numbers.
  Value shifted = arith::ShLIOp::create(b, loc, magnitude, c(23 - f.mantissa));
  Value raw = arith::BitcastOp::create(b, loc, valueType(f32, width), shifted);
  Value scale = splatConstant(
      f32, b.getF32FloatAttr(std::ldexp(1.0f, 127 - f.bias)), width);
  Value r = arith::MulFOp::create(b, loc, raw, scale);
  Value rbits = arith::BitcastOp::create(b, loc, valueType(i32, width), r);
  if (f.hasInf) {
    Value special = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                          magnitude, c(0x7c));
    Value forced = arith::OrIOp::create(b, loc, shifted, c(0x7f800000));
    rbits = arith::SelectOp::create(b, loc, special, forced, rbits);
  } else if (!f.fnuz) {
    Value isNan = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        magnitude, c(0x7f));
    rbits = arith::SelectOp::create(b, loc, isNan, c(0x7fc00000), rbits);
  }
  Value sign = arith::AndIOp::create(b, loc, bits, c(0x80));
  sign = arith::ShLIOp::create(b, loc, sign, c(24));
  rbits = arith::OrIOp::create(b, loc, rbits, sign);
  if (f.fnuz) {
    Value isNan =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, c(0x80));
    rbits = arith::SelectOp::create(b, loc, isNan, c(0x7fc00000), rbits);
  }
  return arith::BitcastOp::create(b, loc, valueType(f32, width), rbits);
}

Value Emitter::toFloat8(Value v, Type elem, int64_t width, bool towardZero) {
  Float8 f = float8Format(elem);
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  auto c = [&](int64_t x) {
    return splatConstant(i32, b.getI32IntegerAttr(x), width);
  };
  auto select = [&](Value cond, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, cond, x, y);
  };
  Value bits = arith::BitcastOp::create(b, loc, valueType(i32, width), v);
  Value magnitude = arith::AndIOp::create(b, loc, bits, c(0x7fffffff));
  int drop = 23 - f.mantissa;
  // Normal results: round the mantissa in place and move the exponent.
  auto round = [&](Value x, int shift) -> Value {
    if (towardZero)
      return arith::ShRUIOp::create(b, loc, x, c(shift));
    Value odd = arith::AndIOp::create(
        b, loc, arith::ShRUIOp::create(b, loc, x, c(shift)), c(1));
    Value half = arith::AddIOp::create(b, loc, odd, c((1 << (shift - 1)) - 1));
    return arith::ShRUIOp::create(
        b, loc, arith::AddIOp::create(b, loc, x, half), c(shift));
  };
  Value normal = arith::SubIOp::create(
      b, loc, round(magnitude, drop),
      c(static_cast<int64_t>(127 - f.bias) << f.mantissa));
  // Subnormal results: adding a power of two whose last place is the smallest
  // subnormal leaves the result in the low bits.
  int exponent = 1 - f.bias - f.mantissa + 23;
  Value magicF =
      splatConstant(f32, b.getF32FloatAttr(std::ldexp(1.0f, exponent)), width);
  Value absF =
      arith::BitcastOp::create(b, loc, valueType(f32, width), magnitude);
  Value sum = arith::AddFOp::create(b, loc, absF, magicF);
  Value sumBits = arith::BitcastOp::create(b, loc, valueType(i32, width), sum);
  Value magicBits =
      arith::BitcastOp::create(b, loc, valueType(i32, width), magicF);
  Value sub = arith::SubIOp::create(b, loc, sumBits, magicBits);
  if (towardZero) {
    Value backF = arith::SubFOp::create(b, loc, sum, magicF);
    Value above =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, backF, absF);
    sub = arith::SubIOp::create(
        b, loc, sub, arith::ExtUIOp::create(b, loc, sub.getType(), above));
  }
  Value isSub =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, magnitude,
                            c(static_cast<int64_t>(128 - f.bias) << 23));
  Value r = select(isSub, sub, normal);
  int64_t maxFinite = f.hasInf ? 0x7b : (f.fnuz ? 0x7f : 0x7e);
  int64_t nan = f.fnuz ? 0x80 : 0x7f;
  // Out of range saturates, infinities included where the format has none.
  r = arith::MinUIOp::create(b, loc, r, c(maxFinite));
  Value isInf = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      magnitude, c(0x7f800000));
  if (f.hasInf)
    r = select(isInf, c(0x7c), r);
  Value sign = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, bits, c(24)), c(0x80));
  Value isZero =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, r, c(0));
  if (f.fnuz)
    sign = select(isZero, c(0), sign);
  r = arith::OrIOp::create(b, loc, r, sign);
  Value isNan = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                      magnitude, c(0x7f800000));
  r = select(isNan, c(nan), r);
  Value byte =
      arith::TruncIOp::create(b, loc, valueType(b.getI8Type(), width), r);
  return arith::BitcastOp::create(b, loc, valueType(elem, width), byte);
}
