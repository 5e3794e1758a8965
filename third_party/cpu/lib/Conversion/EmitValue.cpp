//===- EmitValue.cpp - computes a virtual tensor at a point -----*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static Type elementType(Value v) { return getElementTypeOrSelf(v.getType()); }

Lanes Emitter::eval(Value v, const Point &point) {
  Point p = point;
  // Nothing else depends on it, and what is computed once is known twice.
  p.isAddress &= widensIndices(v) && !capturing.contains(v);
  if (failed)
    return Lanes::uniform(
        LLVM::PoisonOp::create(here(), loc, scalarType(elementType(v))), 0);
  if (!isa<RankedTensorType>(v.getType()))
    return Lanes::uniform(scalar(v), 0);
  for (auto &scope : llvm::reverse(scopes)) {
    auto it = scope->memo.find(v);
    if (it == scope->memo.end())
      continue;
    for (auto &[known, lanes] : it->second)
      if (known == p)
        return lanes;
  }
  Lanes lanes = evalUncached(v, p);
  if (failed)
    return Lanes::uniform(
        LLVM::PoisonOp::create(here(), loc, scalarType(elementType(v))), 0);
  unsigned level = lanes.maxLevel();
  for (const DimIndex &d : p.dims)
    level = std::max(level, d.level);
  scopes[level]->memo[v].push_back({p, lanes});
  return lanes;
}

Lanes Emitter::evalUncached(Value v, const Point &p) {
  for (const Assumption &a : prefixMasks)
    if (matches(a, v, p))
      return Lanes::uniform(constant(b.getBoolAttr(true)), depth());
  for (const Assumption &a : pieceValues)
    if (matches(a, v, p)) {
      const DimIndex &index = p.dims[p.vecDim()];
      Lanes lanes = a.lanes;
      if (lanes.isAffine()) {
        lanes.pos = index.base;
        lanes.posLevel = index.level;
      }
      return lanes;
    }
  if (capturing.contains(v)) {
    auto op = v.getDefiningOp();
    Lanes lanes = evalOp(op, cast<OpResult>(v).getResultNumber(), p);
    if (!failed)
      writeBuffer(buffers[v], p, lanes);
    return lanes;
  }
  auto it = buffers.find(v);
  if (it != buffers.end())
    return readBuffer(it->second, p);
  Operation *op = v.getDefiningOp();
  if (!op) {
    failed = true;
    emitError(v.getLoc()) << "CPU lowering: a block argument has no buffer";
    return Lanes();
  }
  return evalOp(op, cast<OpResult>(v).getResultNumber(), p);
}

Lanes Emitter::evalOp(Operation *op, unsigned resultNumber, const Point &p) {
  llvm::SaveAndRestore<Location> place(loc, op->getLoc());
  return llvm::TypeSwitch<Operation *, Lanes>(op)
      .Case([&](arith::ConstantOp c) {
        auto dense = dyn_cast<SplatElementsAttr>(c.getValue());
        if (!dense)
          return error(op, "only constants with equal elements are supported");
        return Lanes::uniform(
            constant(cast<TypedAttr>(dense.getSplatValue<Attribute>())), 0);
      })
      .Case([&](SplatOp s) { return Lanes::uniform(scalar(s.getSrc()), 0); })
      .Case([&](UnsplatOp u) {
        Point q;
        for (int64_t i = 0;
             i < cast<RankedTensorType>(u.getSrc().getType()).getRank(); ++i)
          q.dims.push_back({i64(0), 0, false});
        return eval(u.getSrc(), q);
      })
      .Case([&](MakeRangeOp r) {
        const DimIndex &d = p.dims[0];
        Type i32 = b.getI32Type();
        Value start = constant(b.getI32IntegerAttr(r.getStart()));
        if (!d.vec) {
          at(d.level);
          Value index = b.createOrFold<arith::TruncIOp>(loc, i32, d.base);
          return Lanes::uniform(
              b.createOrFold<arith::AddIOp>(loc, index, start), d.level);
        }
        Lanes lanes = Lanes::uniform(start, 0);
        lanes.kind = Lanes::Affine;
        lanes.stride = 1;
        lanes.pos = d.base;
        lanes.posLevel = d.level;
        return lanes;
      })
      .Case([&](ExpandDimsOp e) {
        Point q = p;
        q.dims.erase(q.dims.begin() + e.getAxis());
        if (q.vecDim() < 0)
          q.width = 1;
        return eval(e.getSrc(), q);
      })
      .Case([&](BroadcastOp bc) {
        Point q = p;
        auto shape = cast<RankedTensorType>(bc.getSrc().getType()).getShape();
        for (auto [i, d] : llvm::enumerate(q.dims))
          if (shape[i] == 1)
            d = {i64(0), 0, false};
        if (q.vecDim() < 0)
          q.width = 1;
        return eval(bc.getSrc(), q);
      })
      .Case([&](TransOp t) {
        Point q = p;
        for (auto [i, src] : llvm::enumerate(t.getOrder()))
          q.dims[src] = p.dims[i];
        return eval(t.getSrc(), q);
      })
      .Case([&](ReshapeOp r) {
        return evalReshape(r.getSrc(),
                           cast<RankedTensorType>(r.getType()).getShape(), p);
      })
      .Case([&](SplitOp s) {
        Point q = p;
        q.dims.push_back({i64(resultNumber), 0, false});
        return eval(s.getSrc(), q);
      })
      .Case([&](LoadOp l) { return emitLoad(l, p); })
      .Case([&](AddPtrOp a) { return evalAddPtr(a, p); })
      .Case([&](GatherOp g) { return evalGather(g, p); })
      .Case([&](ExternElementwiseOp) { return evalElementwise(op, p); })
      .Default([&](Operation *) {
        if (!isVirtual(op))
          return error(op, "operation '" + op->getName().getStringRef() +
                               "' is not supported");
        return evalElementwise(op, p);
      });
}

/// Vector lanes with `width` neighbours; an operand that does not depend on the
/// vector dimension is the same scalar in each.
Lanes Emitter::evalElementwise(Operation *op, const Point &p) {
  SmallVector<Lanes> operands;
  for (Value v : op->getOperands())
    operands.push_back(eval(v, p));
  if (failed)
    return Lanes();
  if (std::optional<Lanes> affine = evalAffine(op, operands, p.isAddress))
    return *affine;
  if (std::optional<Lanes> lanes = evalRowOrColumn(op, operands, p.width))
    return *lanes;
  unsigned level = 0;
  bool uniform = true, isLocal = false;
  for (const Lanes &l : operands) {
    level = std::max(level, l.maxLevel());
    uniform &= l.isUniform();
    isLocal |= l.isLocal;
  }
  int64_t width = uniform ? 1 : p.width;
  SmallVector<Value> values;
  for (auto [l, v] : llvm::zip(operands, op->getOperands()))
    values.push_back(asVector(l, elementType(v), width));
  at(level);
  Value r = elementwise(op, values, width);
  if (failed)
    return Lanes();
  Lanes lanes = result(r, width, level);
  lanes.isLocal = isLocal;
  return lanes;
}

Lanes Emitter::evalReshape(Value src, ArrayRef<int64_t> dstShape,
                           const Point &p) {
  auto srcShape = cast<RankedTensorType>(src.getType()).getShape();
  auto isBig = [](int64_t d) { return d != 1; };
  SmallVector<int64_t> bigSrc(llvm::make_filter_range(srcShape, isBig));
  SmallVector<int64_t> bigDst(llvm::make_filter_range(dstShape, isBig));
  if (bigSrc == bigDst) {
    Point q;
    q.width = p.width;
    SmallVector<DimIndex> big;
    for (auto [d, index] : llvm::zip(dstShape, p.dims))
      if (d != 1)
        big.push_back(index);
    unsigned next = 0;
    for (int64_t d : srcShape)
      q.dims.push_back(d == 1 ? DimIndex{i64(0), 0, false} : big[next++]);
    if (q.vecDim() < 0)
      q.width = 1;
    return eval(src, q);
  }
  // The Plan stored the operand: its buffer read with the result's shape.
  auto it = buffers.find(src);
  if (it == buffers.end() || capturing.contains(src))
    return error(src.getDefiningOp(), "operand of a reshape is not stored");
  Buffer view = it->second;
  view.shape.assign(dstShape.begin(), dstShape.end());
  return readBuffer(view, p);
}

Lanes Emitter::evalGather(GatherOp op, const Point &p) {
  auto it = buffers.find(op.getSrc());
  if (it == buffers.end())
    return error(op, "source of a gather is not stored");
  const Buffer &buffer = it->second;
  Lanes index = eval(op.getIndices(), p);
  if (failed)
    return Lanes();
  Type i64Type = b.getI64Type();
  int64_t axis = op.getAxis();
  int64_t bytes = memBytes(buffer.elem);
  SmallVector<int64_t> strides = buffer.strides();
  // Blocks have powers of two as sizes: an index outside wraps, so that it
  // reads some element of the block and no other memory.
  int64_t extent = buffer.shape[axis];
  // Address of the point with index 0 along the axis, then the axis itself.
  Point q = p;
  q.dims[axis] = {i64(0), 0, false};
  int64_t laneStride = 0;
  unsigned level = 0;
  Value base = bufferAddress(buffer, q, laneStride, level);
  level = std::max(level, index.maxLevel());
  Type indexType = elementType(op.getIndices());
  if (index.isUniform() && q.vecDim() < 0) {
    at(level);
    Value place = intCast(index.base, i64Type);
    checkIndex(op, place, p, level);
    at(level);
    place = arith::AndIOp::create(b, loc, place, i64(extent - 1));
    Value offset =
        arith::MulIOp::create(b, loc, place, i64(strides[axis] * bytes));
    Value ptr = offsetPtr(base, offset);
    return Lanes::uniform(loadVector(ptr, buffer.elem, 1, {}, {}), level);
  }
  Value lanes = asVector(index, indexType, p.width);
  Lanes start;
  start.kind = Lanes::Affine;
  start.base = base;
  start.stride = laneStride * bytes;
  start.level = level;
  Value pointers = lanePointers(start, p.width);
  at(level);
  auto wide = VectorType::get({p.width}, i64Type);
  Value places = intCast(lanes, wide);
  checkIndex(op, places, p, level);
  at(level);
  places = arith::AndIOp::create(
      b, loc, places,
      splatConstant(i64Type, b.getI64IntegerAttr(extent - 1), p.width));
  Value offsets = arith::MulIOp::create(
      b, loc, places,
      splatConstant(i64Type, b.getI64IntegerAttr(strides[axis] * bytes),
                    p.width));
  Value addresses = arith::AddIOp::create(b, loc, pointers, offsets);
  return Lanes::vector(gatherVector(addresses, buffer.elem, p.width, {}, {}),
                       level);
}
