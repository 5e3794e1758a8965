//===- InlineFunctions.cpp - math functions as code -----------------------===//
//
// The polynomials come from tools/fit_math.py, which also simulates these
// sequences. Lanes with exceptional results compute with a harmless argument:
// a subnormal intermediate result in one lane costs some processors a hundred
// cycles, whether the lane is used or not.
//
//===----------------------------------------------------------------------===//

#include "InlineFunctions.h"
#include "FloatBuilder.h"
#include "cpu/Math/Coefficients.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/bit.h"
#include <limits>

using namespace mlir;
using namespace mlir::triton::cpu;

using Predicate = arith::CmpFPredicate;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// 1.5 * 2^23: numbers of magnitude below 2^22 added to it are rounded to
/// integers, which then stand in its lowest bits.
constexpr float kRounder = 12582912.0f;

constexpr float kLog2E = 0x1.715476p0f;
constexpr float kLog2ERest = 0x1.4ae0cp-26f;

/// A number rounded to an integer, in both forms.
struct Rounded {
  Value asFloat;
  Value asInt; ///< arbitrary for NaN, but no undefined value
};

/// Coefficients of 1 + x P(x), of 1 + x + x^2 P(x) and so on.
SmallVector<float> withOnes(ArrayRef<float> coefficients, int ones) {
  SmallVector<float> all(ones, 1.0f);
  llvm::append_range(all, coefficients);
  return all;
}

/// Splits `shifted` = number + kRounder.
Rounded takeInteger(FloatBuilder &f, Value shifted) {
  return {
      f.sub(shifted, f.constant(kRounder)),
      f.subInt(f.bits(shifted), f.integer(llvm::bit_cast<int32_t>(kRounder)))};
}

/// 2^n for -127 < n < 128.
Value powerOfTwo(FloatBuilder &f, Value n) {
  return f.fromBits(f.shiftLeft(f.addInt(n, f.integer(127)), 23));
}

/// Name of AVX-512's x * 2^floor(n) for this vector, or empty.
StringRef scaleIntrinsic(Type type, const MathTarget &target) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.isScalable() ||
      target.vectorBits < 512)
    return "";
  switch (vector.getNumElements()) {
  case 16:
    return "llvm.x86.avx512.mask.scalef.ps.512";
  case 8:
    return "llvm.x86.avx512.mask.scalef.ps.256";
  case 4:
    return "llvm.x86.avx512.mask.scalef.ps.128";
  default:
    return "";
  }
}

Value callScale(FloatBuilder &f, StringRef intrinsic, Value x, Value n) {
  ImplicitLocOpBuilder &b = f.builder();
  int64_t lanes = cast<VectorType>(x.getType()).getNumElements();
  Type maskType = b.getIntegerType(lanes == 16 ? 16 : 8);
  Value all =
      LLVM::ConstantOp::create(b, maskType, b.getIntegerAttr(maskType, -1));
  SmallVector<Value> operands = {x, n, f.constant(0), all};
  if (lanes == 16) // the wide form also names a rounding mode: 4, the current
    operands.push_back(
        LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(4)));
  return LLVM::CallIntrinsicOp::create(b, f.type(), b.getStringAttr(intrinsic),
                                       operands)
      .getResult(0);
}

/// x * 2^n with one rounding, for -252 < n < 256.
Value scale(FloatBuilder &f, Value x, Rounded n, const MathTarget &target) {
  StringRef intrinsic = scaleIntrinsic(f.type(), target);
  if (!intrinsic.empty())
    return callScale(f, intrinsic, x, n.asFloat);
  // In two steps: a single factor would leave the range of exponents.
  Value half = f.shiftRight(n.asInt, 1);
  Value rest = f.subInt(n.asInt, half);
  return f.mul(f.mul(x, powerOfTwo(f, half)), powerOfTwo(f, rest));
}

/// For an exponential whose result is 0 below `low` and infinite from `high`.
struct Exponent {
  Value argument; ///< clamped; 0 where the result is 0
  Value nonzero;
};

Exponent clampExponent(FloatBuilder &f, Value x, float low, float high) {
  Value nonzero = f.compare(Predicate::UGE, x, f.constant(low));
  Value lower = f.select(nonzero, x, f.constant(0));
  Value over = f.compare(Predicate::OGT, lower, f.constant(high));
  return {f.select(over, f.constant(high), lower), nonzero};
}

/// exp(x) = significand * 2^exponent with 0.7 < significand < 1.5.
struct ExpParts {
  Value significand;
  Rounded exponent;
};

ExpParts splitExp(FloatBuilder &f, Value x) {
  Rounded n =
      takeInteger(f, f.fma(x, f.constant(kLog2E), f.constant(kRounder)));
  // ln(2) in two parts; products of the first with n are exact.
  Value r = f.fma(n.asFloat, f.constant(-0x1.62e4p-1f), x);
  r = f.fma(n.asFloat, f.constant(-0x1.7f7d1cp-20f), r);
  return {f.polynomial(r, withOnes(kExp, 2)), n};
}

/// x * 2^n where neither x nor the result is zero, subnormal or infinite.
Value scaleNormal(FloatBuilder &f, Value x, Rounded n) {
  return f.fromBits(f.addInt(f.bits(x), f.shiftLeft(n.asInt, 23)));
}

/// x = (1 + fraction) * 2^exponent with 2/3 <= 1 + fraction < 4/3.
struct LogParts {
  Value exponent;
  Value fraction;
};

LogParts splitLog(FloatBuilder &f, Value x) {
  Value tiny = f.compare(Predicate::OLT, x,
                         f.constant(std::numeric_limits<float>::min()));
  Value normal = f.select(tiny, f.mul(x, f.constant(0x1p23f)), x);
  Value offset = f.select(tiny, f.constant(-23), f.constant(0));

  // Bits of 2/3: subtracting them moves the exponent to where it should be.
  Value start = f.integer(0x3f2aaaab);
  Value shifted = f.subInt(f.bits(normal), start);
  Value exponent = f.add(f.toFloat(f.shiftRight(shifted, 23)), offset);
  Value mantissa = f.addInt(f.andInt(shifted, f.integer(0x7fffff)), start);
  return {exponent, f.sub(f.fromBits(mantissa), f.constant(1))};
}

/// Replaces `y`, the logarithm of `x`, where x is not positive and finite.
Value fixLogSpecials(FloatBuilder &f, Value x, Value y) {
  Value finite = f.compare(Predicate::OLT, x, f.constant(kInfinity));
  // Infinity and NaN are their own logarithms.
  y = f.select(finite, y, x);
  Value zero = f.compare(Predicate::OEQ, x, f.constant(0));
  y = f.select(zero, f.constant(-kInfinity), y);
  Value negative = f.compare(Predicate::OLT, x, f.constant(0));
  return f.select(negative, f.constant(kNaN), y);
}

} // namespace

Value mlir::triton::cpu::emitExp(ImplicitLocOpBuilder &builder, Value x,
                                 const MathTarget &target) {
  FloatBuilder f(builder, x.getType());
  Exponent e = clampExponent(f, x, -104, 89);
  auto [significand, exponent] = splitExp(f, e.argument);
  Value y = scale(f, significand, exponent, target);
  return f.select(e.nonzero, y, f.constant(0));
}

Value mlir::triton::cpu::emitExp2(ImplicitLocOpBuilder &builder, Value x,
                                  const MathTarget &target) {
  FloatBuilder f(builder, x.getType());
  Exponent e = clampExponent(f, x, -150, 129);
  Rounded n = takeInteger(f, f.add(e.argument, f.constant(kRounder)));
  Value r = f.sub(e.argument, n.asFloat);
  Value y = scale(f, f.polynomial(r, withOnes(kExp2, 1)), n, target);
  return f.select(e.nonzero, y, f.constant(0));
}

Value mlir::triton::cpu::emitLog(ImplicitLocOpBuilder &builder, Value x) {
  FloatBuilder f(builder, x.getType());
  auto [e, r] = splitLog(f, x);
  Value square = f.mul(r, r);
  Value cubic = f.mul(f.polynomial(r, kLog), r);
  // Smallest terms first. ln(2) in two parts.
  Value y = f.fma(cubic, square, f.mul(e, f.constant(-0x1.bd0106p-13f)));
  y = f.add(r, f.fma(f.constant(-0.5f), square, y));
  y = f.fma(e, f.constant(0x1.63p-1f), y);
  return fixLogSpecials(f, x, y);
}

Value mlir::triton::cpu::emitLog2(ImplicitLocOpBuilder &builder, Value x) {
  FloatBuilder f(builder, x.getType());
  auto [e, r] = splitLog(f, x);
  Value y = f.fma(f.polynomial(r, kLog2), f.mul(r, r),
                  f.mul(r, f.constant(kLog2ERest)));
  y = f.add(e, f.fma(r, f.constant(kLog2E), y));
  return fixLogSpecials(f, x, y);
}

Value mlir::triton::cpu::emitErf(ImplicitLocOpBuilder &builder, Value x) {
  FloatBuilder f(builder, x.getType());
  Value magnitude = f.abs(x);
  Value small = f.fma(f.polynomial(f.mul(x, x), kErfSmall), x, x);

  // 1 - 2^q. Beyond 4 the result rounds to 1; NaN goes the small way.
  Value q = f.polynomial(f.lesserOr(magnitude, f.constant(4)), kErfLarge);
  Rounded n = takeInteger(f, f.add(q, f.constant(kRounder)));
  Value power = f.polynomial(f.sub(q, n.asFloat), withOnes(kErfExp2, 1));
  power = scaleNormal(f, power, n);
  Value large = f.copySign(f.sub(f.constant(1), power), x);

  Value useLarge = f.compare(Predicate::OGE, magnitude, f.constant(1));
  return f.select(useLarge, large, small);
}

Value mlir::triton::cpu::emitTanh(ImplicitLocOpBuilder &builder, Value x) {
  FloatBuilder f(builder, x.getType());
  Value magnitude = f.abs(x);
  Value square = f.mul(x, x);
  Value small =
      f.fma(f.mul(f.polynomial(square, kTanh), square), magnitude, magnitude);

  // 1 - 2 / (exp(2|x|) + 1). Beyond 10 the result rounds to 1; NaN goes the
  // small way.
  Value clamped = f.lesserOr(magnitude, f.constant(10));
  auto [significand, exponent] = splitExp(f, f.add(clamped, clamped));
  Value power = scaleNormal(f, significand, exponent);
  Value rest = f.div(f.constant(2), f.add(power, f.constant(1)));
  Value large = f.sub(f.constant(1), rest);

  Value useLarge = f.compare(Predicate::OGE, magnitude, f.constant(0.625f));
  return f.copySign(f.select(useLarge, large, small), x);
}

Value mlir::triton::cpu::emitExtreme(ImplicitLocOpBuilder &b, Operation *op,
                                     const MathTarget &target) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!type || type.getRank() != 1 || type.isScalable() ||
      !type.getElementType().isF32() || target.vectorBits < 512)
    return nullptr;
  // A constant is no NaN; then the common instruction does.
  if (llvm::any_of(op->getOperands(), [](Value v) {
        return v.getDefiningOp<arith::ConstantOp>() != nullptr;
      }))
    return nullptr;
  int64_t lanes = type.getNumElements();
  if (lanes != 16 && lanes != 8 && lanes != 4)
    return nullptr;
  Type i32 = b.getI32Type();
  Type maskType = b.getIntegerType(lanes == 16 ? 16 : 8);
  auto number = [&](Type t, int64_t v) -> Value {
    return LLVM::ConstantOp::create(b, t, b.getIntegerAttr(t, v));
  };
  // Bits 0 and 1 choose the maximum (1) or the minimum (0), bits 2 and 3 leave
  // the sign as it comes out (1).
  Value what = number(i32, isa<arith::MaxNumFOp>(op) ? 5 : 4);
  Value x = op->getOperand(0), y = op->getOperand(1);
  SmallVector<Value> operands = {x, y, what, x, number(maskType, -1)};
  if (lanes == 16) // the wide form also names a rounding mode: 4, the current
    operands.push_back(number(i32, 4));
  std::string name =
      ("llvm.x86.avx512.mask.range.ps." + llvm::Twine(lanes * 32)).str();
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands)
      .getResult(0);
}
