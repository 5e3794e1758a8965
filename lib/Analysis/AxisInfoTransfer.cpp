//===- AxisInfoTransfer.cpp - AxisInfo of each operation's result ---------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton/Analysis/AxisInfo.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton;

namespace {

using Dims = AxisInfo::Dims;
using Get = function_ref<const AxisInfo &(Value)>;

int64_t saturatingProduct(int64_t a, int64_t b) {
  unsigned log = llvm::Log2_64(a) + llvm::Log2_64(b);
  return log >= 62 ? AxisInfo::kMaxDivisor : int64_t(1) << log;
}

int64_t powerOfTwoDivisor(int64_t value) {
  return value == 0 ? AxisInfo::kMaxDivisor
                    : std::min(value & -value, AxisInfo::kMaxDivisor);
}

AxisInfo unknownResult(Operation *op, unsigned index = 0) {
  return AxisInfo::unknown(op->getResult(index).getType());
}

/// Constancy of what is computed element by element from values like these.
void meetConstancy(AxisInfo &info, const AxisInfo &a, const AxisInfo &b) {
  for (int64_t d = 0; d < info.getRank(); ++d)
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
}

//===----------------------------------------------------------------------===//
// Creation and shapes
//===----------------------------------------------------------------------===//

AxisInfo visitConstant(arith::ConstantOp op) {
  AxisInfo info = unknownResult(op);
  Attribute value = op.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (integer.getValue().getBitWidth() <= 64)
      return AxisInfo::uniform(op.getType(), integer.getValue().getSExtValue());
  }
  if (isa<FloatAttr, IntegerAttr>(value))
    if (auto tensor = dyn_cast<RankedTensorType>(op.getType());
        tensor && tensor.getRank() > 0)
      info.constancy.assign(tensor.getShape().begin(), tensor.getShape().end());
  return info;
}

AxisInfo visitMakeRange(MakeRangeOp op) {
  int32_t start = op.getStart();
  int64_t size = op.getType().getNumElements();
  if (size == 1)
    return AxisInfo::uniform(op.getType(), start);
  AxisInfo info = unknownResult(op);
  info.contiguity[0] = size;
  info.divisibility[0] = powerOfTwoDivisor(start);
  info.nonNegative = start >= 0;
  return info;
}

AxisInfo visitSplat(SplatOp op, const AxisInfo &scalar) {
  AxisInfo info = unknownResult(op);
  ArrayRef<int64_t> shape = op.getType().getShape();
  if (!shape.empty())
    info.constancy.assign(shape.begin(), shape.end());
  info.divisibility.assign(info.getRank(), scalar.divisibility[0]);
  info.constant = scalar.constant;
  info.nonNegative = scalar.nonNegative;
  return info;
}

AxisInfo visitUnsplat(UnsplatOp op, const AxisInfo &source) {
  AxisInfo info = unknownResult(op);
  info.divisibility[0] = source.getElementDivisibility();
  info.constant = source.constant;
  info.nonNegative = source.nonNegative;
  return info;
}

AxisInfo visitBroadcast(BroadcastOp op, const AxisInfo &source) {
  AxisInfo info = source;
  RankedTensorType from = op.getSrc().getType(), to = op.getType();
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (from.getDimSize(d) != to.getDimSize(d))
      info.constancy[d] = to.getDimSize(d);
  return info;
}

AxisInfo visitExpandDims(ExpandDimsOp op, const AxisInfo &source) {
  AxisInfo info = source;
  int64_t axis = op.getAxis();
  info.contiguity.insert(info.contiguity.begin() + axis, 1);
  info.constancy.insert(info.constancy.begin() + axis, 1);
  info.divisibility.insert(info.divisibility.begin() + axis,
                           source.getElementDivisibility());
  return info;
}

AxisInfo visitTrans(TransOp op, const AxisInfo &source) {
  AxisInfo info = source;
  for (auto [d, from] : llvm::enumerate(op.getOrder())) {
    info.contiguity[d] = source.contiguity[from];
    info.divisibility[d] = source.divisibility[from];
    info.constancy[d] = source.constancy[from];
  }
  return info;
}

/// Fills dimensions `to` of the result, which together have as many elements as
/// the dimensions `from` of the source.
void reshapeGroup(AxisInfo &info, ArrayRef<int64_t> toShape,
                  ArrayRef<int64_t> allToDims, const AxisInfo &source,
                  ArrayRef<int64_t> fromShape, ArrayRef<int64_t> allFromDims) {
  int64_t elementDivisor = source.getElementDivisibility();
  for (int64_t d : allToDims)
    info.divisibility[d] = elementDivisor;
  // Dimensions of size 1 have no neighbours and hide those of the dimensions
  // beside them.
  auto hasNeighbours = [](ArrayRef<int64_t> shape) {
    return [shape](int64_t d) { return shape[d] > 1; };
  };
  auto fromDims = llvm::to_vector(
      llvm::make_filter_range(allFromDims, hasNeighbours(fromShape)));
  auto toDims = llvm::to_vector(
      llvm::make_filter_range(allToDims, hasNeighbours(toShape)));
  if (fromDims.empty())
    return;
  // In row-major order the last dimension of the group is the one whose
  // neighbours stay neighbours.
  int64_t from = fromDims.back(), to = toDims.back();
  int64_t run = std::min(source.contiguity[from], toShape[to]);
  info.contiguity[to] = run;
  info.divisibility[to] =
      std::max(elementDivisor, source.getDivisibilityAt(from, run));
  // Equal elements that fill the last dimension of the source continue in the
  // one before it.
  int64_t equal = 1;
  for (int64_t d : llvm::reverse(fromDims)) {
    equal *= source.constancy[d];
    if (source.constancy[d] != fromShape[d])
      break;
  }
  for (int64_t d : llvm::reverse(toDims)) {
    info.constancy[d] = std::min(equal, toShape[d]);
    equal = std::max<int64_t>(1, equal / toShape[d]);
  }
}

AxisInfo visitReshape(ReshapeOp op, const AxisInfo &source) {
  AxisInfo info = unknownResult(op);
  ArrayRef<int64_t> from = op.getSrc().getType().getShape(),
                    to = op.getType().getShape();
  if (from.empty() || to.empty()) {
    info.divisibility.assign(info.getRank(), source.getElementDivisibility());
    info.constant = source.constant;
    info.nonNegative = source.nonNegative;
    return info;
  }
  info.constant = source.constant;
  info.nonNegative = source.nonNegative;
  if (op.getAllowReorder() && !source.constant)
    return info;
  // Split both shapes from the right into the smallest groups with the same
  // number of elements. Dimensions of size 1 join the group to their right, so
  // that no group is empty on one side only.
  int64_t f = from.size() - 1, t = to.size() - 1;
  while (f >= 0 || t >= 0) {
    SmallVector<int64_t> fromDims, toDims;
    int64_t fromSize = 1, toSize = 1;
    auto takeFrom = [&] {
      fromSize *= from[f], fromDims.insert(fromDims.begin(), f--);
    };
    auto takeTo = [&] { toSize *= to[t], toDims.insert(toDims.begin(), t--); };
    if (f >= 0)
      takeFrom();
    if (t >= 0)
      takeTo();
    while (fromSize != toSize) {
      if (fromSize < toSize)
        takeFrom();
      else
        takeTo();
    }
    reshapeGroup(info, to, toDims, source, from, fromDims);
  }
  return info;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// lhs + factor * rhs, or with a minus sign. `factor` is the size of the
/// pointee for tt.addptr, otherwise 1.
AxisInfo visitAdd(Type type, const AxisInfo &lhs, const AxisInfo &rhs,
                  int64_t factor, bool subtract) {
  if (lhs.constant && rhs.constant && factor == 1) {
    uint64_t a = *lhs.constant, b = *rhs.constant;
    return AxisInfo::uniform(type,
                             static_cast<int64_t>(subtract ? a - b : a + b));
  }
  AxisInfo info = AxisInfo::unknown(type);
  for (int64_t d = 0; d < info.getRank(); ++d) {
    int64_t group = std::min(lhs.contiguity[d], rhs.constancy[d]);
    if (!subtract)
      group = std::max(group, std::min(lhs.constancy[d], rhs.contiguity[d]));
    info.contiguity[d] = group;
    info.divisibility[d] =
        std::min(lhs.getDivisibilityAt(d, group),
                 saturatingProduct(rhs.getDivisibilityAt(d, group), factor));
  }
  meetConstancy(info, lhs, rhs);
  info.nonNegative = !subtract && lhs.nonNegative && rhs.nonNegative;
  return info;
}

AxisInfo visitMul(Type type, const AxisInfo &lhs, const AxisInfo &rhs) {
  AxisInfo info = AxisInfo::unknown(type);
  if (lhs.constant && rhs.constant)
    return AxisInfo::uniform(type,
                             static_cast<int64_t>(uint64_t(*lhs.constant) *
                                                  uint64_t(*rhs.constant)));
  if (rhs.constant == 1)
    return lhs;
  if (lhs.constant == 1)
    return rhs;
  if (lhs.constant == 0 || rhs.constant == 0)
    return AxisInfo::uniform(type, 0);
  for (int64_t d = 0; d < info.getRank(); ++d)
    info.divisibility[d] = saturatingProduct(lhs.getDivisibilityAt(d, 1),
                                             rhs.getDivisibilityAt(d, 1));
  meetConstancy(info, lhs, rhs);
  info.nonNegative = lhs.nonNegative && rhs.nonNegative;
  return info;
}

/// Largest group along `d` in which the dividend is x, x + 1, ... with x a
/// multiple of the group's size, and the divisor is the same multiple of it
/// everywhere.
int64_t alignedGroup(const AxisInfo &dividend, const AxisInfo &divisor,
                     int64_t d) {
  int64_t group = std::min(dividend.contiguity[d], divisor.constancy[d]);
  return std::min({group, dividend.getDivisibilityAt(d, group),
                   divisor.getDivisibilityAt(d, group)});
}

/// `floors`: rounds to minus infinity instead of zero. `isUnsigned`: operands
/// are read as unsigned numbers.
AxisInfo visitDiv(Type type, const AxisInfo &lhs, const AxisInfo &rhs,
                  bool floors, bool isUnsigned) {
  if (rhs.constant == 1)
    return lhs;
  if (lhs.constant && rhs.constant && *rhs.constant > 0 && *lhs.constant >= 0)
    return AxisInfo::uniform(type, *lhs.constant / *rhs.constant);
  AxisInfo info = AxisInfo::unknown(type);
  // Truncation towards zero makes groups start elsewhere below zero.
  bool regular = floors || isUnsigned || lhs.nonNegative;
  for (int64_t d = 0; d < info.getRank(); ++d) {
    int64_t equal = std::min(lhs.constancy[d], rhs.constancy[d]);
    int64_t group = regular ? alignedGroup(lhs, rhs, d) : 1;
    info.constancy[d] = std::max(equal, group);
    bool isPowerOfTwo =
        rhs.constant && *rhs.constant > 0 && llvm::isPowerOf2_64(*rhs.constant);
    if (isPowerOfTwo && group >= lhs.contiguity[d])
      info.divisibility[d] =
          std::max<int64_t>(1, lhs.divisibility[d] / *rhs.constant);
  }
  info.nonNegative =
      (lhs.nonNegative && (!rhs.constant || *rhs.constant > 0)) ||
      (isUnsigned && rhs.constant && *rhs.constant > 1);
  return info;
}

AxisInfo visitRem(Type type, const AxisInfo &lhs, const AxisInfo &rhs,
                  bool floors, bool isUnsigned) {
  if (lhs.constant && rhs.constant && *rhs.constant > 0 && *lhs.constant >= 0)
    return AxisInfo::uniform(type, *lhs.constant % *rhs.constant);
  AxisInfo info = AxisInfo::unknown(type);
  bool regular = floors || isUnsigned || lhs.nonNegative;
  for (int64_t d = 0; d < info.getRank(); ++d) {
    int64_t group = regular ? alignedGroup(lhs, rhs, d) : 1;
    info.contiguity[d] = group;
    info.divisibility[d] = std::min(lhs.getDivisibilityAt(d, group),
                                    rhs.getDivisibilityAt(d, group));
  }
  meetConstancy(info, lhs, rhs);
  info.nonNegative = lhs.nonNegative || (floors && rhs.nonNegative) ||
                     (isUnsigned && rhs.nonNegative);
  return info;
}

/// Element-wise choice among operands: and, or, xor, minimum, maximum. What
/// divides both divides the result.
AxisInfo visitBitwiseOrExtremum(Type type, const AxisInfo &lhs,
                                const AxisInfo &rhs) {
  AxisInfo info = AxisInfo::unknown(type);
  for (int64_t d = 0; d < info.getRank(); ++d)
    info.divisibility[d] =
        std::min(lhs.getDivisibilityAt(d, 1), rhs.getDivisibilityAt(d, 1));
  meetConstancy(info, lhs, rhs);
  return info;
}

AxisInfo visitAnd(Type type, const AxisInfo &lhs, const AxisInfo &rhs) {
  // x & (2^k - 1) is x mod 2^k.
  if (rhs.constant && *rhs.constant > 0 &&
      llvm::isPowerOf2_64(*rhs.constant + 1)) {
    AxisInfo divisor = AxisInfo::uniform(type, *rhs.constant + 1);
    return visitRem(type, lhs, divisor, /*floors=*/true, /*isUnsigned=*/false);
  }
  AxisInfo info = visitBitwiseOrExtremum(type, lhs, rhs);
  // Low bits that are zero in one operand are zero in the result.
  for (int64_t d = 0; d < info.getRank(); ++d)
    info.divisibility[d] =
        std::max(lhs.getDivisibilityAt(d, 1), rhs.getDivisibilityAt(d, 1));
  info.nonNegative = lhs.nonNegative || rhs.nonNegative;
  return info;
}

/// 2^constant when `info` is a constant shift amount of the type's width.
std::optional<int64_t> shiftFactor(const AxisInfo &amount) {
  if (!amount.constant || *amount.constant < 0 || *amount.constant > 61)
    return std::nullopt;
  return int64_t(1) << *amount.constant;
}

AxisInfo visitShift(Operation *op, const AxisInfo &lhs, const AxisInfo &rhs) {
  Type type = op->getResult(0).getType();
  std::optional<int64_t> factor = shiftFactor(rhs);
  if (!factor) {
    AxisInfo info = AxisInfo::unknown(type);
    meetConstancy(info, lhs, rhs);
    return info;
  }
  AxisInfo power = AxisInfo::uniform(type, *factor);
  if (isa<arith::ShLIOp>(op))
    return visitMul(type, lhs, power);
  return visitDiv(type, lhs, power, /*floors=*/true, isa<arith::ShRUIOp>(op));
}

AxisInfo visitCompare(arith::CmpIOp op, const AxisInfo &lhs,
                      const AxisInfo &rhs) {
  using Predicate = arith::CmpIPredicate;
  AxisInfo info = unknownResult(op);
  // Bounds checks from below: block pointers have them in each dimension.
  bool isNotBelow = op.getPredicate() == Predicate::sge;
  if (rhs.constant == 0 && lhs.nonNegative &&
      (isNotBelow || op.getPredicate() == Predicate::slt))
    return AxisInfo::uniform(op.getType(), isNotBelow);
  // In a group x, x + 1, ... that starts at a multiple of its size and is
  // compared with such a multiple, `x + i < y` has the same answer everywhere;
  // so has its negation. With sides swapped it is `y > x + i`.
  auto isOneOf = [&](std::initializer_list<Predicate> predicates) {
    return llvm::is_contained(predicates, op.getPredicate());
  };
  bool leftGroups =
      isOneOf({Predicate::slt, Predicate::sge, Predicate::ult, Predicate::uge});
  bool rightGroups =
      isOneOf({Predicate::sgt, Predicate::sle, Predicate::ugt, Predicate::ule});
  for (int64_t d = 0; d < info.getRank(); ++d) {
    int64_t group = std::min(lhs.constancy[d], rhs.constancy[d]);
    if (leftGroups)
      group = std::max(group, alignedGroup(lhs, rhs, d));
    if (rightGroups)
      group = std::max(group, alignedGroup(rhs, lhs, d));
    info.constancy[d] = group;
  }
  return info;
}

AxisInfo visitSelect(arith::SelectOp op, const AxisInfo &condition,
                     const AxisInfo &a, const AxisInfo &b) {
  if (condition.constant)
    return *condition.constant ? a : b;
  AxisInfo info = AxisInfo::join(a, b);
  if (!isa<RankedTensorType>(op.getCondition().getType()))
    return info;
  for (int64_t d = 0; d < info.getRank(); ++d) {
    int64_t group = std::min(info.contiguity[d], condition.constancy[d]);
    info.divisibility[d] =
        std::min(a.getDivisibilityAt(d, group), b.getDivisibilityAt(d, group));
    info.contiguity[d] = group;
    info.constancy[d] = std::min(info.constancy[d], condition.constancy[d]);
  }
  return info;
}

/// Numbers modulo 2^width: a group can wrap around inside, unless it starts at
/// a multiple of its size.
void keepAlignedGroups(AxisInfo &info, const AxisInfo &source, unsigned width) {
  for (int64_t d = 0; d < info.getRank(); ++d) {
    int64_t group = std::min(source.contiguity[d], source.divisibility[d]);
    if (width < 62)
      group = std::min(group, int64_t(1) << width);
    info.divisibility[d] = source.getDivisibilityAt(d, group);
    info.contiguity[d] = group;
  }
}

AxisInfo visitTrunc(arith::TruncIOp op, const AxisInfo &source) {
  AxisInfo info = source;
  if (source.constant)
    return AxisInfo::uniform(op.getType(), *source.constant);
  keepAlignedGroups(info, source, getElementBitWidth(op.getType()));
  info.nonNegative = false;
  return info;
}

AxisInfo visitExtUI(const AxisInfo &source, unsigned fromWidth) {
  AxisInfo info = source;
  if (!source.nonNegative)
    keepAlignedGroups(info, source, fromWidth);
  // The constant is kept as a signed number; a negative one reads differently
  // now.
  if (info.constant && *info.constant < 0)
    info.constant.reset();
  info.nonNegative = true;
  return info;
}

//===----------------------------------------------------------------------===//
// Pointers and memory
//===----------------------------------------------------------------------===//

/// The same bits counted in another unit: only what does not depend on
/// neighbours' distance stays.
AxisInfo visitUnitChange(Type type, const AxisInfo &source) {
  AxisInfo info = AxisInfo::unknown(type);
  if (info.unit == source.unit)
    return source;
  for (int64_t d = 0; d < info.getRank(); ++d)
    info.divisibility[d] = source.getDivisibilityAt(d, 1);
  info.constancy = source.constancy;
  info.constant = source.constant;
  return info;
}

/// Equal pointers read equal values.
AxisInfo visitLoad(LoadOp op, Get get) {
  AxisInfo info = unknownResult(op);
  if (op.getIsVolatile() || isTensorPointerType(op.getPtr().getType()))
    return info;
  info.constancy = get(op.getPtr()).constancy;
  for (Value operand : {op.getMask(), op.getOther()})
    if (operand)
      for (int64_t d = 0; d < info.getRank(); ++d)
        info.constancy[d] =
            std::min(info.constancy[d], get(operand).constancy[d]);
  return info;
}

/// Whatever is computed element by element without effects from equal values is
/// equal.
AxisInfo visitElementwise(Operation *op, unsigned index, Get get) {
  AxisInfo info = unknownResult(op, index);
  if (!op->hasTrait<OpTrait::Elementwise>() || !isMemoryEffectFree(op) ||
      op->getNumOperands() == 0)
    return info;
  info.constancy = get(op->getOperand(0)).constancy;
  for (Value operand : op->getOperands()) {
    const AxisInfo &operandInfo = get(operand);
    if (operandInfo.getRank() != info.getRank())
      return unknownResult(op, index);
    meetConstancy(info, info, operandInfo);
  }
  return info;
}

} // namespace

AxisInfo mlir::triton::inferAxisInfo(Operation *op, unsigned index, Get get) {
  Type type = op->getResult(index).getType();
  auto operand = [&](unsigned i) -> const AxisInfo & {
    return get(op->getOperand(i));
  };
  auto withSign = [](AxisInfo info, bool nonNegative) {
    info.nonNegative = nonNegative;
    return info;
  };
  bool bothNonNegative = op->getNumOperands() == 2 && operand(0).nonNegative &&
                         operand(1).nonNegative;
  bool oneNonNegative = op->getNumOperands() == 2 &&
                        (operand(0).nonNegative || operand(1).nonNegative);
  AxisInfo info =
      TypeSwitch<Operation *, AxisInfo>(op)
          .Case([&](arith::ConstantOp constant) {
            return visitConstant(constant);
          })
          .Case([&](MakeRangeOp range) { return visitMakeRange(range); })
          .Case<GetProgramIdOp, GetNumProgramsOp>(
              [&](auto) { return withSign(AxisInfo::unknown(type), true); })
          .Case([&](SplatOp splat) { return visitSplat(splat, operand(0)); })
          .Case([&](UnsplatOp unsplat) {
            return visitUnsplat(unsplat, operand(0));
          })
          .Case([&](BroadcastOp broadcast) {
            return visitBroadcast(broadcast, operand(0));
          })
          .Case([&](ExpandDimsOp expand) {
            return visitExpandDims(expand, operand(0));
          })
          .Case([&](TransOp trans) { return visitTrans(trans, operand(0)); })
          .Case([&](ReshapeOp reshape) {
            return visitReshape(reshape, operand(0));
          })
          .Case([&](AddPtrOp) {
            return visitAdd(type, operand(0), operand(1),
                            AxisInfo::unknown(type).unit, /*subtract=*/false);
          })
          .Case([&](arith::AddIOp) {
            return visitAdd(type, operand(0), operand(1), 1,
                            /*subtract=*/false);
          })
          .Case([&](arith::SubIOp) {
            return visitAdd(type, operand(0), operand(1), 1, /*subtract=*/true);
          })
          .Case([&](arith::MulIOp) {
            return visitMul(type, operand(0), operand(1));
          })
          .Case([&](arith::DivSIOp) {
            return visitDiv(type, operand(0), operand(1), false, false);
          })
          .Case([&](arith::DivUIOp) {
            return visitDiv(type, operand(0), operand(1), false, true);
          })
          .Case([&](arith::FloorDivSIOp) {
            return visitDiv(type, operand(0), operand(1), true, false);
          })
          .Case([&](arith::RemSIOp) {
            return visitRem(type, operand(0), operand(1), false, false);
          })
          .Case([&](arith::RemUIOp) {
            return visitRem(type, operand(0), operand(1), false, true);
          })
          .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
              [&](auto) { return visitShift(op, operand(0), operand(1)); })
          .Case([&](arith::AndIOp) {
            return visitAnd(type, operand(0), operand(1));
          })
          .Case<arith::OrIOp, arith::XOrIOp, arith::MinSIOp, arith::MinUIOp>(
              [&](auto) {
                return withSign(
                    visitBitwiseOrExtremum(type, operand(0), operand(1)),
                    bothNonNegative);
              })
          .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto max) {
            bool isSigned = isa<arith::MaxSIOp>(max.getOperation());
            return withSign(
                visitBitwiseOrExtremum(type, operand(0), operand(1)),
                isSigned ? oneNonNegative : bothNonNegative);
          })
          .Case([&](arith::CmpIOp compare) {
            return visitCompare(compare, operand(0), operand(1));
          })
          .Case([&](arith::SelectOp select) {
            return visitSelect(select, operand(0), operand(1), operand(2));
          })
          .Case<arith::ExtSIOp, arith::IndexCastOp>(
              [&](auto) { return operand(0); })
          .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) {
            Type from = getElementTypeOrSelf(op->getOperand(0).getType());
            return visitExtUI(
                operand(0), from.isIndex() ? 64 : from.getIntOrFloatBitWidth());
          })
          .Case([&](arith::TruncIOp trunc) {
            return visitTrunc(trunc, operand(0));
          })
          .Case<BitcastOp, IntToPtrOp, PtrToIntOp>(
              [&](auto) { return visitUnitChange(type, operand(0)); })
          .Case([&](LoadOp load) { return visitLoad(load, get); })
          .Default(
              [&](Operation *) { return visitElementwise(op, index, get); });
  // Tensors of rank 0 count as one dimension, which their operations do not
  // expect.
  AxisInfo unknown = AxisInfo::unknown(type);
  return info.getRank() == unknown.getRank() ? info : unknown;
}
