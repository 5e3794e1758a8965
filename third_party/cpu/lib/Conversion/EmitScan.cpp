//===- EmitScan.cpp - scans -------------------------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Along the vector dimension a scan works within the register: after the steps
// 1, 2, 4, ... every lane holds the combination of all lanes up to itself, and
// what came before the vector is combined with all of them. Along any other
// dimension it goes element by element, in lanes that belong to other rows.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static Type elementType(Value v) { return getElementTypeOrSelf(v.getType()); }

/// Combines every lane with those before it (after it, if `reverse`).
SmallVector<Value> Emitter::scanLanes(Region &region, SmallVector<Value> values,
                                      int64_t width, bool reverse) {
  for (int64_t step = 1; step < width; step *= 2) {
    // Lanes that have no partner keep their value; their index is any.
    SmallVector<int64_t> from;
    SmallVector<bool> has;
    for (int64_t lane = 0; lane < width; ++lane) {
      int64_t partner = reverse ? lane + step : lane - step;
      has.push_back(partner >= 0 && partner < width);
      from.push_back(has.back() ? partner : lane);
    }
    here();
    SmallVector<Value> partners;
    for (Value v : values)
      partners.push_back(vector::ShuffleOp::create(b, loc, v, v, from));
    SmallVector<Value> combined = combine(region, partners, values, width);
    if (failed)
      return values;
    here();
    Value mask = constant(DenseElementsAttr::get(
        VectorType::get({width}, b.getI1Type()), ArrayRef<bool>(has)));
    for (auto [v, c] : llvm::zip(values, combined))
      v = arith::SelectOp::create(b, loc, mask, c, v);
  }
  return values;
}

/// The axis is the vector dimension.
void Emitter::emitScanAcrossLanes(ScanOp op, const Nest &nest,
                                  ArrayRef<Buffer> targets) {
  Region &region = op.getCombineOp();
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  int64_t extent = nest.shape[nest.vecDim], width = nest.width;
  bool reverse = op.getReverse();
  Point p;
  p.dims.resize(nest.shape.size());
  p.width = width;
  outerLoops(nest, nest.vecDim, p, [&] {
    auto scanAt = [&](DimIndex index) {
      index.vec = true;
      p.dims[nest.vecDim] = index;
      SmallVector<Value> values;
      for (Value tree : trees)
        values.push_back(asVector(eval(tree, p), elementType(tree), width));
      return scanLanes(region, values, width, reverse);
    };
    auto write = [&](ValueRange values) {
      for (auto [target, v] : llvm::zip(targets, values))
        writeBuffer(target, p, result(v, width, depth()));
    };
    SmallVector<Value> first =
        scanAt({i64(reverse ? extent - width : 0), 0, false});
    if (failed)
      return;
    write(first);
    if (extent == width)
      return;
    auto step = [&](DimIndex index, ValueRange carried) {
      if (reverse) {
        here();
        index.base =
            arith::SubIOp::create(b, loc, i64(extent - width), index.base);
      }
      SmallVector<Value> values = scanAt(index);
      // All lanes of what the last vector ended with.
      here();
      SmallVector<int64_t> last(width, reverse ? 0 : width - 1);
      SmallVector<Value> before;
      for (Value v : carried)
        before.push_back(vector::ShuffleOp::create(b, loc, v, v, last));
      values = combine(region, before, values, width);
      write(values);
      return values;
    };
    size_t known = prefixMasks.size();
    Value bound = reverse ? Value() : prefixBound(nest, trees, p);
    if (!bound) {
      emitLoop(i64(width), i64(extent), width, first, step);
      return;
    }
    // Without masks as far as they hold.
    here();
    Value mainEnd = b.createOrFold<arith::AndIOp>(loc, bound, i64(-width));
    SmallVector<Value> sums = emitLoop(i64(width), mainEnd, width, first, step);
    prefixMasks.truncate(known);
    here();
    Value from = b.createOrFold<arith::MaxSIOp>(loc, mainEnd, i64(width));
    emitLoop(from, i64(extent), width, sums, step);
  });
}

/// In order along the axis; lanes belong to other dimensions.
void Emitter::emitScanOverLoop(ScanOp op, const Nest &nest,
                               ArrayRef<Buffer> targets) {
  Region &region = op.getCombineOp();
  int axis = op.getAxis();
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  int64_t extent = nest.shape[axis];
  Nest outer = nest;
  outer.shape[axis] = 1;
  forEachPoint(outer, {},
               [&](const Point &point) {
                 Point p = point;
                 auto evalAt = [&](DimIndex index) {
                   p.dims[axis] = index;
                   SmallVector<Value> values;
                   for (Value tree : trees)
                     values.push_back(asVector(eval(tree, p), elementType(tree),
                                               nest.width));
                   return values;
                 };
                 auto write = [&](ValueRange values) {
                   for (auto [target, v] : llvm::zip(targets, values))
                     writeBuffer(target, p, result(v, nest.width, depth()));
                 };
                 bool reverse = op.getReverse();
                 SmallVector<Value> acc =
                     evalAt({i64(reverse ? extent - 1 : 0), 0, false});
                 write(acc);
                 if (extent == 1)
                   return;
                 emitLoop(i64(1), i64(extent), 1, acc,
                          [&](DimIndex index, ValueRange carried) {
                            if (reverse) {
                              here();
                              index.base = arith::SubIOp::create(
                                  b, loc, i64(extent - 1), index.base);
                            }
                            SmallVector<Value> values = evalAt(index);
                            SmallVector<Value> next =
                                combine(region, carried, values, nest.width);
                            write(next);
                            return next;
                          });
               },
               {});
}

void Emitter::emitScan(ScanOp op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  Region &region = op.getCombineOp();
  int axis = op.getAxis();
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  prepare(trees, type.getShape());
  Nest nest = chooseNest(trees, type.getShape());
  bool acrossLanes =
      nest.vecDim == axis && nest.width > 1 && isStraightLine(region);
  if (!acrossLanes && (nest.vecDim == axis || !isStraightLine(region))) {
    nest.vecDim = -1;
    nest.width = 1;
    if (isStraightLine(region))
      for (int d = type.getRank() - 1; d >= 0; --d)
        if (d != axis && type.getDimSize(d) > 1) {
          nest.vecDim = d;
          nest.width = lanesFor(type.getDimSize(d));
          break;
        }
  }
  SmallVector<Buffer> targets;
  for (Value r : op->getResults())
    targets.push_back(allocate(cast<RankedTensorType>(r.getType())));

  if (acrossLanes)
    emitScanAcrossLanes(op, nest, targets);
  else
    emitScanOverLoop(op, nest, targets);
  for (auto [r, target] : llvm::zip(op->getResults(), targets))
    buffers[r] = target;
  finishCaptures();
}
