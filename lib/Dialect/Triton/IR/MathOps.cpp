//===- MathOps.cpp - Elementwise operations and dots ----------------------===//

#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Specialization.h"

using namespace mlir;
using namespace mlir::triton;

//===----------------------------------------------------------------------===//
// FpToFpOp, MulhiUIOp
//===----------------------------------------------------------------------===//

LogicalResult FpToFpOp::verify() {
  unsigned from = getElementBitWidth(getSrc().getType()),
           to = getElementBitWidth(getType());
  if (getRounding() && to >= from)
    return emitOpError()
           << "rounding applies to narrowing conversions only, got "
           << getSrc().getType() << " to " << getType();
  return success();
}

OpFoldResult FpToFpOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return {};
}

OpFoldResult MulhiUIOp::fold(FoldAdaptor adaptor) {
  return constFoldBinaryOp<IntegerAttr, APInt, void>(
      adaptor.getOperands(), [](const APInt &x, const APInt &y) {
        unsigned width = x.getBitWidth();
        return (x.zext(2 * width) * y.zext(2 * width))
            .extractBits(width, width);
      });
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// Checks ranks, batch sizes and that the shape of `c` follows from `a` and
/// `b`. The depth of the operands is not compared: it may be packed.
static LogicalResult verifyMatmulRanks(Operation *op, RankedTensorType a,
                                       RankedTensorType b, RankedTensorType c) {
  int64_t rank = a.getRank();
  if ((rank != 2 && rank != 3) || b.getRank() != rank || c.getRank() != rank)
    return op->emitOpError()
           << "operands must all have rank 2 or all have rank 3, got " << a
           << ", " << b << " and " << c;
  if (rank == 3 && (a.getDimSize(0) != b.getDimSize(0) ||
                    a.getDimSize(0) != c.getDimSize(0)))
    return op->emitOpError()
           << "batch sizes differ: " << a.getDimSize(0) << ", "
           << b.getDimSize(0) << " and " << c.getDimSize(0);
  return success();
}

static LogicalResult verifyResultSize(Operation *op, RankedTensorType c,
                                      int64_t m, int64_t n) {
  int64_t rank = c.getRank();
  if (c.getDimSize(rank - 2) != m || c.getDimSize(rank - 1) != n)
    return op->emitOpError() << "product of the operands is " << m << "x" << n
                             << ", but the accumulator is " << c;
  return success();
}

LogicalResult DotOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(),
                   c = getC().getType();
  if (failed(verifyMatmulRanks(*this, a, b, c)))
    return failure();
  int64_t rank = a.getRank(), k = a.getDimSize(rank - 1);
  if (b.getDimSize(rank - 2) != k)
    return emitOpError() << "inner sizes differ: " << a << " has " << k
                         << " columns, " << b << " has "
                         << b.getDimSize(rank - 2) << " rows";
  if (failed(verifyResultSize(*this, c, a.getDimSize(rank - 2),
                              b.getDimSize(rank - 1))))
    return failure();
  Type aElement = a.getElementType(), bElement = b.getElementType();
  bool bothFp8 = isa<FloatType>(aElement) && isa<FloatType>(bElement) &&
                 getElementBitWidth(aElement) == 8 &&
                 getElementBitWidth(bElement) == 8;
  if (aElement != bElement && !bothFp8)
    return emitOpError() << "operands must have the same element type, got "
                         << aElement << " and " << bElement;
  if (isa<FloatType>(aElement) != isa<FloatType>(c.getElementType()))
    return emitOpError() << "cannot accumulate products of " << aElement
                         << " in " << c.getElementType();
  // Inserted logic: a backend's function refuses what its matrix units cannot
  // do, with an error at the operation.
#ifdef FLAGTREE_SPEC_Dialect_Triton_IR_DotOp_verify
  if (failed(FLAGTREE_SPEC_Dialect_Triton_IR_DotOp_verify(*this)))
    return failure();
#endif
  return success();
}

/// Elements of `type` that one stored element holds.
static int64_t packFactor(ScaleDotElemType type) {
  return type == ScaleDotElemType::E2M1 ? 2 : 1;
}

LogicalResult DotScaledOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(),
                   c = getC().getType();
  if (failed(verifyMatmulRanks(*this, a, b, c)))
    return failure();
  int64_t rank = a.getRank();
  int64_t aPack = packFactor(getAElemType()),
          bPack = packFactor(getBElemType());
  int64_t m = a.getDimSize(rank - 2) * (getLhsKPack() ? 1 : aPack);
  int64_t aDepth = a.getDimSize(rank - 1) * (getLhsKPack() ? aPack : 1);
  int64_t bDepth = b.getDimSize(rank - 2) * (getRhsKPack() ? bPack : 1);
  int64_t n = b.getDimSize(rank - 1) * (getRhsKPack() ? 1 : bPack);
  if (aDepth != bDepth)
    return emitOpError() << "inner sizes differ: lhs has " << aDepth
                         << " unpacked columns, rhs " << bDepth
                         << " unpacked rows";
  if (failed(verifyResultSize(*this, c, m, n)))
    return failure();
  auto verifyScale = [&](Value scale, StringRef name,
                         int64_t rows) -> LogicalResult {
    if (!scale)
      return success();
    auto type = cast<RankedTensorType>(scale.getType());
    if (type.getRank() != rank || type.getDimSize(rank - 2) != rows)
      return emitOpError() << name << " must have rank " << rank << " and "
                           << rows << " rows, got " << type;
    int64_t groups = type.getDimSize(rank - 1);
    if (aDepth % groups != 0)
      return emitOpError() << name << " has " << groups
                           << " columns, which do not divide the depth "
                           << aDepth;
    return success();
  };
  if (failed(verifyScale(getAScale(), "lhs scale", m)))
    return failure();
  return verifyScale(getBScale(), "rhs scale", n);
}

//===----------------------------------------------------------------------===//
// Foreign code
//===----------------------------------------------------------------------===//

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Code that is not pure may do anything, in an order that matters.
static void addUnknownEffects(bool pure, Effects &effects) {
  if (pure)
    return;
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

void ExternElementwiseOp::getEffects(Effects &effects) {
  addUnknownEffects(getPure(), effects);
}

void ElementwiseInlineAsmOp::getEffects(Effects &effects) {
  addUnknownEffects(getPure(), effects);
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  int64_t pack = getPackedElement();
  if (pack < 1)
    return emitOpError() << "packed_element must be at least 1, got " << pack;
  if (getResults().empty())
    return emitOpError() << "needs at least one result";
  // Assembly without operands is a scalar, which a trait of shapes refuses.
  if (!getArgs().empty() &&
      failed(OpTrait::impl::verifySameOperandsAndResultShape(*this)))
    return failure();
  for (Value arg : getArgs()) {
    auto tensor = dyn_cast<RankedTensorType>(arg.getType());
    if (tensor && tensor.getNumElements() % pack != 0)
      return emitOpError() << "cannot pack " << pack
                           << " elements at a time of " << tensor;
  }
  return success();
}
