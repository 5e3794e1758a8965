//===- overlay_BlockAccess.cpp - One comparison per dimension -------------===//

#include "BlockAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

Value BlockAccess::buildMask(ValueRange sizes, ArrayRef<int32_t> dims,
                             overlay::MaskStyle style) {
  using Predicate = arith::CmpIPredicate;
  Value mask;
  auto require = [&](Predicate predicate, Value a, Value b) {
    Value holds =
        broadcastToBlock(arith::CmpIOp::create(builder, loc, predicate, a, b));
    mask = mask ? arith::AndIOp::create(builder, loc, mask, holds).getResult()
                : holds;
  };
  for (int32_t dim : dims) {
    Value index = indices[dim], size = splatLike(sizes[dim], index);
    if (style.unsignedCompare) {
      // A negative index is a large one, and sizes are not negative.
      require(Predicate::ult, index, size);
      continue;
    }
    require(Predicate::sge, index, buildZero(builder, loc, index.getType()));
    require(Predicate::slt, index, size);
  }
  return mask;
}
