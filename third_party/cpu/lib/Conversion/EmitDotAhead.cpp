//===- EmitDotAhead.cpp - the next tiles of a product -----------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// A loop over K copies one tile of A and of B after the other. The rows of a
// tile lie pages apart, where no hardware prefetcher follows, so the copying
// waits for memory. While one tile is multiplied its successor is therefore
// fetched into the second-level cache, a line of each operand per step along K:
// a few instructions in the shadow of dozens of products.
//
// The successor is what the addresses give one tile farther along K. A guess:
// if it is wrong, time is lost and nothing else.
//
//===----------------------------------------------------------------------===//

#include "DotTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

/// Can `addresses` be computed for indices beyond the block without touching
/// memory? Indirect addresses are read, and what is stored ends with the block.
static bool goOnBeyondBlock(Value addresses,
                            const DenseMap<Value, Buffer> &stored) {
  bool free = true;
  walkTree(addresses,
           identityMap(cast<RankedTensorType>(addresses.getType()).getRank()),
           [&](Value v, const DimMap &) {
             Operation *op = v.getDefiningOp();
             auto constant = dyn_cast_or_null<arith::ConstantOp>(op);
             free &= op && !stored.contains(v) &&
                     (isa<SplatOp, MakeRangeOp, ExpandDimsOp, BroadcastOp,
                          TransOp, AddPtrOp>(op) ||
                      op->getName().getDialectNamespace() == "arith") &&
                     (!constant || isa<SplatElementsAttr>(constant.getValue()));
             return free;
           });
  return free;
}

void Emitter::DotTile::chooseAhead(Emitter &e) {
  auto addressesOf = [&](Value operand) -> Value {
    auto load = operand.getDefiningOp<LoadOp>();
    int last = op.getType().getRank() - 1;
    if (!load || e.sanitize || !isa<scf::ForOp>(op->getParentOp()) ||
        load->getParentOp() != op->getParentOp() ||
        strideInPiece(load.getPtr(), last) != 1 ||
        !goOnBeyondBlock(load.getPtr(), e.buffers))
      return {};
    return load.getPtr();
  };
  nextA = addressesOf(op.getA());
  nextB = addressesOf(op.getB());
}

void Emitter::DotTile::fetchAhead(Emitter &e, const Point &base, DimIndex row,
                                  DimIndex col, DimIndex step,
                                  int64_t height) const {
  OpBuilder &b = e.b;
  unsigned dimM = rank - 2, dimN = rank - 1;
  int64_t lineElems = 64 / e.memBytes(a.elem);
  auto i64 = [&](int64_t x) { return e.i64(x); };
  auto add = [&](Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(e.loc, x, y);
  };
  auto mul = [&](Value x, int64_t y) {
    return b.createOrFold<arith::MulIOp>(e.loc, x, i64(y));
  };
  auto div = [&](Value x, int64_t y) {
    return b.createOrFold<arith::DivUIOp>(e.loc, x, i64(y));
  };
  auto rem = [&](Value x, int64_t y) {
    return b.createOrFold<arith::RemUIOp>(e.loc, x, i64(y));
  };
  auto fetch = [&](Value addresses, Value first, Value second) {
    Point p = base;
    p.width = 1;
    p.dims[dimM] = {first, e.depth(), false};
    p.dims[dimN] = {second, e.depth(), false};
    Lanes address = e.eval(addresses, p);
    if (e.failed || !address.isUniform())
      return;
    e.here();
    e.prefetch(address.base, /*forWrite=*/false, /*locality=*/2);
  };
  if (nextB) {
    // A step reads `group` rows of B, each several lines long. Every block of
    // rows of the result takes another of these lines; what is fetched twice
    // costs next to nothing.
    e.here();
    int64_t lines = std::max<int64_t>(1, vectors * width / lineElems);
    Value turn = div(row.base, rows);
    Value k = add(add(mul(step.base, group), rem(turn, group)), i64(this->k));
    Value n = add(col.base, mul(rem(div(turn, group), lines), lineElems));
    fetch(nextB, k, n);
  }
  if (nextA && k >= lineElems) {
    // A block of rows of the result needs as many rows of A.
    e.here();
    int64_t lines = k / lineElems;
    Value m = add(row.base, rem(div(step.base, lines), height));
    fetch(nextA, m, add(mul(rem(step.base, lines), lineElems), i64(k)));
  }
}
