//===- Lanes.h - a tensor value at neighbouring points ----------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// The lowering never holds a whole tensor in registers. It asks for a tensor at
// a Point: one index per dimension, of which at most one stands for `width`
// neighbouring indices, one per vector lane. The answer is a Lanes: the same
// scalar in all lanes, an arithmetic progression, or a vector.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_LANES_H
#define CPU_LIB_CONVERSION_LANES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::triton::cpu {

/// An index along one dimension: `base`, or base + lane if `vec`.
struct DimIndex {
  Value base;         ///< i64
  unsigned level = 0; ///< the scope that defines `base`
  bool vec = false;

  bool operator==(const DimIndex &other) const {
    return base == other.base && vec == other.vec;
  }
};

struct Point {
  SmallVector<DimIndex, 4> dims;
  int64_t width = 1; ///< lanes; 1 when no dimension is `vec`
  /// The value is (part of) an address. Indices of 32 bits do not wrap inside
  /// of a block then, so that they stay neighbours when they are widened.
  bool isAddress = false;

  bool operator==(const Point &other) const {
    return width == other.width && isAddress == other.isAddress &&
           dims == other.dims;
  }
  /// The dimension whose index differs between lanes, or -1.
  int vecDim() const {
    for (auto [i, d] : llvm::enumerate(dims))
      if (d.vec)
        return i;
    return -1;
  }
};

struct Lanes {
  enum Kind { Uniform, Affine, Vector };
  Kind kind = Uniform;
  /// Uniform: the scalar. Affine: the value at pos + lane == 0. Vector: the
  /// vector. Scalar pointers are !llvm.ptr, vectors of them are i64 addresses.
  Value base;
  /// Affine only: lane l is base + stride * (pos + l). `pos` is an i64, null
  /// means 0. The stride counts elements, for pointers bytes; it is
  /// `dynStride` (i64) if that is set and `stride` otherwise.
  Value pos;
  int64_t stride = 0;
  Value dynStride;
  /// Scopes that define base (with dynStride) and pos.
  unsigned level = 0;
  unsigned posLevel = 0;
  /// Holds for the lanes of the point it was asked for, and says nothing about
  /// other positions.
  bool isLocal = false;

  static Lanes uniform(Value v, unsigned level) {
    Lanes r;
    r.base = v;
    r.level = level;
    return r;
  }
  static Lanes vector(Value v, unsigned level) {
    Lanes r;
    r.kind = Vector;
    r.base = v;
    r.level = level;
    return r;
  }
  bool isUniform() const { return kind == Uniform; }
  bool isAffine() const { return kind == Affine; }
  unsigned maxLevel() const {
    return kind == Affine ? std::max(level, posLevel) : level;
  }
  bool hasUnitStride(int64_t unit) const {
    return kind == Affine && !dynStride && stride == unit;
  }
};

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_LANES_H
