//===- DotTile.h - a product at work ----------------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_DOTTILE_H
#define CPU_LIB_CONVERSION_DOTTILE_H

#include "Emitter.h"

namespace mlir::triton::cpu {

/// The part of a product that is computed in registers, and its tiles.
struct Emitter::DotTile {
  DotOp op;
  Buffer a, b, out;
  Buffer rowSums;        ///< for bytes: 128 * sum of each row of A
  Type compute;          ///< type of the sums
  int64_t m, n, k, rank; ///< rank includes batch dimensions
  int64_t rows, vectors, width;
  int64_t group = 1; ///< neighbours along K per lane (EmitDotPacked.cpp)
  /// Addresses of the operands, if the next tiles are to be fetched while this
  /// one is multiplied (EmitDotAhead.cpp).
  Value nextA, nextB;

  /// Sets nextA and nextB where the operands are loaded in a loop around the
  /// product, with neighbours along their last dimension.
  void chooseAhead(Emitter &e);
  /// Fetches a part of the next tiles, in step `step` along K of the block at
  /// `row` and `col` that is `height` rows high.
  void fetchAhead(Emitter &e, const Point &base, DimIndex row, DimIndex col,
                  DimIndex step, int64_t height) const;
};

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_DOTTILE_H
