//===- Streaming.h - stores that go past the caches -------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_STREAMING_H
#define CPU_LIB_CONVERSION_STREAMING_H

#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::triton::cpu {

class Plan;

/// The stores of `func` that may write past the caches: to arguments that the
/// kernel reads nowhere, in kernels whose programs have no way to wait for each
/// other, because others see such a store only after a fence. Loops that
/// compute much have no use for it.
llvm::DenseSet<Operation *> streamableStores(FuncOp func, const Plan &plan);

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_STREAMING_H
