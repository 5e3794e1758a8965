//===- NarrowMoves.h - values that are only moved ---------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_NARROWMOVES_H
#define CPU_LIB_CONVERSION_NARROWMOVES_H

#include "triton/Dialect/Triton/IR/Dialect.h"

namespace mlir::triton::cpu {

/// Chooses between half floats as they are where `func` widens them, chooses,
/// and narrows the result, as kernels that put tensors together do.
void narrowMoves(FuncOp func);

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_NARROWMOVES_H
