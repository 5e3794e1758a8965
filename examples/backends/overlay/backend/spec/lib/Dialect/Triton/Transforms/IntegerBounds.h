//===- IntegerBounds.h - Smallest and largest element ---------------------===//

#ifndef TRITON_LIB_DIALECT_TRITON_TRANSFORMS_INTEGERBOUNDS_H
#define TRITON_LIB_DIALECT_TRITON_TRANSFORMS_INTEGERBOUNDS_H

#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::triton {

/// Every element, read as a signed number, is in min..max.
struct IntegerBounds {
  int64_t min, max;
};

/// How many operations up bounds are looked for; what is further up rarely
/// bounds anything.
constexpr unsigned kMaxBoundsDepth = 1;

/// Bounds of an integer or a tensor of integers as far as they follow from
/// constants, ranges and program ids a few operations up; nothing when an
/// operation on the way could overflow.
std::optional<IntegerBounds> getIntegerBounds(Value value);

} // namespace mlir::triton

#endif // TRITON_LIB_DIALECT_TRITON_TRANSFORMS_INTEGERBOUNDS_H
