//===- Nest.cpp - the loops of a root ---------------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static DimMap mapFor(Value tree) {
  auto type = dyn_cast<RankedTensorType>(tree.getType());
  return identityMap(type ? type.getRank() : 0);
}

Nest Emitter::chooseNest(ArrayRef<Value> trees, ArrayRef<int64_t> shape,
                         ArrayRef<Value> pointers, int inner) {
  Nest nest;
  nest.shape.assign(shape.begin(), shape.end());
  if (shape.empty())
    return nest;
  // Neighbouring lanes should touch neighbouring memory in most accesses.
  SmallVector<int> score(shape.size(), 0);
  auto vote = [&](Value ptr, const DimMap &dims) {
    for (auto [i, d] : llvm::enumerate(dims))
      if (d >= 0 && strideInPiece(ptr, i) == 1)
        ++score[d];
  };
  for (Value tree : trees)
    walkTree(tree, mapFor(tree), [&](Value v, const DimMap &dims) {
      if (auto it = buffers.find(v); it != buffers.end()) {
        int own = it->second.inner;
        if (own >= 0 && own < static_cast<int>(dims.size()) && dims[own] >= 0)
          ++score[dims[own]];
        return false;
      }
      if (auto load = v.getDefiningOp<LoadOp>())
        vote(load.getPtr(), dims);
      return true;
    });
  for (Value ptr : pointers)
    vote(ptr, mapFor(ptr));
  if (inner >= 0)
    ++score[inner];
  int best = -1;
  for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d)
    if (shape[d] > 1 &&
        (best < 0 || (score[d] > score[best] && shape[d] >= lanesFor(64))))
      best = d;
  nest.vecDim = best;
  nest.width = best < 0 ? 1 : lanesFor(shape[best]);
  return nest;
}

bool Emitter::matches(const Assumption &a, Value v, const Point &p) const {
  if (a.value != v || a.point.dims.size() != p.dims.size())
    return false;
  for (auto [x, y] : llvm::zip(a.point.dims, p.dims))
    if (x.vec != y.vec || (!x.vec && x.base != y.base))
      return false;
  return true;
}

SmallVector<Value>
Emitter::emitLoop(Value lo, Value hi, int64_t step, ValueRange inits,
                  function_ref<SmallVector<Value>(DimIndex, ValueRange)> body) {
  unsigned level = depth();
  here();
  auto loop = scf::ForOp::create(b, loc, lo, hi, i64(step), inits);
  Scope &outer = *scopes[level];
  Operation *saved = outer.before;
  outer.before = loop;
  Block *block = loop.getBody();
  pushScope(block,
            block->mightHaveTerminator() ? block->getTerminator() : nullptr);
  DimIndex index{loop.getInductionVar(), depth(), false};
  SmallVector<Value> next = body(index, loop.getRegionIterArgs());
  if (!inits.empty()) {
    here();
    scf::YieldOp::create(b, loc, next);
  }
  popScope();
  scopes[level]->before = saved;
  return SmallVector<Value>(loop.getResults());
}

void Emitter::outerLoops(const Nest &nest, int skip, Point &p,
                         function_ref<void()> inner, unsigned dim) {
  if (dim == nest.shape.size())
    return inner();
  int vecDim = nest.vecDim;
  if (static_cast<int>(dim) == vecDim || static_cast<int>(dim) == skip)
    return outerLoops(nest, skip, p, inner, dim + 1);
  if (nest.shape[dim] == 1) {
    p.dims[dim] = {i64(0), 0, false};
    return outerLoops(nest, skip, p, inner, dim + 1);
  }
  emitLoop(i64(0), i64(nest.shape[dim]), 1, {},
           [&](DimIndex index, ValueRange) -> SmallVector<Value> {
             p.dims[dim] = index;
             outerLoops(nest, skip, p, inner, dim + 1);
             return {};
           });
}

/// Whether the indices from `first` on, `extent` of them, do not wrap.
static Value neverWraps(OpBuilder &b, Location loc, Value first,
                        int64_t extent) {
  Value last = b.createOrFold<arith::AddIOp>(
      loc, first,
      arith::ConstantOp::create(b, loc,
                                b.getIntegerAttr(first.getType(), extent - 1)));
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, last,
                                       first);
}

Value Emitter::prefixBound(const Nest &nest, ArrayRef<Value> trees,
                           const Point &outer, Value *noneBehind) {
  Value bound;
  SmallVector<std::pair<Value, DimMap>> masks;
  for (Value tree : trees)
    walkTree(tree, mapFor(tree), [&](Value v, const DimMap &dims) {
      if (buffers.contains(v) && !capturing.contains(v))
        return false;
      auto cmp = v.getDefiningOp<arith::CmpIOp>();
      int dim = -1;
      for (auto [i, d] : llvm::enumerate(dims))
        if (d == nest.vecDim)
          dim = i;
      Value lhs, rhs;
      bool orEqual;
      if (cmp && dim >= 0 && asLess(cmp, lhs, rhs, orEqual) &&
          strideAlong(lhs, dim) == 1 && strideAlong(rhs, dim) == 0)
        masks.push_back({v, dims});
      return true;
    });

  Type i64Type = b.getI64Type();
  for (auto &[mask, dims] : masks) {
    auto cmp = mask.getDefiningOp<arith::CmpIOp>();
    Value lhs, rhs;
    bool orEqual = false;
    asLess(cmp, lhs, rhs, orEqual);
    Point p;
    p.width = nest.width;
    p.isAddress = true; // what wraps is behind all that does not
    for (int d : dims) {
      DimIndex zeroIndex{i64(0), 0, d == nest.vecDim};
      p.dims.push_back(d < 0 || d == nest.vecDim ? zeroIndex : outer.dims[d]);
    }
    if (llvm::any_of(prefixMasks,
                     [&](const Assumption &a) { return matches(a, mask, p); }))
      continue;
    Lanes x = withoutPos(eval(lhs, p));
    Lanes y = eval(rhs, p);
    if (failed || !x.hasUnitStride(1) || x.isLocal || !y.isUniform() ||
        y.isLocal)
      continue;
    here();
    Value limit = intCast(y.base, i64Type);
    Value count =
        b.createOrFold<arith::SubIOp>(loc, limit, intCast(x.base, i64Type));
    if (orEqual)
      count = b.createOrFold<arith::AddIOp>(loc, count, i64(1));
    bound = bound ? b.createOrFold<arith::MinSIOp>(loc, bound, count) : count;
    if (noneBehind && !widensIndices(lhs))
      *noneBehind = neverWraps(b, loc, x.base, nest.shape[nest.vecDim]);
    prefixMasks.push_back({mask, p, Lanes()});
  }
  if (!bound)
    return {};
  here();
  bound =
      b.createOrFold<arith::MinSIOp>(loc, bound, i64(nest.shape[nest.vecDim]));
  return b.createOrFold<arith::MaxSIOp>(loc, bound, i64(0));
}

void Emitter::forEachPoint(const Nest &nest, ArrayRef<Value> trees,
                           function_ref<void(const Point &)> body,
                           Value storeMask) {
  Point p;
  p.dims.resize(nest.shape.size());
  p.width = nest.width;
  SmallVector<PieceValue> pieces;
  if (nest.width > 1)
    pieces = findPieceValues(trees, nest.vecDim,
                             [this](Value v) { return isKnown(v); });
  outerLoops(nest, -1, p, [&] {
    if (nest.vecDim < 0)
      return body(p);
    int64_t extent = nest.shape[nest.vecDim];
    DimIndex &index = p.dims[nest.vecDim];
    if (extent == nest.width) {
      index = {i64(0), 0, nest.width > 1};
      return body(p);
    }
    auto loop = [&](Value lo, Value hi) {
      emitLoop(lo, hi, nest.width, {},
               [&](DimIndex iv, ValueRange) -> SmallVector<Value> {
                 iv.vec = nest.width > 1;
                 index = iv;
                 body(p);
                 return {};
               });
    };
    auto mainLoop = [&](Value end) {
      if (pieces.empty())
        loop(i64(0), end);
      else
        forEachPiece(nest, pieces, p, end, loop);
    };
    size_t known = prefixMasks.size();
    Value noneBehind;
    Value bound = prefixBound(nest, trees, p, &noneBehind);
    if (!bound)
      return mainLoop(i64(extent));
    here();
    Value mainEnd = b.createOrFold<arith::AndIOp>(loc, bound, i64(-nest.width));
    mainLoop(mainEnd);
    SmallVector<Assumption> assumed(prefixMasks.begin() + known,
                                    prefixMasks.end());
    prefixMasks.truncate(known);
    // Past the bound every store is masked off if the store's own mask is the
    // one that defines the bound, or a conjunction with it, and the indices do
    // not wrap.
    bool mayStop = false;
    // A check looks at all loads, needed or not.
    if (storeMask && noneBehind && capturing.empty() && !sanitize)
      walkTree(storeMask, mapFor(storeMask), [&](Value v, const DimMap &dims) {
        Operation *op = v.getDefiningOp();
        mayStop |= llvm::any_of(assumed, [&](const Assumption &a) {
          return a.value == v && assumed.size() == 1 &&
                 llvm::is_contained(dims, nest.vecDim);
        });
        return isa_and_nonnull<arith::AndIOp, BroadcastOp, ExpandDimsOp>(op);
      });
    Value end = i64(extent);
    if (mayStop) {
      here();
      end = b.createOrFold<arith::SelectOp>(loc, noneBehind, bound, end);
    }
    loop(mainEnd, end);
  });
}
