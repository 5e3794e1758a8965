//===- EmitStoreGroup.cpp - several stores in one nest ----------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// The nest computes the values of all stores at a point before it writes any of
// them. Where the accesses may overlap in another way than point by point, it
// writes them to scratch memory instead, and they are stored one after the
// other when all loads have been done.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

/// `addresses` of a store or, if there is an overlap, those of its buffer.
Value Emitter::detour(const StoreAt &s, Value addresses, const Point &p) {
  if (!s.instead)
    return addresses;
  int64_t laneStride;
  unsigned level;
  Value other = bufferAddress(*s.instead, p, laneStride, level);
  if (auto type = dyn_cast<VectorType>(addresses.getType())) {
    Lanes lanes = Lanes::uniform(other, level);
    lanes.kind = Lanes::Affine;
    lanes.stride = laneStride * memBytes(s.instead->elem);
    other = lanePointers(lanes, p.width);
  }
  here();
  return arith::SelectOp::create(b, loc, s.overlap, other, addresses);
}

/// The mask of all stores, or null.
static Value commonMask(const StoreGroup &group) {
  Value mask = StoreOp(group.stores.front()).getMask();
  for (StoreOp store : group.stores)
    if (store.getMask() != mask)
      return {};
  return mask;
}

void Emitter::emitStoreGroup(const StoreGroup &group) {
  SmallVector<Value> trees, pointers;
  for (StoreOp store : group.stores) {
    trees.append(store->operand_begin(), store->operand_end());
    pointers.push_back(store.getPtr());
  }
  StoreOp first = group.stores.front();
  auto shape = cast<RankedTensorType>(first.getValue().getType()).getShape();
  prepare(trees, shape);
  Nest nest = chooseNest(trees, shape, pointers);
  Value overlap = mayOverlap(group, nest);
  int64_t top = scratchTop;
  SmallVector<Buffer> instead;
  if (overlap)
    for (StoreOp store : group.stores)
      instead.push_back(
          allocate(cast<RankedTensorType>(store.getValue().getType())));
  auto body = [&](const Point &p) {
    SmallVector<StoreAt> stores;
    for (auto [i, store] : llvm::enumerate(group.stores)) {
      stores.push_back(evalStore(store, p));
      if (!overlap)
        continue;
      stores.back().overlap = overlap;
      stores.back().instead = &instead[i];
      if (nest.vecDim >= 0)
        stores.back().detourStride = instead[i].strides()[nest.vecDim];
    }
    for (const StoreAt &store : stores)
      emitStoreAt(store, p);
  };
  forEachPoint(nest, trees, body, commonMask(group));
  finishCaptures();
  if (overlap && !failed)
    emitDetours(group, instead, overlap);
  scratchTop = top;
}

void Emitter::emitDetours(const StoreGroup &group, ArrayRef<Buffer> instead,
                          Value overlap) {
  Block *outerBlock = scopes[0]->block;
  Operation *outerBefore = scopes[0]->before;
  here();
  auto branch = scf::IfOp::create(b, loc, overlap, /*withElseRegion=*/false);
  scopes.clear();
  pushScope(branch.thenBlock(), branch.thenBlock()->getTerminator());
  for (auto [store, buffer] : llvm::zip(group.stores, instead)) {
    // The value is what the nest has left in the buffer.
    Value value = StoreOp(store).getValue();
    Buffer own = buffers.lookup(value);
    buffers[value] = buffer;
    beginRoot();
    emitStore(store);
    if (own.base)
      buffers[value] = own;
    else
      buffers.erase(value);
  }
  scopes.clear();
  pushScope(outerBlock, outerBefore);
}
