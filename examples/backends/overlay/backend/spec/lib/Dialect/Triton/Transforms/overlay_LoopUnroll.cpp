//===- overlay_LoopUnroll.cpp - Unroll as far as the loop buffer goes -----===//
//
// Like the trunk's pass, but a factor above the pass's option is lowered to it.
//
//===----------------------------------------------------------------------===//

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

struct LoopUnroll : mlir::triton::impl::TritonLoopUnrollBase<LoopUnroll> {
  using Base = mlir::triton::impl::TritonLoopUnrollBase<LoopUnroll>;
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (loop->hasAttr(kUnrollFactor))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(unroll(loop)))
        return signalPassFailure();
  }

private:
  LogicalResult unroll(scf::ForOp loop) {
    auto wanted = loop->getAttrOfType<IntegerAttr>(kUnrollFactor);
    if (!wanted || wanted.getInt() < 1)
      return loop.emitError() << kUnrollFactor << " must be a positive integer";
    loop->removeAttr(kUnrollFactor);
    int64_t factor = std::min<int64_t>(wanted.getInt(), maxFactor);
    if (factor == 1 || succeeded(loopUnrollByFactor(loop, factor)))
      return success();
    return loop.emitError() << "cannot unroll this loop " << factor << " times";
  }
};

} // namespace
