//===- FuseSaturation.cpp - Find saturation in arithmetic -----------------===//

#include "full/Dialect.h"
#include "full/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace full {
#define GEN_PASS_DEF_FULLFUSESATURATION
#include "full/Passes.h.inc"
} // namespace full

using namespace mlir;

namespace {

/// The number that `value` is, or that each element of it is.
std::optional<double> getConstant(Value value) {
  APFloat number(0.0);
  SplatElementsAttr block;
  if (matchPattern(value, m_Constant(&block)) &&
      isa<FloatType>(block.getElementType()))
    number = block.getSplatValue<APFloat>();
  else if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  return number.convertToDouble();
}

/// minnumf(maxnumf(x, low), high) -> full.saturate x in [low, high]
LogicalResult fuse(arith::MinNumFOp min, PatternRewriter &rewriter) {
  auto max = min.getLhs().getDefiningOp<arith::MaxNumFOp>();
  if (!max || !max->hasOneUse() || getElementTypeOrSelf(min.getType()).isBF16())
    return failure();
  std::optional<double> low = getConstant(max.getRhs()),
                        high = getConstant(min.getRhs());
  if (!low || !high || !(*low <= *high))
    return failure();
  rewriter.replaceOpWithNewOp<full::SaturateOp>(
      min, min.getType(), max.getLhs(), rewriter.getF64FloatAttr(*low),
      rewriter.getF64FloatAttr(*high));
  return success();
}

struct FuseSaturation
    : public full::impl::FullFuseSaturationBase<FuseSaturation> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(fuse);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
