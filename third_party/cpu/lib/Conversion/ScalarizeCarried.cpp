//===- ScalarizeCarried.cpp - uniform steps of carried tensors --*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// A loop that carries a tensor and only adds a uniform value to it,
//   for ... iter_args(%p = %init) { ... yield addptr(%p, splat(%step)) }
// carries the sum of the steps instead and rebuilds the tensor where it is
// used. Matrix products advance their pointer tensors like that; as values of
// their own they would have to live in memory.
//
//===----------------------------------------------------------------------===//

#include "cpu/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

namespace {
/// The scalar that every element of `v` equals, or null.
Value uniformValue(Value v, OpBuilder &b) {
  if (auto splat = v.getDefiningOp<SplatOp>())
    return splat.getSrc();
  if (auto constant = v.getDefiningOp<arith::ConstantOp>())
    if (auto dense = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return arith::ConstantOp::create(
          b, v.getLoc(), cast<TypedAttr>(dense.getSplatValue<Attribute>()));
  return {};
}

/// The additions that lead from `arg` to `next`, innermost last, or nothing.
/// Each entry is the tensor that is added.
bool collectSteps(Value next, Value arg, SmallVectorImpl<Value> &steps) {
  while (next != arg) {
    Operation *op = next.getDefiningOp();
    if (!op || op->getBlock() != arg.getParentBlock())
      return false;
    if (auto add = dyn_cast<AddPtrOp>(op)) {
      steps.push_back(add.getOffset());
      next = add.getPtr();
      continue;
    }
    auto add = dyn_cast<arith::AddIOp>(op);
    if (!add)
      return false;
    bool isSplat = add.getRhs().getDefiningOp<SplatOp>() ||
                   add.getRhs().getDefiningOp<arith::ConstantOp>();
    steps.push_back(isSplat ? add.getRhs() : add.getLhs());
    next = isSplat ? add.getLhs() : add.getRhs();
  }
  return !steps.empty();
}

/// base + splat(offset), where base is a tensor of pointers or integers.
Value addUniform(OpBuilder &b, Location loc, Value base, Value offset) {
  auto type = cast<RankedTensorType>(base.getType());
  Type offsetTensor = type.clone(offset.getType());
  Value splat = SplatOp::create(b, loc, offsetTensor, offset);
  if (isa<triton::PointerType>(type.getElementType()))
    return AddPtrOp::create(b, loc, type, base, splat);
  return arith::AddIOp::create(b, loc, base, splat);
}

struct ScalarizeCarriedPass
    : public PassWrapper<ScalarizeCarriedPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScalarizeCarriedPass)

  StringRef getArgument() const override { return "cpu-scalarize-carried"; }
  StringRef getDescription() const override {
    return "Carry the sum of uniform steps instead of the stepped tensor";
  }

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
        rewrite(loop, i);
  }

private:
  void rewrite(scf::ForOp loop, unsigned index);
};
} // namespace

void ScalarizeCarriedPass::rewrite(scf::ForOp loop, unsigned index) {
  BlockArgument arg = loop.getRegionIterArg(index);
  auto type = dyn_cast<RankedTensorType>(arg.getType());
  if (!type)
    return;
  bool isPointer = isa<triton::PointerType>(type.getElementType());
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  SmallVector<Value> steps;
  if ((!isPointer && !type.getElementType().isInteger()) ||
      !collectSteps(yield.getOperand(index), arg, steps))
    return;
  OpBuilder b(yield);
  SmallVector<Value> scalars;
  for (Value step : steps) {
    Value scalar = uniformValue(step, b);
    if (!scalar)
      return;
    scalars.push_back(scalar);
  }
  // Offsets of pointers are summed as i64 so that the sum cannot wrap.
  Type sumType = isPointer ? Type(b.getI64Type()) : type.getElementType();
  Value sum;
  b.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(sumType, 0));
  Value init = loop.getInitArgs()[index];

  // The carried value becomes a scalar in place.
  loop.getInitArgsMutable()[index].assign(zero);
  arg.setType(sumType);
  b.setInsertionPointToStart(loop.getBody());
  Value inside = addUniform(b, loc, init, arg);
  arg.replaceAllUsesExcept(
      inside, inside.getDefiningOp()->getOperand(1).getDefiningOp());

  b.setInsertionPoint(yield);
  sum = arg;
  for (Value scalar : scalars) {
    if (scalar.getType() != sumType)
      scalar = b.createOrFold<arith::ExtSIOp>(loc, sumType, scalar);
    sum = arith::AddIOp::create(b, loc, sum, scalar);
  }
  yield->setOperand(index, sum);

  Value result = loop.getResult(index);
  result.setType(sumType);
  if (result.use_empty())
    return;
  b.setInsertionPointAfter(loop);
  Value outside = addUniform(b, loc, init, result);
  result.replaceAllUsesExcept(
      outside, outside.getDefiningOp()->getOperand(1).getDefiningOp());
}

std::unique_ptr<Pass> cpu::createScalarizeCarriedPass() {
  return std::make_unique<ScalarizeCarriedPass>();
}
