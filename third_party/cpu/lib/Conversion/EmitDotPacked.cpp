//===- EmitDotPacked.cpp - products of 4 bytes or 2 bf16 a lane -*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Instructions that multiply `group` neighbours along K in each lane and add
// the products to one sum: 4 bytes (AVX512-VNNI) or 2 bf16 (AVX512-BF16). B is
// stored as [.., K / group, N, group], so that a vector holds the groups of 16
// columns; A stays as it is, its groups are broadcast from memory.
//
// The instruction for bytes takes one factor as unsigned. That is B + 128:
//   sum a * b = sum a * (b + 128) - 128 * sum a
// and the sums of the rows of A are computed once per tile.
//
//===----------------------------------------------------------------------===//

#include "DotTile.h"
#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

/// Neighbours along K that one lane multiplies; 1 if there is no such
/// instruction for these types and sizes.
int64_t Emitter::dotGroup(DotOp op) const {
  auto a = cast<RankedTensorType>(op.getA().getType());
  auto c = cast<RankedTensorType>(op.getType());
  int64_t k = a.getShape().back(), n = c.getShape().back();
  Type elem = a.getElementType();
  if (elem != getElementTypeOrSelf(op.getB().getType()) || n < 16)
    return 1;
  if (elem.isInteger(8) && c.getElementType().isInteger(32) &&
      options.dotInt8 && k % 4 == 0)
    return 4;
  if (elem.isBF16() && options.dotBF16 && k % 2 == 0)
    return 2;
  return 1;
}

/// Vectors of neighbouring rows of B to one of groups, the first row in the low
/// bits of each.
Value Emitter::packRows(ArrayRef<Value> parts, int64_t width) {
  int64_t bits = 32 / static_cast<int64_t>(parts.size());
  Type i32 = b.getI32Type(), wide = valueType(i32, width);
  Value whole;
  for (auto [j, part] : llvm::enumerate(parts)) {
    Value x = arith::ExtUIOp::create(b, loc, wide, part);
    if (j)
      x = arith::ShLIOp::create(
          b, loc, x, splatConstant(i32, b.getI32IntegerAttr(j * bits), width));
    whole = j ? Value(arith::OrIOp::create(b, loc, whole, x)) : x;
  }
  return whole;
}

/// Two rows of 32 columns to the groups of columns 16 * half and following.
static Value interleaveHalf(OpBuilder &b, Location loc, ArrayRef<Value> rows,
                            int64_t half) {
  SmallVector<int64_t> order;
  for (int64_t column = half * 16; column < half * 16 + 16; ++column)
    order.append({column, column + 32});
  Value pairs = vector::ShuffleOp::create(b, loc, rows[0], rows[1], order);
  return LLVM::BitcastOp::create(b, loc, VectorType::get({16}, b.getI32Type()),
                                 pairs);
}

/// B in groups: lane n of row k / group holds the `group` elements of column n,
/// the first in the low bits. An array of i32.
Buffer Emitter::packedOperand(Value v, int64_t group) {
  auto type = cast<RankedTensorType>(v.getType());
  Type elem = type.getElementType(), i32 = b.getI32Type();
  unsigned rank = type.getRank(), k = rank - 2, n = rank - 1;
  SmallVector<int64_t> shape(type.getShape());
  shape[k] /= group;
  Buffer target = allocate(RankedTensorType::get(shape, i32));
  prepare(v, type.getShape(), /*mayCapture=*/false);
  Nest nest;
  nest.shape = shape;
  nest.vecDim = n;
  nest.width = lanesFor(shape[n]);
  bool twoHalves = group == 2 && shape[n] % 32 == 0 && lanesForCopy(v, n) == 32;
  if (twoHalves)
    nest.width = 32;
  Type bitsType = valueType(b.getIntegerType(32 / group), nest.width);
  // Element j of each group at `p`.
  auto row = [&](const Point &p, int64_t j) {
    at(p.dims[k].level);
    Point q = p;
    q.dims[k].base = b.createOrFold<arith::AddIOp>(
        loc, b.createOrFold<arith::MulIOp>(loc, p.dims[k].base, i64(group)),
        i64(j));
    Value part = asVector(eval(v, q), elem, nest.width);
    here();
    return part.getType() == bitsType
               ? part
               : Value(arith::BitcastOp::create(b, loc, bitsType, part));
  };
  auto write = [&](const Point &p, Value groups) {
    writeBuffer(target, p, result(groups, p.width, depth()));
  };
  auto pack = [&](const Point &p) {
    SmallVector<Value> parts;
    for (int64_t j = 0; j < group && !failed; ++j)
      parts.push_back(row(p, j));
    if (failed)
      return;
    if (twoHalves) {
      Point half = p;
      half.width = 16;
      write(half, interleaveHalf(b, loc, parts, 0));
      here();
      half.dims[n].base =
          b.createOrFold<arith::AddIOp>(loc, p.dims[n].base, i64(16));
      half.dims[n].level = depth();
      return write(half, interleaveHalf(b, loc, parts, 1));
    }
    Value whole = packRows(parts, nest.width);
    if (elem.isInteger(8)) // + 128 in every byte
      whole = arith::XOrIOp::create(
          b, loc, whole,
          splatConstant(i32,
                        b.getI32IntegerAttr(static_cast<int32_t>(0x80808080u)),
                        nest.width));
    write(p, whole);
  };
  forEachPoint(nest, {}, pack, {});
  finishCaptures();
  return target;
}

/// 128 times the sums of the rows of A, which has been stored as bytes.
Buffer Emitter::rowSums(const Buffer &a) {
  Type i32 = b.getI32Type();
  SmallVector<int64_t> shape(ArrayRef<int64_t>(a.shape).drop_back());
  Buffer target = allocate(RankedTensorType::get(shape, i32));
  beginRoot();
  int64_t k = a.shape.back(), width = std::min<int64_t>(k, vectorBits / 32);
  Nest nest;
  nest.shape = a.shape;
  nest.shape.back() = 1;
  Point p;
  p.dims.resize(a.shape.size());
  outerLoops(nest, -1, p, [&] {
    Type wide = valueType(i32, width);
    Value zeros = splatConstant(i32, b.getI32IntegerAttr(0), width);
    Value sum =
        emitLoop(i64(0), i64(k), width, zeros,
                 [&](DimIndex index, ValueRange carried) -> SmallVector<Value> {
                   Point q = p;
                   q.width = width;
                   q.dims.back() = {index.base, index.level, width > 1};
                   Value bytes = readBuffer(a, q).base;
                   here();
                   Value more = arith::ExtSIOp::create(b, loc, wide, bytes);
                   return {arith::AddIOp::create(b, loc, carried[0], more)};
                 })[0];
    here();
    if (width > 1)
      sum =
          vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, sum);
    Value shift = constant(b.getI32IntegerAttr(7));
    sum = arith::ShLIOp::create(b, loc, sum, shift);
    Point out = p;
    out.dims.pop_back();
    writeBuffer(target, out, Lanes::uniform(sum, depth()));
  });
  return target;
}

/// sums += the products of one group of row `x` of A (an i32) with `columns`
/// of B.
Value Emitter::packedProduct(const DotTile &t, Value x, Value column,
                             Value sum) {
  bool isInt = isa<IntegerType>(t.compute);
  Type part = isInt ? Type(VectorType::get({4 * t.width}, b.getI8Type()))
                    : Type(VectorType::get({2 * t.width}, b.getBF16Type()));
  auto cast = [&](Value v) -> Value {
    return LLVM::BitcastOp::create(b, loc, part, v);
  };
  StringRef name = isInt ? "llvm.x86.avx512.vpdpbusd.512"
                         : "llvm.x86.avx512bf16.dpbf16ps.512";
  return LLVM::CallIntrinsicOp::create(b, loc, sum.getType(),
                                       b.getStringAttr(name),
                                       ValueRange{sum, cast(column), cast(x)})
      .getResult(0);
}
