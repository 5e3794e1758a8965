//===- Offsets.cpp - what is known about where accesses go ------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Offsets.h"
#include "Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static RankedTensorType tensorType(Value v) {
  return dyn_cast<RankedTensorType>(v.getType());
}

std::optional<int64_t> cpu::constantSplat(Value v) {
  if (auto splat = v.getDefiningOp<SplatOp>())
    v = splat.getSrc();
  Attribute attr;
  if (auto c = v.getDefiningOp<arith::ConstantOp>())
    attr = c.getValue();
  if (auto dense = dyn_cast_or_null<SplatElementsAttr>(attr))
    attr = dense.getSplatValue<Attribute>();
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getValue().getSExtValue();
  return std::nullopt;
}

namespace {
/// Of what strideAlong and strideInPiece say.
struct Extent {
  bool isPiece;
  int budget = 512; ///< how many values are looked at
};
} // namespace

/// What remainders, quotients and comparisons are within a piece, if that is
/// what makes them simple.
static std::optional<int64_t> strideOfPiece(Operation *op,
                                            ArrayRef<int64_t> strides) {
  if (isa<arith::RemSIOp, arith::DivSIOp>(op)) {
    std::optional<int64_t> row = constantSplat(op->getOperand(1));
    if (strides[0] != 1 || strides[1] != 0 || (row && *row < kShortestRow))
      return std::nullopt;
    return isa<arith::RemSIOp>(op) ? 1 : 0;
  }
  auto cmp = dyn_cast<arith::CmpIOp>(op);
  if (cmp && strides[0] + strides[1] == 1 && strides[0] * strides[1] == 0)
    switch (cmp.getPredicate()) {
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sle:
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::sge:
      return 0;
    default:
      break;
    }
  return std::nullopt;
}

/// Can a piece end where `op` would no longer commute with the steps?
static bool keepsSteps(Operation *op) {
  auto ext = dyn_cast<arith::ExtSIOp>(op);
  return isa<BroadcastOp>(op) ||
         (ext &&
          getElementTypeOrSelf(ext.getIn().getType()).getIntOrFloatBitWidth() >=
              32);
}

static std::optional<int64_t> strideWithin(Value v, int dim, Extent &extent) {
  Operation *op = v.getDefiningOp();
  if (dim < 0 || !tensorType(v) || tensorType(v).getDimSize(dim) == 1)
    return 0;
  if (!op || --extent.budget < 0)
    return std::nullopt;
  if (isa<SplatOp>(op))
    return 0;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue())
               ? std::optional<int64_t>(0)
               : std::nullopt;
  if (isa<MakeRangeOp>(op))
    return 1;
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    int axis = expand.getAxis();
    return dim == axis
               ? 0
               : strideWithin(expand.getSrc(), dim - (dim > axis), extent);
  }
  if (auto trans = dyn_cast<TransOp>(op))
    return strideWithin(trans.getSrc(), trans.getOrder()[dim], extent);
  if (isa<BroadcastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
    std::optional<int64_t> stride =
        strideWithin(op->getOperand(0), dim, extent);
    return extent.isPiece && stride != 0 && !keepsSteps(op) ? std::nullopt
                                                            : stride;
  }
  if (!isVirtual(op) || isa<ReshapeOp, GatherOp, SplitOp>(op))
    return std::nullopt;

  SmallVector<int64_t> strides;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> stride = strideWithin(operand, dim, extent);
    if (!stride)
      return std::nullopt;
    strides.push_back(*stride);
  }
  if (llvm::all_of(strides, [](int64_t s) { return s == 0; }))
    return 0;
  if (isa<AddPtrOp, arith::AddIOp>(op))
    return strides[0] + strides[1];
  if (isa<arith::SubIOp>(op))
    return strides[0] - strides[1];
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0, 1})
      if (auto factor = constantSplat(op->getOperand(1 - i)))
        return strides[i] * *factor;
  return extent.isPiece ? strideOfPiece(op, strides) : std::nullopt;
}

std::optional<int64_t> cpu::strideAlong(Value v, int dim) {
  Extent whole{/*isPiece=*/false};
  return strideWithin(v, dim, whole);
}

std::optional<int64_t> cpu::strideInPiece(Value v, int dim) {
  Extent piece{/*isPiece=*/true};
  return strideWithin(v, dim, piece);
}

static bool isUniform(Value v) {
  return !tensorType(v) || v.getDefiningOp<SplatOp>() || constantSplat(v);
}

/// What is left of a sum when what is the same for all elements is taken off.
static Value withoutUniformTerms(Value v) {
  while (Operation *op = v.getDefiningOp()) {
    if (!isa<AddPtrOp, arith::AddIOp, arith::SubIOp>(op))
      break;
    if (isUniform(op->getOperand(1)))
      v = op->getOperand(0);
    else if (isUniform(op->getOperand(0)) && !isa<arith::SubIOp>(op))
      v = op->getOperand(1);
    else
      break;
  }
  return v;
}

/// `isFactor`: below a product, where a uniform difference would not stay one.
/// `moved`: uniform terms of sums may be there or not.
static bool sameOffsets(Value a, Value b, bool isFactor, bool moved) {
  if (moved && !isFactor) {
    a = withoutUniformTerms(a);
    b = withoutUniformTerms(b);
  }
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || x->getName() != y->getName() ||
      x->getNumOperands() != y->getNumOperands() || !isVirtual(x) ||
      a.getType().getTypeID() != b.getType().getTypeID())
    return false;
  if (auto t = tensorType(a); t && t.getShape() != tensorType(b).getShape())
    return false;
  if (isa<SplatOp>(x))
    return !isFactor;
  if (isa<LoadOp, GatherOp, SplitOp>(x) || x->getAttrs() != y->getAttrs())
    return false;
  // Only sums keep a uniform difference uniform.
  bool factor = isFactor || !isa<AddPtrOp, arith::AddIOp, arith::SubIOp,
                                 BroadcastOp, ExpandDimsOp, arith::ExtSIOp>(x);
  return llvm::all_of(
      llvm::zip(x->getOperands(), y->getOperands()), [&](auto pair) {
        return sameOffsets(std::get<0>(pair), std::get<1>(pair), factor, moved);
      });
}

bool cpu::sameShapeOfOffsets(Value a, Value b) {
  return sameOffsets(a, b, /*isFactor=*/false, /*moved=*/false);
}

bool cpu::differByUniform(Value a, Value b) {
  return sameOffsets(a, b, /*isFactor=*/false, /*moved=*/true);
}

/// Looks at every value below `v` once, with a limit on their number; `look`
/// says whether an operation is fine, given that its operands are.
static bool allBelow(Value v, function_ref<bool(Operation *)> look) {
  constexpr unsigned limit = 512;
  SmallVector<Value> work{v};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value x = work.pop_back_val();
    if (isUniform(x) || !seen.insert(x).second)
      continue;
    Operation *op = x.getDefiningOp();
    if (!op || seen.size() > limit || !look(op))
      return false;
    work.append(op->operand_begin(), op->operand_end());
  }
  return true;
}

static bool isProductWithUniform(Operation *op) {
  return isa<arith::MulIOp>(op) &&
         (isUniform(op->getOperand(0)) || isUniform(op->getOperand(1)));
}

bool cpu::isLinear(Value v) {
  return allBelow(v, [](Operation *op) {
    return isa<MakeRangeOp, ExpandDimsOp, BroadcastOp, TransOp, AddPtrOp,
               arith::AddIOp, arith::SubIOp, arith::ExtSIOp>(op) ||
           isProductWithUniform(op);
  });
}

bool cpu::hasBounds(Value v) {
  auto isWide = [](Type t) {
    Type elem = getElementTypeOrSelf(t);
    // Smaller integers are meant to wrap.
    return isa<triton::PointerType>(elem) ||
           (elem.isIntOrIndex() && elem.getIntOrFloatBitWidth() >= 32);
  };
  auto isPositive = [](Value x) {
    std::optional<int64_t> c = constantSplat(x);
    return c && *c > 0;
  };
  return isWide(v.getType()) && allBelow(v, [&](Operation *op) {
           if (llvm::any_of(op->getOperandTypes(),
                            [&](Type t) { return !isWide(t); }))
             return false;
           if (isa<arith::DivSIOp, arith::RemSIOp, arith::AndIOp>(op))
             return isPositive(op->getOperand(1));
           return isa<MakeRangeOp, ExpandDimsOp, BroadcastOp, TransOp,
                      ReshapeOp, AddPtrOp, arith::AddIOp, arith::SubIOp,
                      arith::ExtSIOp, arith::MinSIOp, arith::MaxSIOp>(op) ||
                  isProductWithUniform(op);
         });
}
