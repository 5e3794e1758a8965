//===- StoreGroups.h - stores that become one nest --------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_STOREGROUPS_H
#define CPU_LIB_CONVERSION_STOREGROUPS_H

#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton::cpu {

/// Stores of one shape with nothing but virtual values between them. They are
/// emitted where the last one stands, as one nest that computes the values of
/// all before it writes any. The loads, which all precede the stores, wait for
/// the nest although it writes. What that may change is found out at run time
/// (Emitter::mayOverlap).
struct StoreGroup {
  SmallVector<StoreOp> stores; ///< in program order
  llvm::SetVector<Operation *> loads;
};

bool mayWrite(Operation *op);

/// Is `load` read by `store` in the order in which it is written over, even if
/// the two are the same memory?
bool readsInOrder(LoadOp load, StoreOp store,
                  function_ref<bool(Value)> isStored);

/// The groups of `func` that save a load from being kept in scratch memory.
SmallVector<StoreGroup> findStoreGroups(FuncOp func);

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_STOREGROUPS_H
