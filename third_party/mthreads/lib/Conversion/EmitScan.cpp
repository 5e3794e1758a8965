//===- EmitScan.cpp - running combinations ----------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// A scan takes one step for each bit of the coordinate along the axis, from the
// lowest. Before the step of bit j every element has the combination of its
// aligned group of 2^j elements up to itself. The step joins pairs of groups:
// elements of the second one are combined with the last element of the first.
// Backwards, first and second, and first and last, change places.
//
// Steps of bits that come from the register are between registers of a thread
// as long as no lower bit comes from the thread; the others go through shared
// memory, which gets the last elements of first groups only.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

static BitRange nextBit(BitRange done) { return {done.low + done.width, 1}; }

static Registers at(ArrayRef<Registers> values, int64_t r) {
  Registers found;
  for (const Registers &operand : values)
    found.push_back(operand[r]);
  return found;
}

/// The step of the bit after `done`, which is one of the register's lowest.
void Emitter::scanRegisters(ScanOp op, const Layout &layout, BitRange done,
                            SmallVectorImpl<Registers> &values) {
  int64_t bit = nextBit(done).mask();
  SmallVector<Registers> before(values.begin(), values.end());
  for (int64_t r = 0; r < layout.registers() && !failed; ++r) {
    bool isSecond = ((r & bit) != 0) != op.getReverse();
    if (!isSecond)
      continue;
    int64_t last =
        op.getReverse() ? (r & ~done.mask()) | bit : (r | done.mask()) & ~bit;
    Registers sum = inlineScalars(op.getCombineOp(),
                                  concat(at(before, last), at(before, r)));
    for (auto [operand, v] : llvm::zip(values, sum))
      operand[r] = v;
  }
}

/// The step of the bit after `done`, between threads.
void Emitter::scanThreads(ScanOp op, const Layout &layout, BitRange done,
                          SmallVectorImpl<Registers> &values) {
  BitRange bit = nextBit(done), joined = {done.low, done.width + 1};
  bool secondIsSet = !op.getReverse();
  // The last element of a first group.
  int64_t last = secondIsSet ? done.mask() : bit.mask();
  beginShared();
  SmallVector<SharedBlock> blocks;
  for (Type elem : op.getElementTypes())
    blocks.push_back(allocateShared(elem, layout.size() >> joined.width));
  Index lane = elementIndex(layout, 0);
  int64_t ofThread = lane.dynamicBits & joined.mask();
  Value writes = isOwner(layout);
  if (ofThread) {
    Value bits =
        b.createOrFold<arith::AndIOp>(loc, lane.dynamic, i32(ofThread));
    writes =
        both(writes, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           bits, i32(last & ofThread)));
  }
  predicated(writes, [&] {
    for (int64_t r = 0; r < layout.registers(); ++r) {
      Index own = elementIndex(layout, r);
      if ((own.constant & joined.mask()) != (last & ~ofThread))
        continue;
      for (auto [block, v] : llvm::zip(blocks, at(values, r)))
        writeShared(block, without(own, joined), v);
    }
  });
  barrier();
  for (int64_t r = 0; r < layout.registers() && !failed; ++r) {
    Index own = elementIndex(layout, r), side = extract(own, bit);
    if (!side.dynamic && (side.constant != 0) != secondIsSet)
      continue; // in a first group
    Registers before;
    for (SharedBlock &block : blocks)
      before.push_back(readShared(block, without(own, joined)));
    Registers sum =
        inlineScalars(op.getCombineOp(), concat(before, at(values, r)));
    Value isSecond;
    if (side.dynamic)
      isSecond = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       value(side), i32(secondIsSet));
    for (auto [operand, v] : llvm::zip(values, sum))
      operand[r] =
          isSecond
              ? Value(arith::SelectOp::create(b, loc, isSecond, v, operand[r]))
              : v;
  }
}

void Emitter::emitScan(ScanOp op) {
  Layout layout = layoutOf(op.getSrcs().front().getType());
  BitRange axis = layout.dimBits(op.getAxis());
  SmallVector<Registers> values;
  for (Value src : op.getSrcs())
    values.push_back(registers(src));
  for (BitRange done = {axis.low, 0}; done.width < axis.width; ++done.width) {
    if (nextBit(done).mask() < layout.vec())
      scanRegisters(op, layout, done, values);
    else
      scanThreads(op, layout, done, values);
    if (failed)
      return;
  }
  for (auto [result, all] : llvm::zip(op.getResults(), values))
    set(result, all);
}
