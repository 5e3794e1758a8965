//===- StoreGroups.cpp - stores that become one nest ------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "StoreGroups.h"
#include "Offsets.h"
#include "Plan.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static RankedTensorType tensorType(Value v) {
  return dyn_cast<RankedTensorType>(v.getType());
}

bool cpu::mayWrite(Operation *op) {
  if (isa<AssertOp>(op))
    return false; // no memory of the kernel
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &e) {
    return isa<MemoryEffects::Write>(e.getEffect());
  });
}

bool cpu::readsInOrder(LoadOp load, StoreOp store,
                       function_ref<bool(Value)> isStored) {
  if (!sameShapeOfOffsets(load.getPtr(), store.getPtr()))
    return false;
  bool inOrder = true;
  for (Value tree : store->getOperands())
    walkTree(tree,
             identityMap(tensorType(tree) ? tensorType(tree).getRank() : 0),
             [&](Value v, const DimMap &dims) {
               if (v == load.getResult() &&
                   dims != identityMap(tensorType(v).getRank()))
                 inOrder = false;
               return !isStored(v);
             });
  return inOrder;
}

/// Buffers much smaller than what a nest visits stay in the first cache.
static bool isSmall(LoadOp load, StoreOp store) {
  constexpr int64_t much = 4;
  return tensorType(load.getResult()).getNumElements() * much <=
         tensorType(store.getValue()).getNumElements();
}

/// The dimension along which `ptr` goes from one element to the next, or -1.
static int unitDim(Value ptr) {
  auto shape = tensorType(ptr).getShape();
  for (int d = shape.size() - 1; d >= 0; --d)
    if (shape[d] > 1 && strideInPiece(ptr, d) == 1)
      return d;
  return -1;
}

/// Do neighbours in memory lie along another dimension than the store's? Then a
/// buffer is the way to read and write whole vectors.
static bool isTransposed(LoadOp load, const DimMap &dims, StoreOp store) {
  int own = unitDim(load.getPtr()), others = unitDim(store.getPtr());
  return own >= 0 && others >= 0 && dims[own] != others;
}

/// May `load` wait for a nest at the place of `first`, but for what the nest
/// itself writes?
static bool mayWait(LoadOp load, StoreOp first) {
  if (!tensorType(load.getResult()) || load.getIsVolatile() ||
      load->getBlock() != first->getBlock() || !load->isBeforeInBlock(first) ||
      !hasBounds(load.getPtr()) || isSmall(load, first))
    return false;
  for (Operation *between = load->getNextNode(); between != first;
       between = between->getNextNode())
    if (mayWrite(between))
      return false;
  return true;
}

/// Calls `visit` for all loads below `tree` that a nest over it would do point
/// by point.
static void walkLoads(Value tree,
                      function_ref<void(LoadOp, const DimMap &)> visit) {
  auto type = tensorType(tree);
  if (!type)
    return;
  walkTree(tree, identityMap(type.getRank()), [&](Value v, const DimMap &dims) {
    bool visited = !dims.empty() || tensorType(v).getRank() == 0;
    if (auto load = v.getDefiningOp<LoadOp>(); load && visited)
      visit(load, dims);
    return visited;
  });
}

/// Fills in the loads; false if the group saves none from scratch memory.
static bool isWorthwhile(StoreGroup &group) {
  auto never = [](Value) { return false; };
  llvm::SetVector<Operation *> saved, transposed;
  for (auto [i, store] : llvm::enumerate(group.stores))
    walkLoads(store.getValue(),
              [&, i = i, store = store](LoadOp load, const DimMap &dims) {
                if (!mayWait(load, group.stores.front()))
                  return;
                if (isTransposed(load, dims, store)) {
                  transposed.insert(load);
                  return;
                }
                group.loads.insert(load);
                if (i > 0 || !readsInOrder(load, store, never))
                  saved.insert(load);
              });
  // Masks are looked at again when an overlap has been found.
  for (StoreOp store : group.stores)
    if (Value mask = store.getMask())
      walkLoads(mask,
                [&](LoadOp load, const DimMap &) { group.loads.remove(load); });
  for (Operation *load : transposed)
    group.loads.remove(load);
  return llvm::any_of(
      saved, [&](Operation *load) { return group.loads.contains(load); });
}

static bool mayStandBetween(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return (isVirtual(op) && !isa<LoadOp>(op)) ||
         op->hasTrait<OpTrait::ConstantLike>() || name == "llvm.intr.assume";
}

static bool mayBeInGroup(StoreOp store) {
  auto type = tensorType(store.getValue());
  return type && type.getRank() > 0 && hasBounds(store.getPtr());
}

SmallVector<StoreGroup> cpu::findStoreGroups(FuncOp func) {
  SmallVector<StoreGroup> groups;
  StoreGroup current;
  auto close = [&] {
    if (!current.stores.empty() && isWorthwhile(current))
      groups.push_back(std::move(current));
    current = StoreGroup();
  };
  func.walk([&](Block *block) {
    for (Operation &op : *block) {
      auto store = dyn_cast<StoreOp>(op);
      if (!store) {
        if (!mayStandBetween(&op))
          close();
        continue;
      }
      bool fits = mayBeInGroup(store);
      if (!current.stores.empty() &&
          (!fits ||
           tensorType(store.getValue()).getShape() !=
               tensorType(current.stores.front().getValue()).getShape()))
        close();
      if (fits)
        current.stores.push_back(store);
    }
    close();
  });
  return groups;
}
