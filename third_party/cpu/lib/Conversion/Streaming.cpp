//===- Streaming.cpp - stores that go past the caches -----------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Streaming.h"
#include "Plan.h"
#include "Provenance.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::triton;

/// Does the loop of a store call functions? Then it has the time to fetch lines
/// as it goes, while nontemporal stores make it wait: GELU takes 1.2 times as
/// long with them.
static bool computesMuch(StoreOp store, const cpu::Plan &plan) {
  bool much = false;
  Value value = store.getValue();
  auto type = cast<RankedTensorType>(value.getType());
  cpu::walkTree(value, cpu::identityMap(type.getRank()),
                [&](Value v, const cpu::DimMap &) {
                  if (plan.isStored(v) || plan.isLazy(v))
                    return false;
                  Operation *op = v.getDefiningOp();
                  much |= op && cpu::isExpensive(op);
                  return !much;
                });
  return much;
}

llvm::DenseSet<Operation *> cpu::streamableStores(FuncOp func,
                                                  const Plan &plan) {
  uint64_t read = 0;
  bool unknown = false;
  SmallVector<StoreOp> stores;
  func.walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      stores.push_back(store);
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      uint64_t arguments = baseArguments(load.getPtr());
      unknown |= arguments == 0 || load.getIsVolatile();
      read |= arguments;
    } else if (auto assembly = dyn_cast<ElementwiseInlineAsmOp>(op)) {
      unknown |= !assembly.getPure();
    } else if (auto call = dyn_cast<ExternElementwiseOp>(op)) {
      unknown |= !call.getPure();
    } else if (isa<AtomicRMWOp, AtomicCASOp, scf::WhileOp>(op)) {
      unknown = true;
    }
  });
  llvm::DenseSet<Operation *> result;
  if (unknown)
    return result;
  for (StoreOp store : stores) {
    uint64_t arguments = baseArguments(store.getPtr());
    if (arguments && !(arguments & read) &&
        isa<RankedTensorType>(store.getValue().getType()) &&
        !computesMuch(store, plan))
      result.insert(store);
  }
  return result;
}
