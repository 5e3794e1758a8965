//===- LoopIndex.cpp - loops that end, whatever their bounds ----*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "LoopIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::triton::cpu;

/// False if the index after the last is known to fit in the index's type: the
/// last is below the upper bound.
static bool mayWrap(scf::ForOp op) {
  APInt step, upper;
  if (!matchPattern(op.getStep(), m_ConstantInt(&step)))
    return true;
  if (step.isOne())
    return false;
  if (!matchPattern(op.getUpperBound(), m_ConstantInt(&upper)))
    return true;
  unsigned bits = step.getBitWidth();
  return op.getUnsignedCmp()
             ? upper.ugt(APInt::getMaxValue(bits) - step + 1)
             : upper.sgt(APInt::getSignedMaxValue(bits) - step + 1);
}

/// Counts in 64 bits. The narrow index is a truncation that loses nothing, and
/// says so: addresses computed from it need no sign extension then.
static IndexedLoop createWide(OpBuilder &b, Location loc, bool isUnsigned,
                              Value lower, Value upper, Value step,
                              ValueRange inits) {
  Type narrow = lower.getType();
  auto widen = [&](Value v) -> Value {
    return isUnsigned ? b.createOrFold<arith::ExtUIOp>(loc, b.getI64Type(), v)
                      : b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), v);
  };
  auto loop = scf::ForOp::create(b, loc, widen(lower), widen(upper),
                                 widen(step), inits);
  auto inside = OpBuilder::atBlockBegin(loop.getBody());
  auto fits = isUnsigned ? arith::IntegerOverflowFlags::nuw
                         : arith::IntegerOverflowFlags::nsw;
  Value index = arith::TruncIOp::create(inside, loc, narrow,
                                        loop.getInductionVar(), fits);
  return {loop, index};
}

/// Counts the iterations, of which there are fewer than 2^64.
static IndexedLoop createCounted(OpBuilder &b, Location loc, bool isUnsigned,
                                 Value lower, Value upper, Value step,
                                 ValueRange inits) {
  Type type = lower.getType();
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, v));
  };
  Value zero = constant(0), one = constant(1);
  Value isEmpty = arith::CmpIOp::create(b, loc,
                                        isUnsigned ? arith::CmpIPredicate::uge
                                                   : arith::CmpIPredicate::sge,
                                        lower, upper);
  Value last = arith::SubIOp::create(
      b, loc, arith::SubIOp::create(b, loc, upper, lower), one);
  // The division is executed for empty ranges, too, whose step may be 0.
  Value divisor = b.createOrFold<arith::MaxUIOp>(loc, step, one);
  Value steps = arith::DivUIOp::create(b, loc, last, divisor);
  Value count = arith::SelectOp::create(
      b, loc, isEmpty, zero, arith::AddIOp::create(b, loc, steps, one));
  auto loop = scf::ForOp::create(b, loc, zero, count, one, inits, nullptr,
                                 /*unsignedCmp=*/true);
  auto inside = OpBuilder::atBlockBegin(loop.getBody());
  Value offset =
      arith::MulIOp::create(inside, loc, loop.getInductionVar(), step);
  Value index = arith::AddIOp::create(inside, loc, lower, offset);
  return {loop, index};
}

IndexedLoop mlir::triton::cpu::createLoop(OpBuilder &b, Location loc,
                                          scf::ForOp op, Value lower,
                                          Value upper, Value step,
                                          ValueRange inits) {
  bool isUnsigned = op.getUnsignedCmp();
  if (mayWrap(op)) {
    unsigned bits = 0; // of an `index`
    if (auto type = dyn_cast<IntegerType>(lower.getType()))
      bits = type.getWidth();
    if (bits && bits < 64)
      return createWide(b, loc, isUnsigned, lower, upper, step, inits);
    if (bits == 64)
      return createCounted(b, loc, isUnsigned, lower, upper, step, inits);
  }
  auto loop = scf::ForOp::create(b, loc, lower, upper, step, inits, nullptr,
                                 isUnsigned);
  return {loop, loop.getInductionVar()};
}
