//===- EmitDot.cpp - matrix products ----------------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Both operands are copied to scratch as [.., M, K] and [.., K, N] tiles in the
// type of the accumulation (f32 for the narrow floats, i32 for i8). A block of
// rows times vectors of the result then stays in registers over the whole K:
// each step loads the vectors of one row of B and broadcasts one scalar of each
// row of A. Where the processor multiplies several neighbours along K per lane,
// B is stored in groups of them (EmitDotPacked.cpp), and the next tiles are
// fetched meanwhile (EmitDotAhead.cpp).
//
//===----------------------------------------------------------------------===//

#include "DotTile.h"
#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

/// How much of the result fits in registers: 24 of 32 vectors with AVX-512, 12
/// of 16 otherwise. The rest holds operands.
static void chooseRegisterBlock(int64_t m, int64_t n, int64_t width,
                                unsigned vectorBits, int64_t &rows,
                                int64_t &vectors) {
  int64_t budget = vectorBits >= 512 ? 24 : 12;
  int64_t maxVectors = vectorBits >= 512 ? 4 : 2;
  vectors = std::max<int64_t>(1, std::min(maxVectors, n / width));
  rows = std::min<int64_t>({m, budget / vectors, 14});
}

/// Lanes for copying `v` with neighbours along `dim`: a whole register of its
/// elements if it comes from memory as it is. The usual number is that of
/// 32-bit lanes, which leaves a part of the register empty.
int64_t Emitter::lanesForCopy(Value v, int dim) const {
  auto type = cast<RankedTensorType>(v.getType());
  Type elem = type.getElementType();
  auto load = v.getDefiningOp<LoadOp>();
  if (dim < 0 || sanitize || !load || buffers.contains(v) ||
      load.getIsVolatile() || !(elem.isBF16() || elem.isInteger(8)) ||
      strideInPiece(load.getPtr(), dim) != 1)
    return dim < 0 ? 1 : lanesFor(type.getDimSize(dim));
  return std::min<int64_t>(vectorBits / elem.getIntOrFloatBitWidth(),
                           type.getDimSize(dim));
}

/// An operand in scratch memory, converted to the type of the sums.
Buffer Emitter::dotOperand(Value v, Type compute) {
  auto type = cast<RankedTensorType>(v.getType());
  auto it = buffers.find(v);
  if (it != buffers.end() && type.getElementType() == compute)
    return it->second;
  Buffer target = allocate(RankedTensorType::get(type.getShape(), compute));
  prepare(v, type.getShape());
  Nest nest = chooseNest(v, type.getShape());
  if (type.getElementType() == compute)
    nest.width = lanesForCopy(v, nest.vecDim);
  forEachPoint(nest, v, [&](const Point &p) {
    Value x = asVector(eval(v, p), type.getElementType(), p.width);
    here();
    x = isa<IntegerType>(compute) ? intCast(x, valueType(compute, p.width))
                                  : floatCast(x, compute, p.width);
    writeBuffer(target, p, result(x, p.width, depth()));
  });
  finishCaptures();
  return target;
}

/// Sums one row of B into each row of the block: sums += a[row] * b[columns].
SmallVector<Value> Emitter::dotStep(const DotTile &t, Value aRow, Value bRow,
                                    int64_t rows, ValueRange sums) {
  bool isInt = isa<IntegerType>(t.compute);
  // What a lane multiplies at once is as wide as the sum.
  Type part = t.group > 1 ? Type(b.getI32Type()) : t.compute;
  int64_t bytes = memBytes(part), rowBytes = t.k * memBytes(t.a.elem);
  SmallVector<Value> columns, next;
  for (int64_t v = 0; v < t.vectors; ++v)
    columns.push_back(loadVector(offsetPtr(bRow, i64(v * t.width * bytes)),
                                 part, t.width, {}, {}));
  for (int64_t r = 0; r < rows; ++r) {
    // Groups of bytes lie as their first byte does.
    Value x = LLVM::LoadOp::create(
        b, loc, part, offsetPtr(aRow, i64(r * rowBytes)), memBytes(t.a.elem));
    if (t.width > 1)
      x = vector::BroadcastOp::create(b, loc, valueType(part, t.width), x);
    for (int64_t v = 0; v < t.vectors; ++v) {
      Value sum = sums[r * t.vectors + v];
      if (t.group > 1)
        next.push_back(packedProduct(t, x, columns[v], sum));
      else if (isInt)
        next.push_back(arith::AddIOp::create(
            b, loc, sum, arith::MulIOp::create(b, loc, x, columns[v])));
      else
        next.push_back(math::FmaOp::create(b, loc, x, columns[v], sum));
    }
  }
  return next;
}

/// One register block at `row` and `col` over all of K.
void Emitter::dotBlock(const DotTile &t, const Point &base, DimIndex row,
                       DimIndex col, int64_t rows) {
  DotOp op = t.op;
  Type acc = getElementTypeOrSelf(op.getType());
  bool isInt = isa<IntegerType>(t.compute);
  // Per step along K; a group of B is one i32.
  int64_t aBytes = memBytes(t.a.elem) * t.group;
  int64_t bBytes = memBytes(t.b.elem) * t.n;
  unsigned m = t.rank - 2, n = t.rank - 1;
  SmallVector<Value> sums;
  SmallVector<Point> points;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < t.vectors; ++v) {
      here();
      Point p = base;
      p.width = t.width;
      p.dims[m] = {b.createOrFold<arith::AddIOp>(loc, row.base, i64(r)),
                   depth(), false};
      p.dims[n] = {
          b.createOrFold<arith::AddIOp>(loc, col.base, i64(v * t.width)),
          depth(), t.width > 1};
      points.push_back(p);
      Value init = asVector(eval(op.getC(), p), acc, t.width);
      here();
      init = isInt ? intCast(init, valueType(t.compute, t.width))
                   : floatCast(init, t.compute, t.width);
      if (t.rowSums.base)
        init = withoutRowSum(t, p, init);
      sums.push_back(init);
    }
  int64_t laneStride;
  unsigned level;
  Point p = base;
  p.width = 1;
  p.dims[m] = row;
  p.dims[n] = {i64(0), 0, false};
  Value aPtr = bufferAddress(t.a, p, laneStride, level);
  p.dims[m] = {i64(0), 0, false};
  p.dims[n] = {col.base, col.level, false};
  Value bPtr = bufferAddress(t.b, p, laneStride, level);
  sums = emitLoop(
      i64(0), i64(t.k / t.group), 1, sums, [&](DimIndex k, ValueRange carried) {
        t.fetchAhead(*this, base, row, col, k, rows);
        here();
        Value a = b.createOrFold<arith::MulIOp>(loc, k.base, i64(aBytes));
        Value bRow = b.createOrFold<arith::MulIOp>(loc, k.base, i64(bBytes));
        return dotStep(t, offsetPtr(aPtr, a), offsetPtr(bPtr, bRow), rows,
                       carried);
      });
  for (auto [point, sum] : llvm::zip(points, sums)) {
    here();
    Value v = isInt ? intCast(sum, valueType(acc, t.width))
                    : floatCast(sum, acc, t.width);
    writeBuffer(t.out, point, result(v, t.width, depth()));
  }
}

/// The start of the sums of a row of bytes, see EmitDotPacked.cpp.
Value Emitter::withoutRowSum(const DotTile &t, const Point &p, Value init) {
  Point row = p;
  row.dims.pop_back();
  row.width = 1;
  Value sum = readBuffer(t.rowSums, row).base;
  here();
  if (t.width > 1)
    sum = vector::BroadcastOp::create(b, loc, init.getType(), sum);
  return arith::SubIOp::create(b, loc, init, sum);
}

void Emitter::emitDot(DotOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Type acc = type.getElementType();
  DotTile t;
  t.op = op;
  // Narrow accumulators are kept wide until the end.
  t.compute = acc;
  if (acc.getIntOrFloatBitWidth() < 32)
    t.compute =
        isa<IntegerType>(acc) ? Type(b.getI32Type()) : Type(b.getF32Type());
  t.group = dotGroup(op);
  dotBF16 |= t.group == 2;
  if (t.group > 1) {
    Type elem = getElementTypeOrSelf(op.getA().getType());
    t.a = dotOperand(op.getA(), elem);
    t.b = packedOperand(op.getB(), t.group);
    t.chooseAhead(*this);
    if (elem.isInteger(8) && !failed)
      t.rowSums = rowSums(t.a);
  } else {
    t.a = dotOperand(op.getA(), t.compute);
    t.b = dotOperand(op.getB(), t.compute);
  }
  if (failed)
    return;
  prepare(op.getC(), type.getShape(), /*mayCapture=*/false);
  t.out = preassigned.lookup(op.getResult());
  if (!t.out.base)
    t.out = allocate(type);

  t.rank = type.getRank();
  t.m = type.getDimSize(t.rank - 2);
  t.n = type.getDimSize(t.rank - 1);
  t.k = cast<RankedTensorType>(op.getA().getType()).getDimSize(t.rank - 1);
  t.width = lanesFor(t.n);
  chooseRegisterBlock(t.m, t.n, t.width, vectorBits, t.rows, t.vectors);

  Nest batch;
  batch.shape.assign(type.getShape().begin(), type.getShape().end());
  batch.shape[t.rank - 2] = batch.shape[t.rank - 1] = 1;
  Point base;
  base.dims.resize(t.rank);
  outerLoops(batch, -1, base, [&] {
    auto rowBlocks = [&](DimIndex col) {
      int64_t whole = t.m / t.rows * t.rows;
      emitLoop(i64(0), i64(whole), t.rows, {},
               [&](DimIndex row, ValueRange) -> SmallVector<Value> {
                 dotBlock(t, base, row, col, t.rows);
                 return {};
               });
      if (t.m != whole)
        dotBlock(t, base, {i64(whole), 0, false}, col, t.m - whole);
    };
    if (t.n == t.vectors * t.width)
      return rowBlocks({i64(0), 0, false});
    // The columns of B that all rows are multiplied with stay in the first
    // cache; a row of A passes through it.
    emitLoop(i64(0), i64(t.n), t.vectors * t.width, {},
             [&](DimIndex col, ValueRange) -> SmallVector<Value> {
               rowBlocks(col);
               return {};
             });
  });
  buffers[op.getResult()] = t.out;
}
