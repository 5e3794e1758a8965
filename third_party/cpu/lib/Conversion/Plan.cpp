//===- Plan.cpp - which tensors are stored ----------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// A virtual tensor is recomputed by every root that needs it. That is wrong for
// a load when something may have changed the memory in between, and wasteful
// for values that are expensive or that a loop would recompute. Those get a
// buffer. Everything else stays virtual, which keeps elementwise chains in
// registers.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static RankedTensorType tensorType(Value v) {
  return dyn_cast<RankedTensorType>(v.getType());
}

bool cpu::isVirtual(Operation *op) {
  if (!op || op->getNumResults() == 0 || op->getNumRegions() != 0)
    return false;
  if (isa<SplatOp, MakeRangeOp, ExpandDimsOp, BroadcastOp, TransOp, ReshapeOp,
          AddPtrOp, BitcastOp, IntToPtrOp, PtrToIntOp, FpToFpOp, ClampFOp,
          PreciseSqrtOp, PreciseDivFOp, MulhiUIOp, GatherOp, SplitOp, LoadOp,
          UnsplatOp>(op))
    return true;
  if (auto ext = dyn_cast<ExternElementwiseOp>(op))
    return ext.getPure();
  if (op->getNumResults() != 1)
    return false;
  StringRef dialect = op->getName().getDialectNamespace();
  return (dialect == "arith" || dialect == "math" || dialect == "ub") &&
         isMemoryEffectFree(op); // division is not pure, but made safe
}

bool cpu::isTrivialReshape(ReshapeOp op) {
  auto keep = [](Type t) {
    SmallVector<int64_t> dims;
    for (int64_t d : cast<RankedTensorType>(t).getShape())
      if (d != 1)
        dims.push_back(d);
    return dims;
  };
  return keep(op.getSrc().getType()) == keep(op.getType());
}

DimMap cpu::identityMap(unsigned rank) {
  return llvm::to_vector<4>(llvm::seq<int>(0, rank));
}

/// Dimensions of a reshape's operand when only unit dimensions differ.
static DimMap reshapeDims(ReshapeOp op, const DimMap &dims) {
  SmallVector<int> big;
  for (auto [i, d] :
       llvm::enumerate(cast<RankedTensorType>(op.getType()).getShape()))
    if (d != 1)
      big.push_back(dims[i]);
  DimMap result;
  unsigned next = 0;
  for (int64_t d : cast<RankedTensorType>(op.getSrc().getType()).getShape())
    result.push_back(d == 1 ? -1 : big[next++]);
  return result;
}

namespace {
/// The walk of walkTree. Shared values are visited once per set of dimensions,
/// or the walk of a random number generator would never end.
class TreeWalker {
public:
  explicit TreeWalker(function_ref<bool(Value, const DimMap &)> visit)
      : visit(visit) {}

  void walk(Value v, const DimMap &dims) {
    if (!tensorType(v))
      return;
    SmallVector<DimMap, 1> &before = seen[v];
    if (llvm::is_contained(before, dims))
      return;
    before.push_back(dims);
    if (!visit(v, dims))
      return;
    Operation *op = v.getDefiningOp();
    if (!isVirtual(op) || isa<SplatOp>(op))
      return;
    DimMap below = operandDims(op, dims);
    for (Value operand : op->getOperands())
      walk(operand, below);
  }

private:
  static DimMap operandDims(Operation *op, const DimMap &dims) {
    DimMap below = dims;
    if (dims.empty())
      return below;
    if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
      below.erase(below.begin() + expand.getAxis());
    } else if (auto bcast = dyn_cast<BroadcastOp>(op)) {
      auto shape = tensorType(bcast.getSrc()).getShape();
      for (auto [i, d] : llvm::enumerate(below))
        if (shape[i] == 1)
          d = -1;
    } else if (auto trans = dyn_cast<TransOp>(op)) {
      for (auto [i, src] : llvm::enumerate(trans.getOrder()))
        below[src] = dims[i];
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      below = isTrivialReshape(reshape) ? reshapeDims(reshape, dims) : DimMap();
    } else if (isa<GatherOp, SplitOp, UnsplatOp>(op)) {
      below.clear();
    }
    return below;
  }

  function_ref<bool(Value, const DimMap &)> visit;
  DenseMap<Value, SmallVector<DimMap, 1>> seen;
};
} // namespace

void cpu::walkTree(Value v, const DimMap &dims,
                   function_ref<bool(Value, const DimMap &)> visit) {
  TreeWalker(visit).walk(v, dims);
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

bool cpu::isExpensive(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::ErfOp,
             math::SinOp, math::CosOp, math::TanhOp, math::PowFOp,
             ExternElementwiseOp, GatherOp>(op);
}

static bool isShapeOnly(Operation *op) {
  return isa<SplatOp, BroadcastOp, ExpandDimsOp, TransOp, ReshapeOp, UnsplatOp,
             SplitOp>(op);
}

bool Plan::isExpensive(Value v) const {
  bool expensive = false;
  DenseSet<Value> seen;
  walkTree(v, DimMap(), [&](Value x, const DimMap &) {
    if (x != v && (stored.contains(x) || lazy.contains(x)))
      return false;
    Operation *op = x.getDefiningOp();
    expensive |= op && (cpu::isExpensive(op) || isa<LoadOp>(op));
    return !expensive && seen.insert(x).second;
  });
  return expensive;
}

const StoreGroup *Plan::groupOf(Operation *op) const {
  auto it = groupIndex.find(op);
  return it == groupIndex.end() ? nullptr : &groups[it->second];
}

Operation *Plan::emittedAt(Operation *root) const {
  const StoreGroup *group = groupOf(root);
  if (!group)
    return root;
  StoreOp last = group->stores.back();
  return last;
}

void Plan::collectRoots(Value v, llvm::SetVector<Operation *> &roots) const {
  SmallVector<Value> work{v};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value x = work.pop_back_val();
    if (!seen.insert(x).second)
      continue;
    if (x != v && lazy.contains(x)) {
      // Only the first root computes it; the others read the buffer.
      llvm::SetVector<Operation *> all;
      collectRoots(x, all);
      Operation *first = nullptr;
      for (Operation *op : all) {
        Operation *here = x.getParentBlock()->findAncestorOpInBlock(*op);
        if (!first || (here && here->isBeforeInBlock(first)))
          first = here;
      }
      if (first)
        roots.insert(first);
      continue;
    }
    for (Operation *user : x.getUsers()) {
      bool goesOn = isVirtual(user) &&
                    isa<RankedTensorType>(user->getResult(0).getType()) &&
                    !stored.contains(user->getResult(0));
      if (!goesOn)
        roots.insert(emittedAt(user));
      else
        work.append(user->result_begin(), user->result_end());
    }
  }
}

void Plan::planLoad(LoadOp op) {
  llvm::SetVector<Operation *> roots;
  collectRoots(op.getResult(), roots);
  Block *block = op->getBlock();
  for (Operation *root : roots) {
    if (root->getBlock() != block) {
      stored.insert(op.getResult());
      return;
    }
    const StoreGroup *group = groupOf(root);
    for (Operation *between = op->getNextNode(); between != root;
         between = between->getNextNode())
      if (mayWrite(between) && !(group && groupOf(between) == group)) {
        stored.insert(op.getResult());
        return;
      }
    if (root->getNumRegions() != 0 || !mayWrite(root))
      continue;
    // The root itself writes while it reads.
    auto store = dyn_cast<StoreOp>(root);
    bool waits = group ? group->loads.contains(op)
                       : store && readsInOrder(op, store, [this](Value v) {
                           return stored.contains(v);
                         });
    if (!waits) {
      stored.insert(op.getResult());
      return;
    }
  }
}

void Plan::planShared(Operation *op) {
  Value v = op->getResult(0);
  llvm::SetVector<Operation *> roots;
  collectRoots(v, roots);
  if (!isShapeOnly(op) && llvm::any_of(roots, [&](Operation *root) {
        return root->getBlock() != op->getBlock();
      })) {
    if (isExpensive(v))
      stored.insert(v);
    return;
  }
  bool scattered = false;
  if (auto load = dyn_cast<LoadOp>(op)) {
    int last = tensorType(v).getRank() - 1;
    std::optional<int64_t> stride = strideInPiece(load.getPtr(), last);
    scattered = !stride || *stride > 1;
  }
  if (roots.size() > 1 && (cpu::isExpensive(op) || scattered))
    lazy.insert(v);
}

void Plan::analyze(FuncOp func) {
  stored.clear();
  lazy.clear();
  groupIndex.clear();
  groups = findStoreGroups(func);
  for (auto [i, group] : llvm::enumerate(groups))
    for (StoreOp store : group.stores)
      groupIndex[store] = i;
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) { ops.push_back(op); });
  // Users first, so that a value sees what was decided about the values above.
  for (Operation *op : llvm::reverse(ops)) {
    if (!isVirtual(op) || !tensorType(op->getResult(0)))
      continue;
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      // Read linearly, which only a buffer can do in general.
      if (!isTrivialReshape(reshape) &&
          isVirtual(reshape.getSrc().getDefiningOp()))
        stored.insert(reshape.getSrc());
    } else if (auto gather = dyn_cast<GatherOp>(op)) {
      stored.insert(gather.getSrc());
    } else if (auto split = dyn_cast<SplitOp>(op)) {
      if (isVirtual(split.getSrc().getDefiningOp()))
        stored.insert(split.getSrc());
    }
    if (stored.contains(op->getResult(0)))
      continue;
    if (auto load = dyn_cast<LoadOp>(op))
      planLoad(load);
    if (!stored.contains(op->getResult(0)) && op->getNumResults() == 1)
      planShared(op);
  }
}
