//===- LoopUnroll.cpp - Unroll loops that ask for it ----------------------===//
//
// Whole file: a backend that defines the macro brings its own pass of this name
// in its library.
//
//===----------------------------------------------------------------------===//

#include "triton/Specialization.h"

#ifndef FLAGTREE_SPEC_Dialect_Triton_Transforms_LoopUnroll_cpp

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/BuiltinOps.h"
#include "triton/Dialect/Triton/Transforms/Passes.h"

namespace mlir::triton {
#define GEN_PASS_DEF_TRITONLOOPUNROLL
#include "triton/Dialect/Triton/Transforms/Passes.h.inc"
} // namespace mlir::triton

using namespace mlir;

namespace {

constexpr StringLiteral kUnrollFactor = "tt.loop_unroll_factor";
constexpr StringLiteral kNumStages = "tt.num_stages";
/// More copies than this are a mistake, which would fill the memory.
constexpr int64_t kMaxFactor = 1024;

struct LoopUnroll
    : public mlir::triton::impl::TritonLoopUnrollBase<LoopUnroll> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    // Inner loops first: an outer one then copies what is already unrolled.
    getOperation()->walk([&](scf::ForOp loop) {
      if (loop->hasAttr(kUnrollFactor))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(unroll(loop)))
        return signalPassFailure();
  }

private:
  static LogicalResult unroll(scf::ForOp loop) {
    auto factor = loop->getAttrOfType<IntegerAttr>(kUnrollFactor);
    if (!factor || factor.getInt() < 1 || factor.getInt() > kMaxFactor)
      return loop.emitError()
             << kUnrollFactor << " must be an integer in 1.." << kMaxFactor;
    loop->removeAttr(kUnrollFactor);
    if (factor.getInt() == 1)
      return success();
    FailureOr<UnrolledLoopInfo> unrolled =
        loopUnrollByFactor(loop, factor.getInt());
    if (failed(unrolled))
      return loop.emitError()
             << "cannot unroll this loop " << factor.getInt() << " times";
    // The few iterations that are left over are not worth a software pipeline.
    if (unrolled->epilogueLoopOp)
      (*unrolled->epilogueLoopOp)
          ->setAttr(kNumStages,
                    Builder(loop.getContext()).getI32IntegerAttr(1));
    return success();
  }
};

} // namespace

#endif // FLAGTREE_SPEC_Dialect_Triton_Transforms_LoopUnroll_cpp
