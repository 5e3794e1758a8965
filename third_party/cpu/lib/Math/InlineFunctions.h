//===- InlineFunctions.h - math functions as code ---------------*- C++ -*-===//

#ifndef TRITON_CPU_LIB_MATH_INLINEFUNCTIONS_H
#define TRITON_CPU_LIB_MATH_INLINEFUNCTIONS_H

#include "cpu/Math/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::triton::cpu {

// Each takes and returns f32 or a vector of f32, errs by less than 1.7 ULP and
// handles zeros, infinities, NaN and subnormal numbers as C does.

Value emitExp(ImplicitLocOpBuilder &builder, Value x, const MathTarget &target);
Value emitExp2(ImplicitLocOpBuilder &builder, Value x,
               const MathTarget &target);
Value emitLog(ImplicitLocOpBuilder &builder, Value x);
Value emitLog2(ImplicitLocOpBuilder &builder, Value x);
Value emitErf(ImplicitLocOpBuilder &builder, Value x);
Value emitTanh(ImplicitLocOpBuilder &builder, Value x);

/// The greater (smaller) operand, or the other one if one is NaN, in a single
/// instruction of AVX-512; null where there is none.
Value emitExtreme(ImplicitLocOpBuilder &builder, Operation *op,
                  const MathTarget &target);

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_LIB_MATH_INLINEFUNCTIONS_H
