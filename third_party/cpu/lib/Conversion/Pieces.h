//===- Pieces.h - stretches without the end of a row ------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Kernels with one index for several dimensions take it apart: `i % 768` is the
// column, `i / 768` the row, and `i % 768 < 256` says which of several tensors
// is read. Along the vector dimension these are neighbours, or the same in all
// lanes, until a row or a tensor ends. A piece is a stretch without such an
// end.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_PIECES_H
#define CPU_LIB_CONVERSION_PIECES_H

#include "Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::triton::cpu {

/// A remainder, quotient or comparison that is simple within a piece.
struct PieceValue {
  Value value;
  DimMap dims; ///< relative to the nest
  /// Masks of the loads it is computed for, the same in all lanes of a piece:
  /// where none of them holds, the value does not matter. Empty if it always
  /// does.
  SmallVector<Value> masks;
  DimMap maskDims;        ///< of each of them
  bool isImplied = false; ///< pieces end with those of another value
};

/// What ends the pieces of a nest over `trees` along `vecDim`. Comparisons only
/// end one if they decide whether something is loaded. `isKnown` stops at
/// values that are not computed.
SmallVector<PieceValue> findPieceValues(ArrayRef<Value> trees, int vecDim,
                                        function_ref<bool(Value)> isKnown);

/// `lhs < rhs` (or <=, if `orEqual`) of a signed comparison, with the operands
/// swapped as needed; false for others.
bool asLess(arith::CmpIOp cmp, Value &lhs, Value &rhs, bool &orEqual);

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_PIECES_H
