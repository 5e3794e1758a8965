//===- EmitReduce.cpp - reductions ------------------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// The coordinate along the axis is a range of an element's bits. Those that
// come from the register are reduced in registers; those that come from the
// thread are reduced by exchanging values through shared memory, eight threads
// in one step. Afterwards every thread has the result for its other bits.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

namespace {
/// Thread bits that one exchange reduces.
constexpr unsigned kExchangeBits = 3;
} // namespace

Registers mthreads::concat(ValueRange lhs, ValueRange rhs) {
  Registers all(lhs);
  llvm::append_range(all, rhs);
  return all;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The registers' elements, combined along the axis: one group of operands for
/// each register offset that remains.
Emitter::Groups Emitter::reduceRegisters(ReduceOp op, const Layout &layout,
                                         BitRange axis) {
  llvm::MapVector<int64_t, SmallVector<Registers>> members;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    Registers values;
    for (Value src : op.getSrcs())
      values.push_back(element(src, r));
    members[layout.registerOffset(r) & ~axis.mask()].push_back(values);
  }
  Groups groups;
  for (auto &[offset, parts] : members) {
    // A tree: neighbours do not wait for each other.
    while (parts.size() > 1 && !failed) {
      for (size_t i = 0; i < parts.size() / 2; ++i)
        parts[i] = inlineScalars(op.getCombineOp(),
                                 concat(parts[2 * i], parts[2 * i + 1]));
      parts.resize(parts.size() / 2);
    }
    groups.push_back({offset, parts.front()});
  }
  return groups;
}

void Emitter::reduceThreads(ReduceOp op, const Layout &layout, BitRange axis,
                            Groups &groups) {
  BitRange threadBits = layout.threadBits();
  unsigned low = std::max(axis.low, threadBits.low);
  unsigned high =
      std::min(axis.low + axis.width, threadBits.low + threadBits.width);
  for (unsigned bit = low; bit < high && !failed; bit += kExchangeBits) {
    BitRange exchanged = {bit - threadBits.low,
                          std::min(kExchangeBits, high - bit)};
    beginShared();
    SmallVector<SharedBlock> blocks;
    for (Type elem : op.getElementTypes())
      blocks.push_back(allocateShared(elem, groups.size() * threads));
    Index own = {threadId, threads - 1, 0};
    for (auto [g, group] : llvm::enumerate(groups))
      for (auto [block, v] : llvm::zip(blocks, group.second)) {
        own.constant = g * threads;
        writeShared(block, own, v);
      }
    barrier();
    Value first = b.createOrFold<arith::AndIOp>(
        loc, threadId, i32((threads - 1) & ~exchanged.mask()));
    for (auto [g, group] : llvm::enumerate(groups)) {
      Registers sum;
      for (int64_t other = 0; other < int64_t(1) << exchanged.width; ++other) {
        Index from = {first, (threads - 1) & ~exchanged.mask(),
                      int64_t(g) * threads + (other << exchanged.low)};
        Registers part;
        for (SharedBlock &block : blocks)
          part.push_back(readShared(block, from));
        sum =
            other ? inlineScalars(op.getCombineOp(), concat(sum, part)) : part;
      }
      group.second = sum;
    }
  }
}

/// From the threads that have the results to those that shall hold them.
void Emitter::placeReduced(ReduceOp op, const Layout &layout, BitRange axis,
                           const Groups &groups) {
  Layout target = layoutOf(op->getResult(0).getType());
  beginShared();
  SmallVector<SharedBlock> blocks;
  for (Type elem : op.getElementTypes())
    blocks.push_back(allocateShared(elem, target.size()));
  Index mine = elementIndex(layout, 0);
  Value writes = isOwner(layout);
  if (mine.dynamicBits & axis.mask()) {
    Value along =
        b.createOrFold<arith::AndIOp>(loc, mine.dynamic, i32(axis.mask()));
    writes = both(writes, arith::CmpIOp::create(
                              b, loc, arith::CmpIPredicate::eq, along, i32(0)));
  }
  BitRange below = {0, axis.low};
  BitRange above = {axis.low + axis.width, 31 - axis.low - axis.width};
  Index index =
      join(extract(mine, below), shiftLeft(extract(mine, above), axis.low));
  predicated(writes, [&] {
    for (auto &[offset, values] : groups) {
      index.constant = without({{}, 0, offset}, axis).constant;
      for (auto [block, v] : llvm::zip(blocks, values))
        writeShared(block, index, v);
    }
  });
  barrier();
  for (auto [block, result] : llvm::zip(blocks, op.getResults()))
    set(result, readAll(block, target));
}

void Emitter::emitReduce(ReduceOp op) {
  Layout layout = layoutOf(op.getSrcs().front().getType());
  BitRange axis = layout.dimBits(op.getAxis());
  Groups groups = reduceRegisters(op, layout, axis);
  reduceThreads(op, layout, axis, groups);
  if (failed)
    return;
  if (isa<RankedTensorType>(op->getResult(0).getType()))
    return placeReduced(op, layout, axis, groups);
  for (auto [result, v] : llvm::zip(op.getResults(), groups.front().second))
    set(result, {v});
}
