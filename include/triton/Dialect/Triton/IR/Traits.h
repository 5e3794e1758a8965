//===- Traits.h - Operation traits of the Triton dialect ------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_TRAITS_H
#define TRITON_DIALECT_TRITON_IR_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::triton {

namespace impl {
/// Emits an error when a tensor among the operands and results has a dimension
/// that is no power of two, or too many elements.
LogicalResult verifyTensorSize(Operation *op);
} // namespace impl

template <typename ConcreteType>
class TensorSizeTrait
    : public OpTrait::TraitBase<ConcreteType, TensorSizeTrait> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return impl::verifyTensorSize(op);
  }
};

} // namespace mlir::triton

#endif // TRITON_DIALECT_TRITON_IR_TRAITS_H
