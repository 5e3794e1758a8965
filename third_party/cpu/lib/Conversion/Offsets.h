//===- Offsets.h - what is known about where accesses go --------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_OFFSETS_H
#define CPU_LIB_CONVERSION_OFFSETS_H

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace mlir::triton::cpu {

/// The integer that all elements of a tensor, or a scalar, are known to be.
std::optional<int64_t> constantSplat(Value v);

/// The constant by which an integer or pointer tensor grows along `dim`, in
/// elements; 0 if it does not depend on it; nullopt if that is not constant.
std::optional<int64_t> strideAlong(Value v, int dim);

/// Rows shorter than this are not worth a loop of their own.
constexpr int64_t kShortestRow = 32;

/// The same as strideAlong within a piece: a stretch along `dim` in which no
/// index passes the end of a row, where remainders start again and quotients
/// grow, or a bound that it is compared with (Pieces.h).
std::optional<int64_t> strideInPiece(Value v, int dim);

/// Do two pointer or offset tensors differ at most in what is uniform? Then a
/// store through one cannot overtake a load through the other within a block
/// that is processed in index order, whether or not the tensors are the same.
bool sameShapeOfOffsets(Value a, Value b);

/// The same, but one may have uniform terms that the other lacks: `x + i` and
/// `x + i + 8`. Of one memory, these do overtake each other.
bool differByUniform(Value a, Value b);

/// Is the tensor a sum of terms that are each an index times something uniform?
bool isLinear(Value v);

/// Can the least and the greatest element of an integer or pointer tensor be
/// computed without looking at all of them (Emitter::bounds)?
bool hasBounds(Value v);

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_OFFSETS_H
