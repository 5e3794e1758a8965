//===- DescriptorOps.cpp - Tensor descriptors -----------------------------===//

#include "mlir/IR/Builders.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

void MakeTensorDescOp::build(OpBuilder &builder, OperationState &state,
                             Value base, ValueRange shape, ValueRange strides,
                             ArrayRef<int32_t> blockShape, bool isSignedInteger,
                             PaddingOption padding) {
  Type element = cast<triton::PointerType>(base.getType()).getPointeeType();
  if (element.isSignlessInteger()) {
    auto sign = isSignedInteger ? IntegerType::Signed : IntegerType::Unsigned;
    element = IntegerType::get(builder.getContext(),
                               element.getIntOrFloatBitWidth(), sign);
  }
  auto block = RankedTensorType::get(SmallVector<int64_t>(blockShape), element);
  build(builder, state, TensorDescType::get(block), base, shape, strides,
        padding);
}

LogicalResult MakeTensorDescOp::verify() {
  int64_t rank = getType().getBlockType().getRank();
  if (static_cast<int64_t>(getShape().size()) != rank)
    return emitOpError() << "has " << getShape().size()
                         << " sizes and strides, but the block "
                         << getType().getBlockType() << " has rank " << rank;
  return success();
}

/// Shared by the accesses that move a whole block: one coordinate per
/// dimension, and a value with the block's elements. The value may lack leading
/// dimensions of size 1 of the block.
static LogicalResult verifyBlockAccess(Operation *op, TensorDescType desc,
                                       RankedTensorType value,
                                       ValueRange indices) {
  RankedTensorType block = desc.getSignlessBlockType();
  if (static_cast<int64_t>(indices.size()) != block.getRank())
    return op->emitOpError()
           << "has " << indices.size() << " indices, but the block " << block
           << " has rank " << block.getRank();
  if (block.getElementType() != value.getElementType())
    return op->emitOpError()
           << "value has element type " << value.getElementType()
           << ", but the descriptor has " << block.getElementType();
  int64_t missing = block.getRank() - value.getRank();
  ArrayRef<int64_t> blockShape = block.getShape();
  bool fits = missing >= 0 &&
              llvm::all_of(blockShape.take_front(missing),
                           [](int64_t size) { return size == 1; }) &&
              blockShape.drop_front(missing) == value.getShape();
  if (!fits)
    return op->emitOpError()
           << "value of type " << value << " does not fit the block " << block;
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyBlockAccess(*this, getDesc().getType(), getType(), getIndices());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyBlockAccess(*this, getDesc().getType(), getSrc().getType(),
                           getIndices());
}

LogicalResult DescriptorReduceOp::verify() {
  if (failed(verifyBlockAccess(*this, getDesc().getType(), getSrc().getType(),
                               getIndices())))
    return failure();
  bool isFloat = isa<FloatType>(getSrc().getType().getElementType());
  bool needsInteger =
      !llvm::is_contained({DescriptorReduceKind::ADD, DescriptorReduceKind::MIN,
                           DescriptorReduceKind::MAX},
                          getKind());
  if (isFloat && needsInteger)
    return emitOpError() << "'" << stringifyDescriptorReduceKind(getKind())
                         << "' needs integers, got " << getSrc().getType();
  return success();
}

/// Shared by gather and scatter: rows of a matrix.
static LogicalResult verifyRowAccess(Operation *op, TensorDescType desc,
                                     RankedTensorType rows,
                                     RankedTensorType value) {
  RankedTensorType block = desc.getSignlessBlockType();
  if (block.getRank() != 2 || block.getDimSize(0) != 1)
    return op->emitOpError()
           << "descriptor must have a block of one row, got " << block;
  if (rows.getRank() != 1)
    return op->emitOpError() << "row indices must have rank 1, got " << rows;
  auto expected = RankedTensorType::get(
      {rows.getDimSize(0), block.getDimSize(1)}, block.getElementType());
  if (value != expected)
    return op->emitOpError()
           << "value must have type " << expected << ", got " << value;
  return success();
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRowAccess(*this, getDesc().getType(), getXOffsets().getType(),
                         getType());
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRowAccess(*this, getDesc().getType(), getXOffsets().getType(),
                         getSrc().getType());
}
