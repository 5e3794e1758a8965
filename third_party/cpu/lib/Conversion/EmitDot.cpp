//===- EmitDot.cpp - matrix products ----------------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Both operands are copied to scratch as [.., M, K] and [.., K, N] tiles in the
// type of the accumulation (f32 for the narrow floats, i32 for i8). A block of
// MR rows times NV vectors of the result then stays in registers over the whole
// K: each step loads NV vectors of the right operand and broadcasts MR scalars
// of the left one.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

namespace {
struct RegisterBlock {
  int64_t rows, vectors, width;
};
} // namespace

/// How much of the result fits in registers: 24 of 32 vectors with AVX-512, 12
/// of 16 otherwise. The rest holds operands.
static RegisterBlock chooseBlock(int64_t m, int64_t n, int64_t width,
                                 unsigned vectorBits) {
  int64_t budget = vectorBits >= 512 ? 24 : 12;
  int64_t maxVectors = vectorBits >= 512 ? 4 : 2;
  int64_t vectors = std::max<int64_t>(1, std::min(maxVectors, n / width));
  int64_t rows = std::min<int64_t>(m, budget / vectors);
  return {std::min<int64_t>(rows, 14), vectors, width};
}

void Emitter::emitDot(DotOp op) {
  auto aType = cast<RankedTensorType>(op.getA().getType());
  auto cType = cast<RankedTensorType>(op.getType());
  int rank = cType.getRank();
  Type acc = cType.getElementType();
  bool isInt = isa<IntegerType>(acc);
  // Narrow accumulators are kept wide until the end.
  Type compute = acc.getIntOrFloatBitWidth() < 32
                     ? (isInt ? Type(b.getI32Type()) : Type(b.getF32Type()))
                     : acc;

  auto tile = [&](Value v) -> Buffer {
    auto type = cast<RankedTensorType>(v.getType());
    if (auto it = buffers.find(v); it != buffers.end() && type.getElementType() == compute)
      return it->second;
    Buffer target = allocate(RankedTensorType::get(type.getShape(), compute));
    prepare(v, type.getShape());
    Nest nest = chooseNest(v, type.getShape());
    forEachPoint(nest, v, [&](const Point &p) {
      Lanes lanes = eval(v, p);
      Value x = asVector(lanes, type.getElementType(), p.width);
      here();
      x = isInt ? intCast(x, valueType(compute, p.width))
                : floatCast(x, compute, p.width);
      writeBuffer(target, p, result(x, p.width, depth()));
    });
    finishCaptures();
    return target;
  };
  Buffer a = tile(op.getA());
  Buffer bTile = tile(op.getB());
  if (failed)
    return;
  prepare(op.getC(), cType.getShape(), /*mayCapture=*/false);
  Buffer out = preassigned.lookup(op.getResult());
  if (!out.base)
    out = allocate(cType);

  int64_t m = cType.getDimSize(rank - 2), n = cType.getDimSize(rank - 1);
  int64_t k = aType.getDimSize(rank - 1);
  int64_t width = lanesFor(n);
  RegisterBlock block = chooseBlock(m, n, width, vectorBits);
  int64_t bytes = memBytes(compute);

  auto vectorAdd = [&](Value x, Value y) -> Value {
    return isInt ? Value(arith::AddIOp::create(b, loc, x, y))
                 : Value(arith::AddFOp::create(b, loc, x, y));
  };
  (void)vectorAdd;

  /// One register block of `rows` x `vectors` at row index `row` and column
  /// `col`, over all of K.
  auto micro = [&](Point base, DimIndex row, DimIndex col, int64_t rows) {
    SmallVector<Value> inits;
    SmallVector<Point> points;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < block.vectors; ++v) {
        here();
        Point p = base;
        p.width = width;
        p.dims[rank - 2] = {b.createOrFold<arith::AddIOp>(loc, row.base, i64(r)),
                            depth(), false};
        p.dims[rank - 1] = {b.createOrFold<arith::AddIOp>(loc, col.base, i64(v * width)),
                            depth(), width > 1};
        points.push_back(p);
        Value init = asVector(eval(op.getC(), p), acc, width);
        here();
        inits.push_back(isInt ? intCast(init, valueType(compute, width))
                              : floatCast(init, compute, width));
      }
    // Addresses of the first row of A and of the first vectors of B.
    int64_t unused;
    unsigned level;
    Point pa = base, pb = base;
    pa.width = pb.width = 1;
    pa.dims[rank - 2] = row;
    pa.dims[rank - 1] = {i64(0), 0, false};
    pb.dims[rank - 2] = {i64(0), 0, false};
    pb.dims[rank - 1] = {col.base, col.level, false};
    Value aPtr = bufferAddress(a, pa, unused, level);
    Value bPtr = bufferAddress(bTile, pb, unused, level);
    SmallVector<Value> sums = emitLoop(
        i64(0), i64(k), 1, inits, [&](DimIndex kk, ValueRange carried) {
          here();
          Value aK = offsetPtr(aPtr, b.createOrFold<arith::MulIOp>(loc, kk.base, i64(bytes)));
          Value bK = offsetPtr(bPtr, b.createOrFold<arith::MulIOp>(loc, kk.base, i64(bytes * n)));
          SmallVector<Value> columns, next;
          for (int64_t v = 0; v < block.vectors; ++v)
            columns.push_back(loadVector(offsetPtr(bK, i64(v * width * bytes)), compute, width, {}, {}));
          for (int64_t r = 0; r < rows; ++r) {
            Value x = loadVector(offsetPtr(aK, i64(r * k * bytes)), compute, 1, {}, {});
            Value splat = width == 1 ? x
                                     : Value(vector::BroadcastOp::create(
                                           b, loc, VectorType::get({width}, compute), x));
            for (int64_t v = 0; v < block.vectors; ++v) {
              Value sum = carried[r * block.vectors + v];
              if (isInt)
                next.push_back(arith::AddIOp::create(
                    b, loc, sum, arith::MulIOp::create(b, loc, splat, columns[v])));
              else
                next.push_back(math::FmaOp::create(b, loc, splat, columns[v], sum));
            }
          }
          return next;
        });
    for (auto [p, sum] : llvm::zip(points, sums)) {
      here();
      Value v = isInt ? intCast(sum, valueType(acc, width)) : floatCast(sum, acc, width);
      writeBuffer(out, p, result(v, width, depth()));
    }
  };

  Nest batch;
  for (int d = 0; d < rank; ++d)
    batch.shape.push_back(d < rank - 2 ? cType.getDimSize(d) : 1);
  Point base;
  base.dims.resize(rank);
  outerLoops(batch, -1, base, [&] {
    auto columns = [&](DimIndex row, int64_t rows) {
      if (n == block.vectors * width)
        return micro(base, row, {i64(0), 0, false}, rows);
      emitLoop(i64(0), i64(n), block.vectors * width, {},
               [&](DimIndex col, ValueRange) -> SmallVector<Value> {
                 micro(base, row, col, rows);
                 return {};
               });
    };
    int64_t whole = m / block.rows * block.rows;
    emitLoop(i64(0), i64(whole), block.rows, {},
             [&](DimIndex row, ValueRange) -> SmallVector<Value> {
               columns(row, block.rows);
               return {};
             });
    if (m != whole)
      columns({i64(whole), 0, false}, m - whole);
  });
  buffers[op.getResult()] = out;
}
