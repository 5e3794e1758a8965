//===- EmitShape.cpp - operations that rearrange blocks ---------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

void Emitter::emitRange(MakeRangeOp op) {
  Layout layout = layoutOf(op.getType());
  Registers values;
  for (int64_t r = 0; r < layout.registers(); ++r)
    values.push_back(b.createOrFold<arith::AddIOp>(
        loc, value(elementIndex(layout, r)), i32(op.getStart())));
  set(op, values);
}

/// One block after the other in shared memory is the result.
void Emitter::emitCat(CatOp op) {
  auto part = cast<RankedTensorType>(op.getLhs().getType());
  int64_t size = part.getNumElements();
  beginShared();
  SharedBlock whole = allocateShared(part.getElementType(), 2 * size);
  SharedBlock upper = whole;
  upper.offset += size * memoryBytes(part.getElementType());
  stageInto(whole, layoutOf(part), registers(op.getLhs()));
  stageInto(upper, layoutOf(part), registers(op.getRhs()));
  barrier();
  set(op, readAll(whole, layoutOf(op.getType())));
}

void Emitter::emitJoin(JoinOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  beginShared();
  SharedBlock parts[] = {stage(op.getLhs()), stage(op.getRhs())};
  barrier();
  Layout layout = layoutOf(type);
  Registers values;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    SmallVector<Index> at = coordinates(layout, r);
    Index side = at.pop_back_val();
    Index index = linear(at, type.getShape().drop_back());
    if (!side.dynamic) {
      values.push_back(readShared(parts[side.constant], index));
      continue;
    }
    Value lhs = readShared(parts[0], index), rhs = readShared(parts[1], index);
    Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         value(side), i32(0));
    values.push_back(arith::SelectOp::create(b, loc, isLeft, lhs, rhs));
  }
  set(op, values);
}

void Emitter::emitSplit(SplitOp op) {
  beginShared();
  SharedBlock whole = stage(op.getSrc());
  barrier();
  Layout layout = layoutOf(op.getOutLHS().getType());
  for (auto [side, result] : llvm::enumerate(op.getResults())) {
    Registers values;
    for (int64_t r = 0; r < layout.registers(); ++r) {
      Index index = shiftLeft(elementIndex(layout, r), 1);
      index.constant |= side;
      values.push_back(readShared(whole, index));
    }
    set(result, values);
  }
}

void Emitter::emitGather(GatherOp op) {
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  Layout layout = layoutOf(op.getType());
  int64_t extent = source.getDimSize(op.getAxis());
  beginShared();
  SharedBlock block = stage(op.getSrc());
  barrier();
  Registers values;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    SmallVector<Index> at = coordinates(layout, r);
    Value chosen = element(op.getIndices(), r);
    if (chosen.getType().getIntOrFloatBitWidth() > 32)
      chosen = arith::TruncIOp::create(b, loc, b.getI32Type(), chosen);
    chosen = extend(chosen, b.getI32Type(), false);
    // An index out of range is an error of the kernel, but reads no memory of
    // others.
    chosen = arith::AndIOp::create(b, loc, chosen, i32(extent - 1));
    at[op.getAxis()] = {chosen, extent - 1, 0};
    values.push_back(readShared(block, linear(at, source.getShape())));
  }
  set(op, values);
}

void Emitter::emitHistogram(HistogramOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Type elem = type.getElementType();
  if (memoryBytes(elem) < 4)
    return void(error(op, "counts of fewer than 32 bits are not supported"));
  Layout bins = layoutOf(type), source = layoutOf(op.getSrc().getType());
  beginShared();
  SharedBlock counts = allocateShared(elem, bins.size());
  stageInto(counts, bins, Registers(bins.registers(), integer(elem, 0)));
  barrier();
  Value owner = isOwner(source);
  for (int64_t r = 0; r < source.registers(); ++r) {
    Value bin = element(op.getSrc(), r);
    unsigned width = bin.getType().getIntOrFloatBitWidth();
    Value condition = owner;
    if (width > 31 || (int64_t(1) << width) > bins.size())
      condition =
          both(condition,
               arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, bin,
                                     integer(bin.getType(), bins.size())));
    if (op.getMask())
      condition = both(condition, element(op.getMask(), r));
    predicated(condition, [&] {
      Value index =
          width > 32
              ? Value(arith::TruncIOp::create(b, loc, b.getI32Type(), bin))
              : extend(bin, b.getI32Type(), false);
      Value address = sharedAddress(counts, {index, bins.size() - 1, 0});
      LLVM::AtomicRMWOp::create(
          b, loc, LLVM::AtomicBinOp::add, address, integer(elem, 1),
          LLVM::AtomicOrdering::monotonic, StringRef(), memoryBytes(elem));
    });
  }
  barrier();
  set(op, readAll(counts, bins));
}
