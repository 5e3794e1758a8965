//===- EmitTranspose.cpp - vectors across the rows of a buffer --*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Where neighbours in memory lie along another dimension than those in a
// buffer, one of the two is visited lane by lane. So a square of as many
// vectors as they have lanes is read, transposed in registers, and written as
// vectors along the other dimension.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static int innermost(const Buffer &buffer) {
  for (auto [dim, stride] : llvm::enumerate(buffer.strides()))
    if (stride == 1 && buffer.shape[dim] > 1)
      return dim;
  return -1;
}

/// Is a nest over the values of `target` one of squares?
bool Emitter::mayTranspose(const Nest &nest, const Buffer &target) const {
  int inner = innermost(target);
  return inner >= 0 && nest.vecDim >= 0 && nest.vecDim != inner &&
         nest.width >= 4 && nest.shape[inner] % nest.width == 0 &&
         nest.shape[nest.vecDim] % nest.width == 0 && capturing.empty();
}

/// Exchanges rows and columns of a square. In each step, halves of blocks twice
/// as large change places.
static SmallVector<Value> transposed(OpBuilder &b, Location loc,
                                     SmallVector<Value> rows) {
  int64_t width = rows.size();
  for (int64_t half = 1; half < width; half *= 2) {
    SmallVector<int64_t> even, odd;
    for (int64_t lane = 0; lane < width; ++lane) {
      bool isLow = (lane & half) == 0;
      even.push_back(isLow ? lane : width + lane - half);
      odd.push_back(isLow ? lane + half : width + lane);
    }
    for (int64_t row = 0; row < width; ++row) {
      if (row & half)
        continue;
      Value x = rows[row], y = rows[row + half];
      rows[row] = vector::ShuffleOp::create(b, loc, x, y, even);
      rows[row + half] = vector::ShuffleOp::create(b, loc, x, y, odd);
    }
  }
  return rows;
}

void Emitter::materializeTransposed(Value v, const Nest &nest,
                                    const Buffer &target) {
  int inner = innermost(target);
  int64_t width = nest.width;
  Type elem = target.elem;
  Point p;
  p.dims.resize(nest.shape.size());
  p.width = width;
  auto square = [&](DimIndex across, DimIndex along) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < width; ++i) {
      here();
      Point q = p;
      q.dims[nest.vecDim] = {along.base, along.level, true};
      q.dims[inner] = {b.createOrFold<arith::AddIOp>(loc, across.base, i64(i)),
                       across.level, false};
      Value row = asVector(eval(v, q), elem, width);
      here();
      rows.push_back(inMemory(row, elem, width));
    }
    if (failed)
      return;
    rows = transposed(b, loc, std::move(rows));
    for (auto [i, row] : llvm::enumerate(rows)) {
      Point q = p;
      q.dims[inner] = {across.base, across.level, true};
      here();
      q.dims[nest.vecDim] = {
          b.createOrFold<arith::AddIOp>(loc, along.base, i64(i)), depth(),
          false};
      int64_t stride;
      unsigned level;
      Value ptr = bufferAddress(target, q, stride, level);
      here();
      LLVM::StoreOp::create(b, loc, row, ptr, memBytes(elem));
    }
  };
  auto steps = [&](int dim, function_ref<void(DimIndex)> body) {
    emitLoop(i64(0), i64(nest.shape[dim]), width, {},
             [&](DimIndex index, ValueRange) -> SmallVector<Value> {
               body(index);
               return {};
             });
  };
  outerLoops(nest, inner, p, [&] {
    steps(nest.vecDim, [&](DimIndex along) {
      steps(inner, [&](DimIndex across) { square(across, along); });
    });
  });
}
