//===- overlay_DotOp.cpp - Limits of the matrix units ---------------------===//

#include "overlay_DotOp.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;

LogicalResult overlay::verifyDot(triton::DotOp op) {
  RankedTensorType a = op.getA().getType();
  int64_t depth = a.getDimSize(a.getRank() - 1);
  if (depth > kMaxDepth)
    return op.emitOpError() << "has operands of depth " << depth
                            << ", the matrix units of overlay take at most "
                            << kMaxDepth << "; use a smaller block";
  return success();
}
