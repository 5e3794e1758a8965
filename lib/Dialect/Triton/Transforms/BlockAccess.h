//===- BlockAccess.h - Addresses of a block of a strided tensor -----------===//
//
// Block pointers and tensor descriptors name a block by scalars: base, sizes,
// strides and where it starts. This builds the pointers and masks of it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_LIB_DIALECT_TRITON_TRANSFORMS_BLOCKACCESS_H
#define TRITON_LIB_DIALECT_TRITON_TRANSFORMS_BLOCKACCESS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "triton/Specialization.h"

namespace mlir::triton {

/// Builds values of one block, each with one element per element of the block.
/// Sizes, strides and starts are i64 scalars, one per dimension.
class BlockAccess {
public:
  /// Dimension d covers starts[d], starts[d] + 1, ...
  static BlockAccess contiguous(OpBuilder &builder, Location loc,
                                RankedTensorType block, ValueRange starts);

  /// The block's rows are the given ones of a matrix; its columns begin at
  /// `columnStart`.
  static BlockAccess rows(OpBuilder &builder, Location loc,
                          RankedTensorType block, Value rows,
                          Value columnStart);

  /// base + sum of index * stride.
  Value buildPointers(Value base, ValueRange strides);

  /// 0 <= index < size in each dimension of `dims`; null when there are none.
  ///
  /// Added parameter: the macro expands to its type. A backend's library then
  /// defines the function; the trunk's passes leave the argument out.
#ifdef FLAGTREE_SPEC_Dialect_Triton_Transforms_BlockAccess_buildMask_ARG
  Value
  buildMask(ValueRange sizes, ArrayRef<int32_t> dims,
            FLAGTREE_SPEC_Dialect_Triton_Transforms_BlockAccess_buildMask_ARG
                arg = {});
#else
  Value buildMask(ValueRange sizes, ArrayRef<int32_t> dims);
#endif

private:
  BlockAccess(OpBuilder &builder, Location loc, RankedTensorType block)
      : builder(builder), loc(loc), block(block) {}

  /// A vector along dimension `dim`, in the rank of the block, with size 1
  /// elsewhere.
  Value alongDimension(Value vector, int64_t dim);
  /// The scalar in the type of `like`, a tensor of other elements.
  Value splatLike(Value scalar, Value like);
  Value broadcastToBlock(Value value);

  OpBuilder &builder;
  Location loc;
  RankedTensorType block;
  /// i64 index for each dimension, in the rank of the block.
  SmallVector<Value> indices;
};

/// All elements of `type` zero, or NaN.
Value buildZero(OpBuilder &builder, Location loc, Type type);
Value buildNaN(OpBuilder &builder, Location loc, Type type);

} // namespace mlir::triton

#endif // TRITON_LIB_DIALECT_TRITON_TRANSFORMS_BLOCKACCESS_H
