//===- overlay_Combine.cpp - Subtractions from products -------------------===//

#include "overlay_Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

namespace mlir::triton {
// Of the trunk's Combine.cpp, which the macro makes visible.
DotOp dotToAccumulateInto(Value value);
} // namespace mlir::triton

static LogicalResult subtractInDot(arith::SubFOp sub,
                                   PatternRewriter &rewriter) {
  DotOp dot = dotToAccumulateInto(sub.getLhs());
  if (!dot)
    return failure();
  Value negated = arith::NegFOp::create(rewriter, sub.getLoc(), sub.getRhs());
  rewriter.replaceOpWithNewOp<DotOp>(sub, sub.getType(), dot.getA(), dot.getB(),
                                     negated, dot.getInputPrecision(),
                                     dot.getMaxNumImpreciseAcc());
  return success();
}

void overlay::addCombinePatterns(RewritePatternSet &patterns) {
  patterns.add(subtractInDot);
}
