//===- Plan.h - which tensors are stored ------------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_PLAN_H
#define CPU_LIB_CONVERSION_PLAN_H

#include "Offsets.h"
#include "StoreGroups.h"

#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton::cpu {

/// True for an operation whose result can be computed at a point from its
/// operands at (other) points.
bool isVirtual(Operation *op);

/// True for functions and for reading at indices: the costs of a vector of
/// results are far from those of an addition.
bool isExpensive(Operation *op);

/// True if `op` only adds or drops dimensions of size 1.
bool isTrivialReshape(ReshapeOp op);

/// For every dimension of a value below a root: the root's dimension with the
/// same index, or -1 if the index is always 0.
using DimMap = SmallVector<int, 4>;
DimMap identityMap(unsigned rank);

/// Visits `v` and the virtual values below it, with their dimensions relative
/// to the root. `visit` returns false to stop at a value. Dimensions below a
/// true reshape are unknown; the walk goes on with an empty map.
void walkTree(Value v, const DimMap &dims,
              function_ref<bool(Value, const DimMap &)> visit);

/// Which tensors of a function live in scratch memory.
class Plan {
public:
  void analyze(FuncOp func);
  /// Computed where it is defined.
  bool isStored(Value v) const { return stored.contains(v); }
  /// Computed by the first root that needs it.
  bool isLazy(Value v) const { return lazy.contains(v); }
  /// The operations that evaluate `v`: roots that reach it through virtual
  /// values which are not stored. The last store stands for those of a group.
  void collectRoots(Value v, llvm::SetVector<Operation *> &roots) const;
  /// The group that a store is part of, or null.
  const StoreGroup *groupOf(Operation *op) const;

private:
  Operation *emittedAt(Operation *root) const;
  void planLoad(LoadOp op);
  void planShared(Operation *op);
  bool isExpensive(Value v) const;

  SmallVector<StoreGroup> groups;
  DenseMap<Operation *, unsigned> groupIndex;
  DenseSet<Value> stored;
  DenseSet<Value> lazy;
};

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_PLAN_H
