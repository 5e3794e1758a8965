//===- AxisInfoShapes.cpp - AxisInfo of created and rearranged blocks -----===//

#include "AxisInfoRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton;

namespace {

AxisInfo visitConstant(arith::ConstantOp op) {
  AxisInfo info = AxisInfo::unknown(op.getType());
  Attribute value = op.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (integer.getValue().getBitWidth() <= 64)
      return AxisInfo::uniform(op.getType(), integer.getValue().getSExtValue());
  }
  if (isa<FloatAttr, IntegerAttr>(value))
    if (auto tensor = dyn_cast<RankedTensorType>(op.getType());
        tensor && tensor.getRank() > 0)
      info.constancy.assign(tensor.getShape().begin(), tensor.getShape().end());
  return info;
}

AxisInfo visitMakeRange(MakeRangeOp op) {
  int32_t start = op.getStart();
  int64_t size = op.getType().getNumElements();
  if (size == 1)
    return AxisInfo::uniform(op.getType(), start);
  AxisInfo info = AxisInfo::unknown(op.getType());
  info.contiguity[0] = size;
  info.divisibility[0] = axis_info::powerOfTwoDivisor(start);
  info.nonNegative = start >= 0;
  return info;
}

AxisInfo visitSplat(SplatOp op, const AxisInfo &scalar) {
  AxisInfo info = AxisInfo::unknown(op.getType());
  ArrayRef<int64_t> shape = op.getType().getShape();
  if (!shape.empty())
    info.constancy.assign(shape.begin(), shape.end());
  info.divisibility.assign(info.getRank(), scalar.divisibility[0]);
  info.constant = scalar.constant;
  info.nonNegative = scalar.nonNegative;
  return info;
}

AxisInfo visitUnsplat(UnsplatOp op, const AxisInfo &source) {
  AxisInfo info = AxisInfo::unknown(op.getType());
  info.divisibility[0] = source.getElementDivisibility();
  info.constant = source.constant;
  info.nonNegative = source.nonNegative;
  return info;
}

AxisInfo visitBroadcast(BroadcastOp op, const AxisInfo &source) {
  AxisInfo info = source;
  RankedTensorType from = op.getSrc().getType(), to = op.getType();
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (from.getDimSize(d) != to.getDimSize(d))
      info.constancy[d] = to.getDimSize(d);
  return info;
}

AxisInfo visitExpandDims(ExpandDimsOp op, const AxisInfo &source) {
  AxisInfo info = source;
  int64_t axis = op.getAxis();
  info.contiguity.insert(info.contiguity.begin() + axis, 1);
  info.constancy.insert(info.constancy.begin() + axis, 1);
  info.divisibility.insert(info.divisibility.begin() + axis,
                           source.getElementDivisibility());
  return info;
}

AxisInfo visitTrans(TransOp op, const AxisInfo &source) {
  AxisInfo info = source;
  for (auto [d, from] : llvm::enumerate(op.getOrder())) {
    info.contiguity[d] = source.contiguity[from];
    info.divisibility[d] = source.divisibility[from];
    info.constancy[d] = source.constancy[from];
  }
  return info;
}

/// Fills dimensions `to` of the result, which together have as many elements as
/// the dimensions `from` of the source.
void reshapeGroup(AxisInfo &info, ArrayRef<int64_t> toShape,
                  ArrayRef<int64_t> allToDims, const AxisInfo &source,
                  ArrayRef<int64_t> fromShape, ArrayRef<int64_t> allFromDims) {
  int64_t elementDivisor = source.getElementDivisibility();
  for (int64_t d : allToDims)
    info.divisibility[d] = elementDivisor;
  // Dimensions of size 1 have no neighbours and hide those of the dimensions
  // beside them.
  auto hasNeighbours = [](ArrayRef<int64_t> shape) {
    return [shape](int64_t d) { return shape[d] > 1; };
  };
  auto fromDims = llvm::to_vector(
      llvm::make_filter_range(allFromDims, hasNeighbours(fromShape)));
  auto toDims = llvm::to_vector(
      llvm::make_filter_range(allToDims, hasNeighbours(toShape)));
  if (fromDims.empty())
    return;
  // In row-major order the last dimension of the group is the one whose
  // neighbours stay neighbours.
  int64_t from = fromDims.back(), to = toDims.back();
  int64_t run = std::min(source.contiguity[from], toShape[to]);
  info.contiguity[to] = run;
  info.divisibility[to] =
      std::max(elementDivisor, source.getDivisibilityAt(from, run));
  // Equal elements that fill the last dimension of the source continue in the
  // one before it.
  int64_t equal = 1;
  for (int64_t d : llvm::reverse(fromDims)) {
    equal *= source.constancy[d];
    if (source.constancy[d] != fromShape[d])
      break;
  }
  for (int64_t d : llvm::reverse(toDims)) {
    info.constancy[d] = std::min(equal, toShape[d]);
    equal = std::max<int64_t>(1, equal / toShape[d]);
  }
}

AxisInfo visitReshape(ReshapeOp op, const AxisInfo &source) {
  AxisInfo info = AxisInfo::unknown(op.getType());
  ArrayRef<int64_t> from = op.getSrc().getType().getShape(),
                    to = op.getType().getShape();
  if (from.empty() || to.empty()) {
    info.divisibility.assign(info.getRank(), source.getElementDivisibility());
    info.constant = source.constant;
    info.nonNegative = source.nonNegative;
    return info;
  }
  info.constant = source.constant;
  info.nonNegative = source.nonNegative;
  if (op.getAllowReorder() && !source.constant)
    return info;
  // Split both shapes from the right into the smallest groups with the same
  // number of elements. Dimensions of size 1 join the group to their right, so
  // that no group is empty on one side only.
  int64_t f = from.size() - 1, t = to.size() - 1;
  while (f >= 0 || t >= 0) {
    SmallVector<int64_t> fromDims, toDims;
    int64_t fromSize = 1, toSize = 1;
    auto takeFrom = [&] {
      fromSize *= from[f], fromDims.insert(fromDims.begin(), f--);
    };
    auto takeTo = [&] { toSize *= to[t], toDims.insert(toDims.begin(), t--); };
    if (f >= 0)
      takeFrom();
    if (t >= 0)
      takeTo();
    while (fromSize != toSize) {
      if (fromSize < toSize)
        takeFrom();
      else
        takeTo();
    }
    reshapeGroup(info, to, toDims, source, from, fromDims);
  }
  return info;
}

} // namespace

std::optional<AxisInfo> axis_info::inferShapeOp(Operation *op, Get get) {
  using Result = std::optional<AxisInfo>;
  auto source = [&]() -> const AxisInfo & { return get(op->getOperand(0)); };
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::ConstantOp constant) { return visitConstant(constant); })
      .Case([&](MakeRangeOp range) { return visitMakeRange(range); })
      .Case([&](SplatOp splat) { return visitSplat(splat, source()); })
      .Case([&](UnsplatOp unsplat) { return visitUnsplat(unsplat, source()); })
      .Case([&](BroadcastOp op) { return visitBroadcast(op, source()); })
      .Case([&](ExpandDimsOp expand) {
        return visitExpandDims(expand, source());
      })
      .Case([&](TransOp trans) { return visitTrans(trans, source()); })
      .Case([&](ReshapeOp reshape) { return visitReshape(reshape, source()); })
      .Default([](Operation *) { return std::nullopt; });
}
