//===- IntegerBounds.cpp - Smallest and largest element -------------------===//

#include "IntegerBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton;

namespace {

using MaybeBounds = std::optional<IntegerBounds>;

MaybeBounds boundsOf(Value value, unsigned depth);

/// Nothing unless both numbers fit an element of `type`.
MaybeBounds fitting(Type type, int64_t min, int64_t max) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  unsigned width = integer ? integer.getWidth() : 0;
  if (width == 0 || width > 64 || !llvm::isIntN(width, min) ||
      !llvm::isIntN(width, max))
    return std::nullopt;
  return IntegerBounds{min, max};
}

MaybeBounds boundsOfSum(arith::AddIOp op, unsigned depth) {
  MaybeBounds a = boundsOf(op.getLhs(), depth),
              b = boundsOf(op.getRhs(), depth);
  int64_t min, max;
  if (!a || !b || llvm::AddOverflow(a->min, b->min, min) ||
      llvm::AddOverflow(a->max, b->max, max))
    return std::nullopt;
  return fitting(op.getType(), min, max);
}

MaybeBounds boundsOfProduct(arith::MulIOp op, unsigned depth) {
  MaybeBounds a = boundsOf(op.getLhs(), depth),
              b = boundsOf(op.getRhs(), depth);
  if (!a || !b)
    return std::nullopt;
  int64_t products[4];
  if (llvm::MulOverflow(a->min, b->min, products[0]) ||
      llvm::MulOverflow(a->min, b->max, products[1]) ||
      llvm::MulOverflow(a->max, b->min, products[2]) ||
      llvm::MulOverflow(a->max, b->max, products[3]))
    return std::nullopt;
  return fitting(op.getType(), *llvm::min_element(products),
                 *llvm::max_element(products));
}

MaybeBounds boundsOf(Value value, unsigned depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    if (constant.getBitWidth() > 64)
      return std::nullopt;
    return IntegerBounds{constant.getSExtValue(), constant.getSExtValue()};
  }
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return std::nullopt;
  return TypeSwitch<Operation *, MaybeBounds>(op)
      .Case([](MakeRangeOp range) {
        int64_t start = static_cast<int32_t>(range.getStart());
        return IntegerBounds{start,
                             start + range.getType().getNumElements() - 1};
      })
      .Case<GetProgramIdOp, GetNumProgramsOp>(
          [](auto) { return IntegerBounds{0, INT32_MAX}; })
      .Case<SplatOp, ExpandDimsOp, BroadcastOp, ReshapeOp, TransOp,
            arith::ExtSIOp>(
          [&](auto same) { return boundsOf(same->getOperand(0), depth - 1); })
      .Case([&](arith::AddIOp add) { return boundsOfSum(add, depth - 1); })
      .Case([&](arith::MulIOp mul) { return boundsOfProduct(mul, depth - 1); })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

std::optional<IntegerBounds> mlir::triton::getIntegerBounds(Value value) {
  return boundsOf(value, kMaxBoundsDepth);
}
