//===- native_negated.h - views that negate their memory --------*- C++ -*-===//
//
// PyTorch has real tensors whose elements are those of the memory with the
// other sign: `x.conj().imag`, for example. DLPack says nothing of it, and
// `is_neg()` takes 54 ns, half as long as all the rest of reading a tensor.
//
// The answer is a bit of the tensor's object, which also holds the shapes that
// DLPack points to. Where the bit is, as seen from the shape, is found by
// comparing tensors with their negated views, once per process. Unless exactly
// one bit tells all of them apart, `is_neg()` is called.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PYTHON_NATIVE_NEGATED_H
#define TRITON_PYTHON_NATIVE_NEGATED_H

#include "native.h"
#include "native_dlpack.h"

#include <cstring>

namespace triton::native {

/// How to find out for tensors of one type.
struct NegatedProbe {
  /// The bit of the word `offset` bytes behind the shape; 0 if it is unknown.
  uint64_t mask = 0;
  uint32_t offset = 0;
  /// The type has `is_neg()`.
  bool canAsk = false;

  /// Tensors of up to this rank keep their shape in their object.
  static constexpr int maxRank = 5;

  /// Whether `object`, exported as `tensor`, is to be read negated.
  bool isNegated(PyObject *object, const DLTensor &tensor) const {
    if (__builtin_expect(mask != 0 && tensor.rank <= maxRank, 1)) {
      uint64_t word;
      std::memcpy(&word, reinterpret_cast<const char *>(tensor.shape) + offset,
                  8);
      return word & mask;
    }
    return canAsk && askNegated(object);
  }

  /// Calls `is_neg()`. False where there is none or it fails.
  static bool askNegated(PyObject *object);
};

/// The probe for a type with exchange function `exchange` (null: by asking).
NegatedProbe negatedProbe(PyTypeObject *type, DLTensorFromObject exchange);

} // namespace triton::native

#endif // TRITON_PYTHON_NATIVE_NEGATED_H
