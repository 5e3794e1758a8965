//===- Provenance.cpp - which argument a pointer comes from -----*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Provenance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton;

namespace {
/// Collects what may flow into a pointer.
class Search {
public:
  uint64_t arguments = 0;

  /// False when something else than an argument flows in.
  bool visit(Value pointer) {
    if (!seen.insert(pointer).second)
      return true;
    if (auto argument = dyn_cast<BlockArgument>(pointer))
      return visitArgument(argument);
    Operation *op = pointer.getDefiningOp();
    unsigned index = cast<OpResult>(pointer).getResultNumber();
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case([&](AddPtrOp add) { return visit(add.getPtr()); })
        .Case([&](arith::SelectOp select) {
          return visit(select.getTrueValue()) && visit(select.getFalseValue());
        })
        .Case([&](GatherOp gather) { return visit(gather.getSrc()); })
        .Case([&](scf::ForOp loop) { return visitCarried(loop, index); })
        .Case([&](scf::IfOp branch) {
          return visit(branch.thenYield().getOperand(index)) &&
                 visit(branch.elseYield().getOperand(index));
        })
        .Case([&](scf::WhileOp loop) {
          return visit(loop.getConditionOp().getArgs()[index]);
        })
        .Case<SplatOp, BroadcastOp, ExpandDimsOp, TransOp, ReshapeOp, BitcastOp,
              UnsplatOp, SplitOp, CatOp, JoinOp>([&](Operation *shape) {
          return llvm::all_of(shape->getOperands(),
                              [&](Value v) { return visit(v); });
        })
        .Default([](Operation *) { return false; });
  }

private:
  bool visitCarried(scf::ForOp loop, unsigned index) {
    return visit(loop.getInitArgs()[index]) &&
           visit(loop.getYieldedValues()[index]);
  }

  bool visitArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned index = argument.getArgNumber();
    if (isa<FuncOp>(parent)) {
      if (index >= 64)
        return false;
      arguments |= uint64_t(1) << index;
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return index >= 1 && visitCarried(loop, index - 1);
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      if (argument.getOwner() == loop.getAfterBody())
        return visit(loop.getConditionOp().getArgs()[index]);
      return visit(loop.getInits()[index]) &&
             visit(loop.getYieldOp().getOperand(index));
    }
    return false;
  }

  llvm::DenseSet<Value> seen;
};
} // namespace

uint64_t cpu::baseArguments(Value pointer) {
  Search search;
  return search.visit(pointer) ? search.arguments : 0;
}
