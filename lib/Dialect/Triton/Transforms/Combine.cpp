//===- Combine.cpp - Merge neighbouring operations ------------------------===//

#include "IntegerBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/Triton/Transforms/Passes.h"
#include "triton/Specialization.h"

namespace mlir::triton {
#define GEN_PASS_DEF_TRITONCOMBINEOPS
#include "triton/Dialect/Triton/Transforms/Passes.h.inc"
} // namespace mlir::triton

using namespace mlir;
using namespace mlir::triton;

static bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
}

//===----------------------------------------------------------------------===//
// dot(a, b, 0) + c  ->  dot(a, b, c)
//===----------------------------------------------------------------------===//

namespace mlir::triton {

/// The dot behind `value` that can take over an addition: it starts from zero
/// and nobody else reads it.
///
/// Exposed static: with the macro, patterns in a backend's library can call it.
#ifndef FLAGTREE_SPEC_Dialect_Triton_Transforms_Combine_dotToAccumulateInto
static DotOp dotToAccumulateInto(Value value);
#endif
DotOp dotToAccumulateInto(Value value) {
  auto dot = value.getDefiningOp<DotOp>();
  if (!dot || !dot->hasOneUse() || !isZero(dot.getC()))
    return nullptr;
  // The limit on inexact partial sums is a promise about this dot alone; with
  // another start it would mean less.
  if (isa<FloatType>(dot.getType().getElementType()) &&
      dot.getMaxNumImpreciseAcc() != 0)
    return nullptr;
  return dot;
}

} // namespace mlir::triton

namespace {

template <typename AddOp>
LogicalResult accumulateInDot(AddOp add, PatternRewriter &rewriter) {
  for (auto [product, start] : {std::pair(add.getLhs(), add.getRhs()),
                                std::pair(add.getRhs(), add.getLhs())}) {
    DotOp dot = dotToAccumulateInto(product);
    if (!dot)
      continue;
    rewriter.replaceOpWithNewOp<DotOp>(
        add, add.getType(), dot.getA(), dot.getB(), start,
        dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
    return success();
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// addptr(addptr(p, constant), constant)  ->  addptr(p, constant)
//===----------------------------------------------------------------------===//

LogicalResult mergeConstantOffsets(AddPtrOp outer, PatternRewriter &rewriter) {
  auto inner = outer.getPtr().getDefiningOp<AddPtrOp>();
  APInt first, second;
  if (!inner || inner.getOffset().getType() != outer.getOffset().getType() ||
      !matchPattern(inner.getOffset(), m_ConstantInt(&first)) ||
      !matchPattern(outer.getOffset(), m_ConstantInt(&second)))
    return failure();
  bool overflow = false;
  APInt sum = first.sadd_ov(second, overflow);
  if (overflow)
    return failure();
  Type type = outer.getOffset().getType();
  TypedAttr value = rewriter.getIntegerAttr(getElementTypeOrSelf(type), sum);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    value = DenseElementsAttr::get(tensor, sum);
  Value offset = arith::ConstantOp::create(rewriter, outer.getLoc(), value);
  rewriter.replaceOpWithNewOp<AddPtrOp>(outer, inner.getPtr(), offset);
  return success();
}

//===----------------------------------------------------------------------===//
// select(mask, load(p, mask, _), y)  ->  load(p, mask, y)
//===----------------------------------------------------------------------===//

/// The same condition, where `mask` may repeat a scalar condition for each
/// element.
bool isSameCondition(Value condition, Value mask) {
  if (condition == mask)
    return true;
  auto splat = mask ? mask.getDefiningOp<SplatOp>() : SplatOp();
  return splat && splat.getSrc() == condition;
}

LogicalResult selectIntoLoad(arith::SelectOp select,
                             PatternRewriter &rewriter) {
  auto load = select.getTrueValue().getDefiningOp<LoadOp>();
  if (!load || !load->hasOneUse() || load.getIsVolatile() ||
      !isSameCondition(select.getCondition(), load.getMask()))
    return failure();
  // The new load stands where the old one is, so that no store comes between;
  // the other value must exist there.
  Value other = select.getFalseValue();
  if (!DominanceInfo().properlyDominates(other, load))
    return failure();
  rewriter.setInsertionPoint(load);
  Value merged = LoadOp::create(rewriter, load.getLoc(), load.getPtr(),
                                load.getMask(), other, load.getCache(),
                                load.getEvict(), load.getIsVolatile());
  rewriter.replaceOp(select, merged);
  rewriter.eraseOp(load);
  return success();
}

//===----------------------------------------------------------------------===//
// compare(range(0, n), n)  ->  constant
//===----------------------------------------------------------------------===//

/// Whether `a < b` has the same answer for all elements, and which.
std::optional<bool> isAlwaysLess(IntegerBounds a, IntegerBounds b) {
  if (a.max < b.min)
    return true;
  if (a.min >= b.max)
    return false;
  return std::nullopt;
}

std::optional<bool> foldPredicate(arith::CmpIPredicate predicate,
                                  IntegerBounds lhs, IntegerBounds rhs) {
  using Predicate = arith::CmpIPredicate;
  auto negated = [](std::optional<bool> answer) {
    return answer ? std::optional(!*answer) : answer;
  };
  bool sameSign = lhs.min >= 0 && rhs.min >= 0;
  switch (predicate) {
  case Predicate::ult:
    return sameSign ? isAlwaysLess(lhs, rhs) : std::nullopt;
  case Predicate::slt:
    return isAlwaysLess(lhs, rhs);
  case Predicate::uge:
    return sameSign ? negated(isAlwaysLess(lhs, rhs)) : std::nullopt;
  case Predicate::sge:
    return negated(isAlwaysLess(lhs, rhs));
  case Predicate::ugt:
    return sameSign ? isAlwaysLess(rhs, lhs) : std::nullopt;
  case Predicate::sgt:
    return isAlwaysLess(rhs, lhs);
  case Predicate::ule:
    return sameSign ? negated(isAlwaysLess(rhs, lhs)) : std::nullopt;
  case Predicate::sle:
    return negated(isAlwaysLess(rhs, lhs));
  case Predicate::eq:
  case Predicate::ne:
    return std::nullopt;
  }
  return std::nullopt;
}

/// A mask against a size that is a constant often holds everywhere; the loads
/// and stores it guards then need none.
LogicalResult foldCompare(arith::CmpIOp compare, PatternRewriter &rewriter) {
  auto lhs = getIntegerBounds(compare.getLhs());
  auto rhs = lhs ? getIntegerBounds(compare.getRhs()) : std::nullopt;
  auto answer =
      rhs ? foldPredicate(compare.getPredicate(), *lhs, *rhs) : std::nullopt;
  if (!answer)
    return failure();
  TypedAttr value = rewriter.getBoolAttr(*answer);
  if (auto tensor = dyn_cast<RankedTensorType>(compare.getType()))
    value = DenseElementsAttr::get(tensor, *answer);
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(compare, value);
  return success();
}

struct CombineOps
    : public mlir::triton::impl::TritonCombineOpsBase<CombineOps> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(accumulateInDot<arith::AddFOp>);
    patterns.add(accumulateInDot<arith::AddIOp>);
    patterns.add(mergeConstantOffsets);
    patterns.add(selectIntoLoad);
    patterns.add(foldCompare);
    // Inserted logic: a backend's function adds patterns.
#ifdef FLAGTREE_SPEC_Dialect_Triton_Transforms_Combine_runOnOperation
    FLAGTREE_SPEC_Dialect_Triton_Transforms_Combine_runOnOperation(patterns);
#endif
    LoadOp::getCanonicalizationPatterns(patterns, &getContext());
    StoreOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
