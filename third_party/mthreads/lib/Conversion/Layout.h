//===- Layout.h - which thread holds which elements -------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// There is one way to distribute a block of n elements (in row-major order)
// over the threads of a block: groups of `vec` neighbours go round the threads,
//
//   element(thread, r) = (r / vec) * threads * vec + thread * vec + r % vec
//
// modulo n: where there are more threads than groups, several threads hold the
// same elements. All sizes are powers of two, so the element's bits are the
// disjoint union of bits of the thread and bits of the register. `vec` depends
// on n alone, hence blocks with equally many elements, whatever their shapes,
// are distributed alike and a reshape moves nothing.
//
//===----------------------------------------------------------------------===//

#ifndef MTHREADS_LIB_CONVERSION_LAYOUT_H
#define MTHREADS_LIB_CONVERSION_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir::triton::mthreads {

/// Bits [low, low + width) of a number.
struct BitRange {
  unsigned low = 0, width = 0;

  int64_t mask() const { return ((int64_t(1) << width) - 1) << low; }
  int64_t extract(int64_t number) const { return (number & mask()) >> low; }
  bool intersects(const BitRange &other) const {
    return (mask() & other.mask()) != 0;
  }
};

class Layout {
public:
  Layout(llvm::ArrayRef<int64_t> shape, int64_t threads, int64_t vec);

  llvm::ArrayRef<int64_t> shape() const { return dims; }
  int64_t size() const { return numElements; }
  int64_t vec() const { return vecSize; }
  /// Elements that each thread holds.
  int64_t registers() const;
  /// The part of element(thread, r) that does not depend on the thread.
  int64_t registerOffset(int64_t r) const;
  /// Threads that hold different elements.
  int64_t owners() const;
  /// True if several threads hold the same elements.
  bool isReplicated() const { return owners() < numThreads; }
  /// Bits of the element that come from the thread.
  BitRange threadBits() const;
  /// Bits of the element that are the coordinate of dimension `dim`.
  BitRange dimBits(unsigned dim) const;

private:
  llvm::SmallVector<int64_t, 4> dims;
  int64_t numElements, numThreads, vecSize;
};

} // namespace mlir::triton::mthreads

#endif // MTHREADS_LIB_CONVERSION_LAYOUT_H
