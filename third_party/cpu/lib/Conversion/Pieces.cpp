//===- Pieces.cpp - stretches without the end of a row ----------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

bool cpu::asLess(arith::CmpIOp cmp, Value &lhs, Value &rhs, bool &orEqual) {
  lhs = cmp.getLhs();
  rhs = cmp.getRhs();
  switch (cmp.getPredicate()) {
  case arith::CmpIPredicate::slt:
    orEqual = false;
    return true;
  case arith::CmpIPredicate::sle:
    orEqual = true;
    return true;
  case arith::CmpIPredicate::sgt:
    orEqual = false;
    std::swap(lhs, rhs);
    return true;
  case arith::CmpIPredicate::sge:
    orEqual = true;
    std::swap(lhs, rhs);
    return true;
  default:
    return false;
  }
}

/// Does every piece of `x` end where one of `y` does? Rows of 64 do not cross
/// the ends of rows of 768.
static bool endsWith(const PieceValue &x, const PieceValue &y) {
  Operation *a = x.value.getDefiningOp(), *b = y.value.getDefiningOp();
  if (x.dims != y.dims ||
      !(y.masks.empty() || (x.masks == y.masks && x.maskDims == y.maskDims)))
    return false;
  auto p = dyn_cast<arith::CmpIOp>(a), q = dyn_cast<arith::CmpIOp>(b);
  Value lhs[2], rhs[2];
  bool orEqual[2];
  if (p && q) // `i < 768` and `i >= 768`
    return a->getOperands() == b->getOperands() &&
           asLess(p, lhs[0], rhs[0], orEqual[0]) &&
           asLess(q, lhs[1], rhs[1], orEqual[1]) &&
           (lhs[0] == lhs[1]) == (orEqual[0] == orEqual[1]);
  if (p || q || a->getOperand(0) != b->getOperand(0))
    return false;
  std::optional<int64_t> row = constantSplat(a->getOperand(1)),
                         other = constantSplat(b->getOperand(1));
  return a->getOperand(1) == b->getOperand(1) ||
         (row && other && *row % *other == 0);
}

namespace {
class PieceFinder {
public:
  PieceFinder(int vecDim, function_ref<bool(Value)> isKnown)
      : vecDim(vecDim), isKnown(isKnown) {}

  SmallVector<PieceValue> run(ArrayRef<Value> trees) {
    for (Value tree : trees) {
      auto type = dyn_cast<RankedTensorType>(tree.getType());
      walk(tree, identityMap(type ? type.getRank() : 0), Guard());
    }
    while (!guarded.empty()) {
      auto [load, dims] = guarded.pop_back_val();
      walk(load.getPtr(), dims, {load.getMask(), dims});
    }
    // A mask by itself costs less than loops.
    if (masks.size() < 2 && llvm::all_of(found, [](const PieceValue &p) {
          return isa<arith::CmpIOp>(p.value.getDefiningOp());
        }))
      found.clear();
    for (PieceValue &p : found)
      p.isImplied = llvm::any_of(found, [&](const PieceValue &other) {
        return &p != &other && !other.isImplied && endsWith(p, other);
      });
    return std::move(found);
  }

private:
  struct Guard {
    Value mask; ///< null: always
    DimMap dims;
  };

  int dimOf(const DimMap &dims) const {
    for (auto [i, d] : llvm::enumerate(dims))
      if (d == vecDim)
        return i;
    return -1;
  }

  /// Notes what is below `tree`.
  void walk(Value tree, const DimMap &at, const Guard &guard) {
    SmallVector<std::pair<LoadOp, DimMap>> loads;
    walkTree(tree, at, [&](Value v, const DimMap &dims) {
      if (isKnown(v))
        return false;
      int dim = dimOf(dims);
      Operation *op = v.getDefiningOp();
      if (dim < 0 || !op)
        return true;
      if (isa<arith::RemSIOp, arith::DivSIOp>(op) && isSimple(op, dim))
        note(v, dims, guard);
      auto load = dyn_cast<LoadOp>(op);
      if (!load || !load.getMask() || load.getIsVolatile() ||
          strideInPiece(load.getMask(), dim) != 0 ||
          hasKnown(load.getMask(), dims))
        return true;
      loads.push_back({load, dims});
      return false;
    });
    for (auto &[load, dims] : loads) {
      noteComparisons(load.getMask(), dims, guard);
      walk(load.getMask(), dims, guard);
      if (load.getOther())
        walk(load.getOther(), dims, guard);
      masks.insert(load.getMask());
      if (visited.insert(load).second)
        guarded.push_back({load, dims});
    }
  }

  void noteComparisons(Value mask, const DimMap &at, const Guard &guard) {
    walkTree(mask, at, [&](Value v, const DimMap &dims) {
      auto cmp = v.getDefiningOp<arith::CmpIOp>();
      int dim = dimOf(dims);
      if (!isKnown(v) && cmp && dim >= 0 && isSimple(cmp, dim))
        note(v, dims, guard);
      return !isKnown(v);
    });
  }

  /// Is something below `v` looked up, lane by lane, rather than computed?
  bool hasKnown(Value v, const DimMap &at) const {
    bool result = false;
    walkTree(v, at, [&](Value x, const DimMap &) {
      result |= isKnown(x);
      return !result;
    });
    return result;
  }

  /// Is the result simple though one of the operands is not the same in all
  /// lanes?
  bool isSimple(Operation *op, int dim) const {
    return strideInPiece(op->getResult(0), dim) &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             return strideInPiece(operand, dim) != 0;
           });
  }

  void note(Value v, const DimMap &dims, const Guard &guard) {
    for (PieceValue &p : found)
      if (p.value == v && p.dims == dims) {
        if (!guard.mask || (!p.masks.empty() && p.maskDims != guard.dims))
          p.masks.clear();
        else if (!p.masks.empty() && !llvm::is_contained(p.masks, guard.mask))
          p.masks.push_back(guard.mask);
        return;
      }
    found.push_back({v, dims, {}, guard.dims});
    if (guard.mask)
      found.back().masks.push_back(guard.mask);
  }

  int vecDim;
  function_ref<bool(Value)> isKnown;
  SmallVector<PieceValue> found;
  SmallVector<std::pair<LoadOp, DimMap>> guarded;
  DenseSet<Operation *> visited;
  DenseSet<Value> masks;
};
} // namespace

SmallVector<PieceValue>
cpu::findPieceValues(ArrayRef<Value> trees, int vecDim,
                     function_ref<bool(Value)> isKnown) {
  return PieceFinder(vecDim, isKnown).run(trees);
}
