//===- LoopIndex.h - loops that end, whatever their bounds ------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_LOOPINDEX_H
#define CPU_LIB_CONVERSION_LOOPINDEX_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::triton::cpu {

struct IndexedLoop {
  scf::ForOp loop;
  Value index; ///< inside of the loop, in the type of the bounds
};

/// The loop `op` over the scalars `lower`, `upper` and `step`, with an empty
/// body. It runs as often as Python's `range` has elements even where the index
/// after the last would not fit in its type.
IndexedLoop createLoop(OpBuilder &b, Location loc, scf::ForOp op, Value lower,
                       Value upper, Value step, ValueRange inits);

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_LOOPINDEX_H
