//===- Recompute.cpp - elements that need not move --------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Offsets, pointers and masks are arithmetic on ranges and scalars. A thread
// that needs such an element of another thread computes it again, which is
// cheaper than shared memory and two barriers.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

namespace {
/// Operations for one element, beyond which it is read from shared memory.
constexpr int kBudget = 24;
} // namespace

static bool isSplatConstant(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

static bool movesElements(Operation *op) {
  return isa<BroadcastOp, TransOp, ExpandDimsOp, ReshapeOp>(op);
}

bool Emitter::isCheap(Value v, int &budget) {
  Operation *op = v.getDefiningOp();
  if (!op || --budget < 0)
    return false;
  if (isa<SplatOp, MakeRangeOp>(op) || isSplatConstant(op))
    return true;
  bool isArithmetic =
      op->getNumResults() == 1 && op->getNumRegions() == 0 &&
      (isa<AddPtrOp>(op) || op->getName().getDialectNamespace() == "arith");
  if (!isArithmetic && !movesElements(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isa<RankedTensorType>(operand.getType()) ||
           isCheap(operand, budget);
  });
}

SmallVector<Index> Emitter::sourceIndex(Operation *op, ArrayRef<Index> at) {
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Index> from(at);
  if (isa<BroadcastOp>(op)) {
    for (auto [extent, index] : llvm::zip(source.getShape(), from))
      if (extent == 1)
        index = Index();
  } else if (auto trans = dyn_cast<TransOp>(op)) {
    for (auto [dim, sourceDim] : llvm::enumerate(trans.getOrder()))
      from[sourceDim] = at[dim];
  } else {
    Index index = linear(at, result.getShape());
    Layout layout(source.getShape(), 1, 1);
    from.clear();
    for (int64_t dim = 0; dim < source.getRank(); ++dim)
      from.push_back(extract(index, layout.dimBits(dim)));
  }
  return from;
}

Value Emitter::recompute(Value v, ArrayRef<Index> at) {
  Operation *op = v.getDefiningOp();
  if (auto splat = dyn_cast<SplatOp>(op))
    return scalar(splat.getSrc());
  if (isSplatConstant(op))
    return registers(v).front();
  if (auto range = dyn_cast<MakeRangeOp>(op))
    return b.createOrFold<arith::AddIOp>(loc, value(at.front()),
                                         i32(range.getStart()));
  if (movesElements(op))
    return recompute(op->getOperand(0), sourceIndex(op, at));
  Registers args;
  for (Value operand : op->getOperands())
    args.push_back(isa<RankedTensorType>(operand.getType())
                       ? recompute(operand, at)
                       : scalar(operand));
  return apply(op, args);
}

void Emitter::emitMoved(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  if (cast<RankedTensorType>(source.getType()).getNumElements() == 1) {
    set(result, Registers(layoutOf(type).registers(), scalar(source)));
    return;
  }
  int budget = kBudget;
  bool again = isCheap(source, budget);
  std::optional<SharedBlock> block;
  if (!again) {
    beginShared();
    block = stage(source);
    barrier();
  }
  Layout layout = layoutOf(type);
  auto shape = cast<RankedTensorType>(source.getType()).getShape();
  Registers values;
  for (int64_t r = 0; r < layout.registers() && !failed; ++r) {
    SmallVector<Index> at = sourceIndex(op, coordinates(layout, r));
    values.push_back(again ? recompute(source, at)
                           : readShared(*block, linear(at, shape)));
  }
  set(result, values);
}
