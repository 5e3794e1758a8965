//===- AxisInfo.h - What is known of integers and pointers ----------------===//
//
// For each dimension of an integer or pointer value: how many neighbouring
// elements are consecutive, how many are equal, and what divides them. Lowering
// decides with it between vector, broadcast and gather accesses.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_ANALYSIS_AXISINFO_H
#define TRITON_ANALYSIS_AXISINFO_H

#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>

namespace mlir {
class Block;
class Operation;
class Region;
} // namespace mlir

namespace mlir::triton {

/// Facts about a value. All numbers are powers of two, so that the greatest
/// common divisor of two is the smaller one.
///
/// Along dimension d the elements fall into aligned groups (a group of size c
/// starts at an index that c divides):
///  - groups of `contiguity[d]` elements hold x, x + unit, x + 2 unit, ...;
///  - groups of `constancy[d]` elements are all equal;
///  - `divisibility[d]` divides the first element of each contiguous group.
/// A scalar has one dimension of size 1. Pointers count in bytes: `unit` is the
/// size of the pointee, for integers it is 1.
///
/// Integer additions and multiplications are taken not to overflow, and
/// divisors that are no constants to be positive.
class AxisInfo {
public:
  using Dims = SmallVector<int64_t, 4>;

  /// Divides 0, and limits products.
  static constexpr int64_t kMaxDivisor = int64_t(1) << 62;

  Dims contiguity, divisibility, constancy;
  int64_t unit = 1;
  /// The value of all elements.
  std::optional<int64_t> constant;
  /// No element is negative, read as a signed number.
  bool nonNegative = false;

  AxisInfo() = default;

  /// Nothing is known.
  static AxisInfo unknown(Type type);
  /// Every element of a value of `type` is `value`.
  static AxisInfo uniform(Type type, int64_t value);

  int64_t getRank() const { return contiguity.size(); }
  int64_t getContiguity(int64_t dim) const { return contiguity[dim]; }
  int64_t getDivisibility(int64_t dim) const { return divisibility[dim]; }
  int64_t getConstancy(int64_t dim) const { return constancy[dim]; }
  std::optional<int64_t> getConstantValue() const { return constant; }

  /// Divides every element whose index along `dim` is a multiple of `group`.
  int64_t getDivisibilityAt(int64_t dim, int64_t group) const;
  /// Divides every element.
  int64_t getElementDivisibility() const;

  /// What holds for a value that is one or the other.
  static AxisInfo join(const AxisInfo &a, const AxisInfo &b);

  bool operator==(const AxisInfo &other) const;
  bool operator!=(const AxisInfo &other) const { return !(*this == other); }
  void print(raw_ostream &os) const;
};

/// Computes AxisInfo for all integers and pointers below an operation, in order
/// of execution; loops are repeated until nothing changes. The attributes
/// `tt.divisibility`, `tt.contiguity` and `tt.constancy` of function arguments
/// and operations are believed.
class ModuleAxisInfoAnalysis {
public:
  explicit ModuleAxisInfoAnalysis(Operation *root);

  /// Never null: a value that was not seen has unknown information.
  const AxisInfo *getAxisInfo(Value value) const;

  /// Consecutive elements in the last dimension that one access may move,
  /// alignment not considered.
  unsigned getContiguity(Value ptr) const;
  /// Elements in the last dimension that an access may move and stay aligned to
  /// its own size; at most getContiguity.
  unsigned getAlignment(Value ptr) const;
  /// Neighbouring elements of the last dimension that have the same mask.
  unsigned getMaskAlignment(Value mask) const;

private:
  void visitRegion(Region &region);
  void visitBlock(Block &block);
  void visitOperation(Operation *op);
  void visitFor(Operation *op);
  void visitIf(Operation *op);
  void visitWhile(Operation *op);
  /// Repeats `visitBody` until joining what it carries back changes none of
  /// `carried`.
  template <typename Body, typename CarriedBack>
  void iterate(ValueRange carried, ValueRange initial, Body visitBody,
               CarriedBack carriedBack);
  void set(Value value, AxisInfo info);

  DenseMap<Value, AxisInfo> infos;
  /// Behind pointers: references to them outlive insertions.
  mutable DenseMap<Type, std::unique_ptr<AxisInfo>> unknowns;
};

/// Transfer function: information of result `index` of `op`, which has no
/// regions.
AxisInfo inferAxisInfo(Operation *op, unsigned index,
                       function_ref<const AxisInfo &(Value)> get);

} // namespace mlir::triton

#endif // TRITON_ANALYSIS_AXISINFO_H
