//===- Types.h - Types of the Triton dialect and helpers on them ----------===//

#ifndef TRITON_DIALECT_TRITON_IR_TYPES_H
#define TRITON_DIALECT_TRITON_IR_TYPES_H

#include "mlir/IR/BuiltinTypes.h"

#define GET_TYPEDEF_CLASSES
#include "triton/Dialect/Triton/IR/Types.h.inc"

namespace mlir::triton {

/// Largest number of elements of a tensor;
/// `triton.language.TRITON_MAX_TENSOR_NUMEL`.
constexpr int64_t kMaxTensorNumElements = 1048576;

/// `!tt.ptr<T>` with T a number or a pointer.
bool isScalarPointer(Type type);

/// `!tt.ptr<tensor<..>>`, a block pointer.
bool isTensorPointerType(Type type);

bool isTensorOrTensorPointerType(Type type);

/// What an access through a value of `type` moves: T for `!tt.ptr<T>` (also
/// when T is a tensor), tensor<..xT> for tensor<..x!tt.ptr<T>>. `type` itself
/// when it is no pointer.
Type getPointeeType(Type type);

/// Pointer type for values of `type`, the inverse of `getPointeeType`: a tensor
/// of T becomes a tensor of pointers.
Type getPointerType(Type type, int addressSpace = 1);

/// `type` with each element replaced by i1 or i32; null for a null type.
Type getI1SameShape(Type type);
Type getI32SameShape(Type type);

/// Same shape as `type`, other element: a scalar when `type` is one.
Type getTypeWithElement(Type type, Type element);

/// Both scalars, or tensors of equal shape.
bool haveSameShape(Type a, Type b);

/// Width in bits of a number; 64 for pointers.
unsigned getElementBitWidth(Type type);

/// Width in memory of what `ptrType` addresses, per element; i1 takes a byte.
unsigned getPointeeBitWidth(Type ptrType);

/// `!tt.ptr<T>` for block pointer `!tt.ptr<tensor<..xT>>` and for descriptors;
/// null for anything else.
Type getElementPointerOfTensorPointer(Type tensorPointer);
Type getElementPointerOfDescriptor(Type descriptor);

} // namespace mlir::triton

#endif // TRITON_DIALECT_TRITON_IR_TYPES_H
