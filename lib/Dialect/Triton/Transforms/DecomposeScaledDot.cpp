//===- DecomposeScaledDot.cpp - Scaled dots as plain ones -----------------===//
//
// For targets without instructions for microscaling formats: tt.dot_scaled
// becomes arithmetic that unpacks, decodes and scales the operands as f32, and
// a tt.dot. f32 holds each element and each scale exactly, so the operands of
// the dot are f32 unless a backend says otherwise.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/Triton/Transforms/Passes.h"
#include "triton/Specialization.h"

namespace mlir::triton {
#define GEN_PASS_DEF_TRITONDECOMPOSESCALEDDOT
#include "triton/Dialect/Triton/Transforms/Passes.h.inc"
} // namespace mlir::triton

using namespace mlir;
using namespace mlir::triton;

namespace {

/// Element type of the operands of the dot.
///
/// Type alias: the macro expands to the type of a backend, f16 or bf16 where
/// its matrix units take no f32.
#ifdef FLAGTREE_SPEC_Dialect_Triton_Transforms_DecomposeScaledDot_OperandType
using OperandType =
    FLAGTREE_SPEC_Dialect_Triton_Transforms_DecomposeScaledDot_OperandType;
#else
using OperandType = Float32Type;
#endif

/// One operand of a scaled dot.
struct Side {
  StringRef name;
  TypedValue<RankedTensorType> elements;
  Value scale; ///< null when the elements count as they are
  ScaleDotElemType format;
  bool kPack;
  bool isLhs;
};

/// The element type of operands in `format`; null for formats without one.
Type elementTypeOf(ScaleDotElemType format, MLIRContext *context) {
  switch (format) {
  case ScaleDotElemType::E2M1:
    return IntegerType::get(context, 8);
  case ScaleDotElemType::E4M3:
    return Float8E4M3FNType::get(context);
  case ScaleDotElemType::E5M2:
    return Float8E5M2Type::get(context);
  case ScaleDotElemType::BF16:
    return BFloat16Type::get(context);
  case ScaleDotElemType::FP16:
    return Float16Type::get(context);
  default:
    return {};
  }
}

/// Builds the arithmetic of one operation, all on blocks.
class Decoder {
public:
  Decoder(DotScaledOp op) : b(op.getLoc(), op) {}

  /// The numbers of `side` in f32, unpacked and scaled.
  Value decode(const Side &side) {
    Value numbers =
        side.format == ScaleDotElemType::E2M1
            ? decodeE2M1(unpack(side.elements, side.kPack == side.isLhs))
            : widen(side);
    if (!side.scale)
      return numbers;
    auto type = cast<RankedTensorType>(numbers.getType());
    int64_t depth = type.getShape()[type.getRank() - (side.isLhs ? 1 : 2)];
    Value scales = repeatColumns(decodeScale(side.scale), depth);
    if (!side.isLhs)
      scales = swapLast(scales);
    return arith::MulFOp::create(b, numbers, scales);
  }

  /// `acc` + `lhs` * `rhs`, rounded once to the type of `acc`.
  Value multiply(Value lhs, Value rhs, Value acc) {
    Type type = acc.getType(), wide = withElement(acc, b.getF32Type());
    if (type != wide)
      acc = arith::ExtFOp::create(b, wide, acc);
    Value result = DotOp::create(b, wide, toOperand(lhs), toOperand(rhs), acc,
                                 InputPrecision::IEEE,
                                 /*maxNumImpreciseAcc=*/0);
    return type == wide ? result : arith::TruncFOp::create(b, type, result);
  }

private:
  static RankedTensorType withElement(Value block, Type element) {
    return cast<RankedTensorType>(block.getType()).clone(element);
  }

  /// `numbers`, which are f32, in the type that the dot takes.
  Value toOperand(Value numbers) {
    Type type = withElement(numbers, OperandType::get(b.getContext()));
    return type == numbers.getType()
               ? numbers
               : arith::TruncFOp::create(b, type, numbers).getResult();
  }

  /// A constant of the type of the integers `like`.
  Value constant(Value like, int64_t value) {
    auto type = cast<RankedTensorType>(like.getType());
    auto element = b.getIntegerAttr(type.getElementType(), value);
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, element));
  }

  Value compare(arith::CmpIPredicate predicate, Value x, int64_t value) {
    return arith::CmpIOp::create(b, predicate, x, constant(x, value));
  }

  Value asFloat(Value bits) {
    return BitcastOp::create(b, withElement(bits, b.getF32Type()), bits);
  }

  Value toI32(Value bytes) {
    return arith::ExtUIOp::create(b, withElement(bytes, b.getI32Type()), bytes);
  }

  Value swapLast(Value block) {
    int32_t rank = cast<RankedTensorType>(block.getType()).getRank();
    auto order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
    std::swap(order[rank - 1], order[rank - 2]);
    return TransOp::create(b, block, order);
  }

  /// Halves of bytes as bytes, the low half first: twice as many columns, or
  /// rows when `alongColumns` is false.
  Value unpack(Value bytes, bool alongColumns) {
    Value low = arith::AndIOp::create(b, bytes, constant(bytes, 15));
    Value high = arith::ShRUIOp::create(b, bytes, constant(bytes, 4));
    Value pairs = JoinOp::create(b, low, high);
    auto shape =
        llvm::to_vector(cast<RankedTensorType>(bytes.getType()).getShape());
    if (!alongColumns)
      pairs = swapLast(pairs);
    shape[shape.size() - (alongColumns ? 1 : 2)] *= 2;
    return ReshapeOp::create(b, shape, pairs);
  }

  /// e2m1 in the low four bits of bytes: sign, two bits of exponent with bias
  /// 1, one of mantissa.
  Value decodeE2M1(Value nibbles) {
    Value bits = toI32(nibbles);
    Value sign = arith::ShLIOp::create(
        b, arith::AndIOp::create(b, bits, constant(bits, 8)),
        constant(bits, 28));
    Value magnitude = arith::AndIOp::create(b, bits, constant(bits, 7));
    // Exponent and mantissa in their places in f32, with the bias of f32.
    constexpr int64_t half = int64_t(126) << 23;
    Value normal = arith::AddIOp::create(
        b, arith::ShLIOp::create(b, magnitude, constant(bits, 22)),
        constant(bits, half));
    // 0 and 0.5 have no leading one.
    Value small = arith::MulIOp::create(b, magnitude, constant(bits, half));
    Value isNormal = compare(arith::CmpIPredicate::ugt, magnitude, 1);
    magnitude = arith::SelectOp::create(b, isNormal, normal, small);
    return asFloat(arith::OrIOp::create(b, magnitude, sign));
  }

  Value widen(const Side &side) {
    Type element = elementTypeOf(side.format, b.getContext());
    Value narrow = side.elements;
    if (side.elements.getType().getElementType() != element)
      narrow = BitcastOp::create(b, withElement(narrow, element), narrow);
    Type wide = withElement(narrow, b.getF32Type());
    if (element.getIntOrFloatBitWidth() == 8)
      return FpToFpOp::create(b, wide, narrow);
    return arith::ExtFOp::create(b, wide, narrow);
  }

  /// e8m0, the exponent of f32: the code 0 is 2^-127, which is subnormal in
  /// f32, and 255 is NaN.
  Value decodeScale(Value codes) {
    Value exponent = toI32(codes);
    Value bits = arith::ShLIOp::create(b, exponent, constant(exponent, 23));
    Value isSmallest = compare(arith::CmpIPredicate::eq, exponent, 0);
    bits = arith::SelectOp::create(b, isSmallest, constant(bits, 0x00400000),
                                   bits);
    Value isNaN = compare(arith::CmpIPredicate::eq, exponent, 255);
    bits = arith::SelectOp::create(b, isNaN, constant(bits, 0x7fc00000), bits);
    return asFloat(bits);
  }

  /// Each column of `block` so often that there are `columns`.
  Value repeatColumns(Value block, int64_t columns) {
    auto shape =
        llvm::to_vector(cast<RankedTensorType>(block.getType()).getShape());
    Value wide = ExpandDimsOp::create(b, block, int32_t(shape.size()));
    SmallVector<int64_t> repeated = shape;
    repeated.push_back(columns / shape.back());
    wide = BroadcastOp::create(b, repeated, wide);
    shape.back() = columns;
    return ReshapeOp::create(b, shape, wide);
  }

  ImplicitLocOpBuilder b;
};

LogicalResult verifySide(DotScaledOp op, const Side &side) {
  Type wanted = elementTypeOf(side.format, op.getContext());
  if (!wanted)
    return op.emitOpError()
           << side.name << " has format "
           << stringifyScaleDotElemType(side.format)
           << ", which cannot be decoded; use e2m1, e4m3, e5m2, bf16 or fp16";
  Type element = side.elements.getType().getElementType();
  // Loads of raw bits are common, the format says what they are.
  if (element != wanted &&
      !element.isSignlessInteger(wanted.getIntOrFloatBitWidth()))
    return op.emitOpError()
           << side.name << " in format "
           << stringifyScaleDotElemType(side.format)
           << " must have elements of type " << wanted << ", got " << element;
  if (side.scale && !getElementTypeOrSelf(side.scale).isSignlessInteger(8))
    return op.emitOpError() << "scales of the " << side.name
                            << " must be bytes that hold exponents, got "
                            << getElementTypeOrSelf(side.scale);
  return success();
}

LogicalResult decompose(DotScaledOp op) {
  Side lhs{
      "lhs", op.getA(), op.getAScale(), op.getAElemType(), op.getLhsKPack(),
      true};
  Side rhs{
      "rhs", op.getB(), op.getBScale(), op.getBElemType(), op.getRhsKPack(),
      false};
  if (failed(verifySide(op, lhs)) || failed(verifySide(op, rhs)))
    return failure();
  Type acc = op.getC().getType().getElementType();
  if (!acc.isF32() && !acc.isF16() && !acc.isBF16())
    return op.emitOpError()
           << "the accumulator must be f32, f16 or bf16, got " << acc;
  Decoder decoder(op);
  Value a = decoder.decode(lhs), b = decoder.decode(rhs);
  op.replaceAllUsesWith(decoder.multiply(a, b, op.getC()));
  op.erase();
  return success();
}

struct DecomposeScaledDot
    : public mlir::triton::impl::TritonDecomposeScaledDotBase<
          DecomposeScaledDot> {
  void runOnOperation() override {
    SmallVector<DotScaledOp> dots;
    getOperation()->walk([&](DotScaledOp op) { dots.push_back(op); });
    if (dots.empty())
      return markAllAnalysesPreserved();
    for (DotScaledOp op : dots)
      if (failed(decompose(op)))
        return signalPassFailure();
  }
};

} // namespace
