//===- BlockAccess.cpp - Addresses of a block of a strided tensor ---------===//

#include "BlockAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

static Value extendToI64(OpBuilder &builder, Location loc, Value value) {
  Type wide = getTypeWithElement(value.getType(), builder.getI64Type());
  return wide == value.getType()
             ? value
             : arith::ExtSIOp::create(builder, loc, wide, value).getResult();
}

BlockAccess BlockAccess::contiguous(OpBuilder &builder, Location loc,
                                    RankedTensorType block, ValueRange starts) {
  BlockAccess access(builder, loc, block);
  for (auto [dim, start] : llvm::enumerate(starts)) {
    Value range = MakeRangeOp::create(
        builder, loc, 0, static_cast<int32_t>(block.getDimSize(dim)));
    Value vector = extendToI64(builder, loc, range);
    vector = arith::AddIOp::create(builder, loc,
                                   access.splatLike(start, vector), vector);
    access.indices.push_back(access.alongDimension(vector, dim));
  }
  return access;
}

BlockAccess BlockAccess::rows(OpBuilder &builder, Location loc,
                              RankedTensorType block, Value rows,
                              Value columnStart) {
  BlockAccess access(builder, loc, block);
  Value range = MakeRangeOp::create(builder, loc, 0,
                                    static_cast<int32_t>(block.getDimSize(1)));
  Value columns = extendToI64(builder, loc, range);
  columns = arith::AddIOp::create(
      builder, loc, access.splatLike(columnStart, columns), columns);
  access.indices = {access.alongDimension(extendToI64(builder, loc, rows), 0),
                    access.alongDimension(columns, 1)};
  return access;
}

Value BlockAccess::alongDimension(Value vector, int64_t dim) {
  for (int64_t d = 0; d < block.getRank(); ++d)
    if (d != dim)
      vector =
          ExpandDimsOp::create(builder, loc, vector, static_cast<uint32_t>(d));
  return vector;
}

Value BlockAccess::splatLike(Value scalar, Value like) {
  return SplatOp::create(builder, loc,
                         getTypeWithElement(like.getType(), scalar.getType()),
                         scalar);
}

Value BlockAccess::broadcastToBlock(Value value) {
  auto type = block.clone(getElementTypeOrSelf(value.getType()));
  return type == value.getType()
             ? value
             : BroadcastOp::create(builder, loc, type, value).getResult();
}

Value BlockAccess::buildPointers(Value base, ValueRange strides) {
  // Each dimension's part stays narrow until it meets the next one.
  Value pointers =
      SplatOp::create(builder, loc, block.clone(base.getType()), base);
  for (auto [index, stride] : llvm::zip(indices, strides)) {
    Value offset =
        arith::MulIOp::create(builder, loc, index, splatLike(stride, index));
    pointers =
        AddPtrOp::create(builder, loc, pointers, broadcastToBlock(offset));
  }
  return pointers;
}

#ifndef FLAGTREE_SPEC_Dialect_Triton_Transforms_BlockAccess_buildMask_ARG
Value BlockAccess::buildMask(ValueRange sizes, ArrayRef<int32_t> dims) {
  Value mask;
  for (int32_t dim : dims) {
    Value index = indices[dim];
    Value zero = buildZero(builder, loc, index.getType());
    Value size = splatLike(sizes[dim], index);
    Value above = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        index, zero);
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        index, size);
    Value inside =
        broadcastToBlock(arith::AndIOp::create(builder, loc, above, below));
    mask = mask ? arith::AndIOp::create(builder, loc, mask, inside).getResult()
                : inside;
  }
  return mask;
}
#endif

Value mlir::triton::buildZero(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value mlir::triton::buildNaN(OpBuilder &builder, Location loc, Type type) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  TypedAttr value = builder.getFloatAttr(
      element, APFloat::getNaN(element.getFloatSemantics()));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    value = DenseElementsAttr::get(tensor, value);
  return arith::ConstantOp::create(builder, loc, value);
}
