//===- Layout.cpp - which thread holds which elements -----------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir::triton::mthreads;

Layout::Layout(llvm::ArrayRef<int64_t> shape, int64_t threads, int64_t vec)
    : dims(shape), numElements(1), numThreads(threads), vecSize(vec) {
  for (int64_t extent : shape)
    numElements *= extent;
}

int64_t Layout::registers() const {
  return std::max(vecSize, numElements / numThreads);
}

int64_t Layout::registerOffset(int64_t r) const {
  return r / vecSize * numThreads * vecSize + r % vecSize;
}

int64_t Layout::owners() const {
  return std::min(numThreads, numElements / vecSize);
}

BitRange Layout::threadBits() const {
  return {llvm::Log2_64(vecSize), llvm::Log2_64(owners())};
}

BitRange Layout::dimBits(unsigned dim) const {
  int64_t stride = 1;
  for (unsigned later = dim + 1; later < dims.size(); ++later)
    stride *= dims[later];
  return {llvm::Log2_64(stride), llvm::Log2_64(dims[dim])};
}
