//===- AxisInfoArith.cpp - AxisInfo of integer arithmetic -----------------===//

#include "AxisInfoRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton/Dialect/Triton/IR/Types.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton;

int64_t axis_info::powerOfTwoDivisor(int64_t value) {
  uint64_t lowestBit = uint64_t(value) & (0 - uint64_t(value));
  if (value == 0 || lowestBit > uint64_t(AxisInfo::kMaxDivisor))
    return AxisInfo::kMaxDivisor;
  return lowestBit;
}

void axis_info::meetConstancy(AxisInfo &info, const AxisInfo &a,
                              const AxisInfo &b) {
  for (int64_t d = 0; d < info.getRank(); ++d)
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
}

static int64_t saturatingProduct(int64_t a, int64_t b) {
  unsigned log = llvm::Log2_64(a) + llvm::Log2_64(b);
  return log >= 62 ? AxisInfo::kMaxDivisor : int64_t(1) << log;
}

AxisInfo axis_info::inferSum(Type type, const AxisInfo &lhs,
                             const AxisInfo &rhs, int64_t factor,
                             bool subtract) {
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

namespace {

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
  axis_info::meetConstancy(info, lhs, rhs);
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
  axis_info::meetConstancy(info, lhs, rhs);
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
  axis_info::meetConstancy(info, lhs, rhs);
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
    axis_info::meetConstancy(info, lhs, rhs);
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
  AxisInfo info = AxisInfo::unknown(op.getType());
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

AxisInfo withSign(AxisInfo info, bool nonNegative) {
  info.nonNegative = nonNegative;
  return info;
}

/// Operations on two values of the type of their result.
std::optional<AxisInfo> inferBinary(Operation *op, const AxisInfo &lhs,
                                    const AxisInfo &rhs) {
  using Result = std::optional<AxisInfo>;
  Type type = op->getResult(0).getType();
  bool both = lhs.nonNegative && rhs.nonNegative;
  bool either = lhs.nonNegative || rhs.nonNegative;
  auto div = [&](bool floors, bool isUnsigned) {
    return visitDiv(type, lhs, rhs, floors, isUnsigned);
  };
  auto rem = [&](bool isUnsigned) {
    return visitRem(type, lhs, rhs, /*floors=*/false, isUnsigned);
  };
  auto extremum = [&](bool nonNegative) {
    return withSign(visitBitwiseOrExtremum(type, lhs, rhs), nonNegative);
  };
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) {
        return axis_info::inferSum(type, lhs, rhs, 1, /*subtract=*/false);
      })
      .Case([&](arith::SubIOp) {
        return axis_info::inferSum(type, lhs, rhs, 1, /*subtract=*/true);
      })
      .Case([&](arith::MulIOp) { return visitMul(type, lhs, rhs); })
      .Case([&](arith::DivSIOp) { return div(false, /*isUnsigned=*/false); })
      .Case([&](arith::DivUIOp) { return div(false, /*isUnsigned=*/true); })
      .Case([&](arith::FloorDivSIOp) { return div(/*floors=*/true, false); })
      .Case([&](arith::RemSIOp) { return rem(/*isUnsigned=*/false); })
      .Case([&](arith::RemUIOp) { return rem(/*isUnsigned=*/true); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](auto) { return visitShift(op, lhs, rhs); })
      .Case([&](arith::AndIOp) { return visitAnd(type, lhs, rhs); })
      .Case<arith::OrIOp, arith::XOrIOp, arith::MinSIOp, arith::MinUIOp,
            arith::MaxUIOp>([&](auto) { return extremum(both); })
      .Case([&](arith::MaxSIOp) { return extremum(either); })
      .Case([&](arith::CmpIOp compare) {
        return visitCompare(compare, lhs, rhs);
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

std::optional<AxisInfo> axis_info::inferArithOp(Operation *op, Get get) {
  using Result = std::optional<AxisInfo>;
  auto operand = [&](unsigned i) -> const AxisInfo & {
    return get(op->getOperand(i));
  };
  if (op->getNumOperands() == 2)
    return inferBinary(op, operand(0), operand(1));
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::SelectOp select) {
        return visitSelect(select, operand(0), operand(1), operand(2));
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp>(
          [&](auto) { return operand(0); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) {
        Type from = getElementTypeOrSelf(op->getOperand(0).getType());
        return visitExtUI(operand(0),
                          from.isIndex() ? 64 : from.getIntOrFloatBitWidth());
      })
      .Case(
          [&](arith::TruncIOp trunc) { return visitTrunc(trunc, operand(0)); })
      .Default([](Operation *) { return std::nullopt; });
}
