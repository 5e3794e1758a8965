//===- LibraryCalls.h - math functions as calls -----------------*- C++ -*-===//

#ifndef TRITON_CPU_LIB_MATH_LIBRARYCALLS_H
#define TRITON_CPU_LIB_MATH_LIBRARYCALLS_H

#include "cpu/Math/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::triton::cpu {

/// Emits calls of libm and libmvec functions, and declares them.
class LibraryCalls {
public:
  LibraryCalls(ModuleOp module, const MathTarget &target)
      : module(module), symbols(module), target(target) {}

  /// `function` is the C name of the double variant, like "tan". The operands
  /// are scalars or vectors of any shape of f32 or f64, all of one type.
  Value emit(ImplicitLocOpBuilder &builder, StringRef function,
             ValueRange operands);

private:
  Value emitVector(ImplicitLocOpBuilder &builder, StringRef function,
                   ArrayRef<Value> operands);
  Value emitChunk(ImplicitLocOpBuilder &builder, StringRef function,
                  ArrayRef<Value> chunk, int64_t width);
  Value emitLanes(ImplicitLocOpBuilder &builder, StringRef function,
                  ArrayRef<Value> operands);
  Value call(ImplicitLocOpBuilder &builder, const Twine &symbol,
             ValueRange operands);

  ModuleOp module;
  SymbolTable symbols;
  MathTarget target;
};

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_LIB_MATH_LIBRARYCALLS_H
