//===- LiftControlFlow.cpp - Branches between blocks as scf ---------------===//
//
// Our front end builds structured code; other producers of TTIR write early
// returns and loops as branches of `cf`. MLIR's algorithm gives them structure
// without copying code; this file says what a function of `tt` ends with, and
// turns switches into chains of scf.if, which are all that lowerings know.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/Triton/Transforms/Passes.h"

namespace mlir::triton {
#define GEN_PASS_DEF_TRITONLIFTCONTROLFLOW
#include "triton/Dialect/Triton/Transforms/Passes.h.inc"
} // namespace mlir::triton

using namespace mlir;
using namespace mlir::triton;

namespace {

class Lifting : public ControlFlowToSCFTransformation {
public:
  /// What follows an endless loop: never reached, but a body needs an end.
  FailureOr<Operation *> createUnreachableTerminator(Location loc,
                                                     OpBuilder &builder,
                                                     Region &region) override {
    auto func = dyn_cast<FuncOp>(region.getParentOp());
    if (!func)
      return failure();
    SmallVector<Value> results;
    for (Type type : func.getFunctionType().getResults())
      results.push_back(getUndefValue(loc, builder, type));
    return ReturnOp::create(builder, loc, results).getOperation();
  }
};

/// Replaces `op` by comparisons with one case after the other.
void replaceSwitch(scf::IndexSwitchOp op, IRRewriter &rewriter) {
  Location loc = op.getLoc();
  // The flags of lifted code are numbers, which only scf.index_switch wants
  // as an index.
  Value flag = op.getArg();
  if (auto cast = flag.getDefiningOp<arith::IndexCastUIOp>())
    flag = cast.getIn();
  rewriter.setInsertionPoint(op);
  if (op.getNumCases() == 0) {
    Operation *yield = op.getDefaultBlock().getTerminator();
    SmallVector<Value> results(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&op.getDefaultBlock(), op);
    return rewriter.replaceOp(op, results);
  }
  scf::IfOp first;
  for (auto [index, value] : llvm::enumerate(op.getCases())) {
    // Negative cases of narrow flags may come as large unsigned numbers.
    unsigned width = flag.getType().isIndex()
                         ? IndexType::kInternalStorageBitWidth
                         : flag.getType().getIntOrFloatBitWidth();
    APInt bits = APInt(64, value).sextOrTrunc(width);
    Value wanted = arith::ConstantOp::create(
        rewriter, loc, rewriter.getIntegerAttr(flag.getType(), bits));
    Value isCase = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, flag, wanted);
    auto branch = scf::IfOp::create(rewriter, loc, op.getResultTypes(), isCase,
                                    /*addThenBlock=*/false,
                                    /*addElseBlock=*/false);
    branch.getThenRegion().takeBody(op.getCaseRegions()[index]);
    if (first)
      scf::YieldOp::create(rewriter, loc, branch.getResults());
    else
      first = branch;
    if (index + 1 == op.getNumCases())
      branch.getElseRegion().takeBody(op.getDefaultRegion());
    else
      rewriter.createBlock(&branch.getElseRegion());
  }
  rewriter.replaceOp(op, first.getResults());
}

/// Makes one block of those of `region`, a body of `op`.
LogicalResult lift(Region &region, Operation *op) {
  IRRewriter rewriter(op->getContext());
  // Blocks that nobody reaches have no place in a structure.
  (void)eraseUnreachableBlocks(rewriter, region);
  Lifting interface;
  DominanceInfo dominance(op);
  if (failed(transformCFGToSCF(region, interface, dominance)) ||
      !region.hasOneBlock())
    return op->emitOpError(
        "has control flow that cannot be made structured; use cf.br, "
        "cf.cond_br and cf.switch, and end all blocks without a successor in "
        "the same kind of return");
  SmallVector<scf::IndexSwitchOp> switches;
  region.walk([&](scf::IndexSwitchOp nested) { switches.push_back(nested); });
  for (scf::IndexSwitchOp nested : switches)
    replaceSwitch(nested, rewriter);
  return success();
}

struct LiftControlFlow
    : public mlir::triton::impl::TritonLiftControlFlowBase<LiftControlFlow> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (isa<FuncOp, MapElementwiseOp>(op) &&
          llvm::hasNItemsOrMore(op->getRegion(0), 2))
        found.push_back(op);
    });
    if (found.empty())
      return markAllAnalysesPreserved();
    for (Operation *op : found)
      if (failed(lift(op->getRegion(0), op)))
        return signalPassFailure();
  }
};

} // namespace
