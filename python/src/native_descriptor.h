//===- native_descriptor.h - tensor descriptors as arguments ----*- C++ -*-===//
//
// A `TensorDescriptor` of the host reaches a kernel as the address of its base,
// its sizes, and its strides without the last one, which is always 1.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PYTHON_NATIVE_DESCRIPTOR_H
#define TRITON_PYTHON_NATIVE_DESCRIPTOR_H

#include "native_tensor.h"

namespace triton::native {

struct DescriptorView {
  static constexpr unsigned maxRank = 5;

  TensorView base;
  bool padsWithNan;
  unsigned rank;
  int64_t shape[maxRank];
  int64_t strides[maxRank];
  int64_t block[maxRank];

  unsigned numSlots() const { return 2 * rank; }
  /// Writes what a kernel gets; returns where to go on.
  uint64_t *writeSlots(uint64_t *slots) const;
};

/// Reads `object`. Fallback, without an exception, for one that is not as
/// kernels expect it.
Result readDescriptor(PyObject *object, DescriptorView &view);

/// True for the class `TensorDescriptor` and those derived from it.
bool isDescriptorType(PyTypeObject *type);

} // namespace triton::native

#endif // TRITON_PYTHON_NATIVE_DESCRIPTOR_H
