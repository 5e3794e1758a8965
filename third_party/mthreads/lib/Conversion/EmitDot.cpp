//===- EmitDot.cpp - matrix products ----------------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Both operands are in shared memory. Every thread computes its elements of the
// result in one loop over K, so that an element of an operand is read once for
// all results in the same row or column. The matrix unit is not used.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

/// Type of the sums: f64 and integers as the result has them, else f32.
static Type computeType(Type elem) {
  if (isa<IntegerType>(elem) || elem.isF64())
    return elem;
  return Float32Type::get(elem.getContext());
}

Value Emitter::toCompute(Value v, Type from, Type compute) {
  if (isa<IntegerType>(compute))
    return extend(v, compute, /*isSigned=*/true);
  return floatCast(v, from, compute);
}

Value Emitter::multiplyAdd(Type compute, Value lhs, Value rhs, Value sum) {
  if (isa<FloatType>(compute))
    return math::FmaOp::create(b, loc, lhs, rhs, sum);
  Value product = arith::MulIOp::create(b, loc, lhs, rhs);
  return arith::AddIOp::create(b, loc, product, sum);
}

/// The sums after one more column of the left operand and row of the right one.
Registers Emitter::dotStep(DotOp op, const SharedBlock &lhs,
                           const SharedBlock &rhs, Type compute, Value k,
                           ValueRange sums) {
  auto lhsType = cast<RankedTensorType>(op.getA().getType());
  auto rhsType = cast<RankedTensorType>(op.getB().getType());
  Layout layout = layoutOf(op.getType());
  unsigned rank = layout.shape().size();
  Index depth = {k, lhsType.getShape().back() - 1, 0};
  // Results of one thread differ in the constant part of their index only, so
  // that part identifies an operand's element.
  DenseMap<int64_t, Value> seen[2];
  auto read = [&](unsigned side, const SharedBlock &block,
                  RankedTensorType type, ArrayRef<Index> at) {
    Index index = linear(at, type.getShape());
    Value &v = seen[side][index.constant];
    if (!v)
      v = toCompute(readShared(block, index), block.elem, compute);
    return v;
  };
  Registers next;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    SmallVector<Index> at = coordinates(layout, r);
    SmallVector<Index> row(at), column(at);
    row[rank - 1] = depth;
    column[rank - 2] = depth;
    next.push_back(multiplyAdd(compute, read(0, lhs, lhsType, row),
                               read(1, rhs, rhsType, column), sums[r]));
  }
  return next;
}

void Emitter::emitDot(DotOp op) {
  Type elem = getElementTypeOrSelf(op.getType());
  Type compute = computeType(elem);
  int64_t depth = cast<RankedTensorType>(op.getA().getType()).getShape().back();
  beginShared();
  SharedBlock lhs = stage(op.getA()), rhs = stage(op.getB());
  barrier();
  Registers sums;
  for (Value v : registers(op.getC()))
    sums.push_back(toCompute(v, elem, compute));
  auto loop = scf::ForOp::create(
      b, loc, i32(0), i32(depth), i32(1), sums,
      [&](OpBuilder &, Location, Value k, ValueRange carried) {
        scf::YieldOp::create(b, loc,
                             dotStep(op, lhs, rhs, compute, k, carried));
      });
  Registers results;
  for (Value v : loop.getResults())
    results.push_back(isa<IntegerType>(compute) ? v
                                                : floatCast(v, compute, elem));
  set(op, results);
}
