//===- LoopInvariantCodeMotion.cpp - Hoist invariant code and loads -------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/Triton/Transforms/Passes.h"

namespace mlir::triton {
#define GEN_PASS_DEF_TRITONLOOPINVARIANTCODEMOTION
#include "triton/Dialect/Triton/Transforms/Passes.h.inc"
} // namespace mlir::triton

using namespace mlir;
using namespace mlir::triton;

namespace {

/// Nothing inside the loop writes memory; an operation of unknown effects
/// might.
bool onlyReads(scf::ForOp loop) {
  WalkResult walk = loop.getBody()->walk([](Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(op))
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    return effects && effects.onlyHasEffect<MemoryEffects::Read>()
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

bool runsAtLeastOnce(scf::ForOp loop) {
  APInt lower, upper;
  return matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
         matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
         (loop.getUnsignedCmp() ? lower.ult(upper) : lower.slt(upper));
}

/// Is true when the loop runs, in the type of the load's mask.
Value buildRunsMask(OpBuilder &builder, scf::ForOp loop, LoadOp load) {
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                         : arith::CmpIPredicate::slt;
  Value runs =
      arith::CmpIOp::create(builder, load.getLoc(), predicate,
                            loop.getLowerBound(), loop.getUpperBound());
  Type maskType = getI1SameShape(load.getType());
  if (isa<RankedTensorType>(maskType))
    runs = SplatOp::create(builder, load.getLoc(), maskType, runs);
  return load.getMask() ? arith::AndIOp::create(builder, load.getLoc(),
                                                load.getMask(), runs)
                        : runs;
}

bool canHoist(scf::ForOp loop, LoadOp load) {
  bool operandsOutside = llvm::all_of(load->getOperands(), [&](Value value) {
    return loop.isDefinedOutsideOfLoop(value);
  });
  // A block pointer has no mask that could keep it from reading.
  return operandsOutside && !load.getIsVolatile() &&
         (runsAtLeastOnce(loop) ||
          !isTensorPointerType(load.getPtr().getType()));
}

void hoistLoads(scf::ForOp loop) {
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load || !canHoist(loop, load))
      continue;
    if (!runsAtLeastOnce(loop)) {
      OpBuilder builder(loop);
      Value mask = buildRunsMask(builder, loop, load);
      Value guarded = LoadOp::create(builder, load.getLoc(), load.getPtr(),
                                     mask, load.getOther(), load.getCache(),
                                     load.getEvict(), load.getIsVolatile());
      load.replaceAllUsesWith(guarded);
      load.erase();
    } else {
      loop.moveOutOfLoop(load);
    }
  }
}

struct LoopInvariantCodeMotion
    : public mlir::triton::impl::TritonLoopInvariantCodeMotionBase<
          LoopInvariantCodeMotion> {
  void runOnOperation() override {
    // Inner loops first, so that what leaves one can leave the next.
    getOperation()->walk([](LoopLikeOpInterface loop) {
      moveLoopInvariantCode(loop);
      auto forLoop = dyn_cast<scf::ForOp>(loop.getOperation());
      if (!forLoop || !onlyReads(forLoop))
        return;
      hoistLoads(forLoop);
      moveLoopInvariantCode(loop);
    });
  }
};

} // namespace
