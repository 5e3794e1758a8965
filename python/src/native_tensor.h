//===- native_tensor.h - what an argument is, by its type -------*- C++ -*-===//
//
// Reading a tensor's address and element type is most of the cost of a launch,
// so how to do it is decided once per Python type and kept in a `TypeInfo`.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PYTHON_NATIVE_TENSOR_H
#define TRITON_PYTHON_NATIVE_TENSOR_H

#include "native.h"
#include "native_negated.h"

namespace triton::native {

/// Element types that pointers and pinned scalars can have.
enum class Element : uint8_t {
  U1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64, // clang-format off
  FP16, BF16, FP32, FP64,
  FP8E4NV, FP8E5, FP8E4B8, FP8E5B16, FP8E4B15, // clang-format on
  Unknown
};

/// The compiler's name of `element`, e.g. "fp32".
const char *elementName(Element element);
/// The element type of that name, or Unknown.
Element elementOf(const char *name);

enum class Kind : uint8_t {
  None,
  Bool,
  Int,
  Float,
  Tuple,
  /// A tensor whose type has a DLPack exchange table.
  Exchange,
  /// numpy.ndarray itself.
  Array,
  /// An object with `data_ptr()` and `dtype`.
  Protocol,
  /// A class made by `collections.namedtuple`.
  NamedTuple,
  /// A number of NumPy.
  Number,
  /// `TensorDescriptor`.
  Descriptor,
  /// `tl.constexpr`.
  Constexpr,
  /// Anything else: left to Python.
  Other
};

struct TypeInfo {
  PyTypeObject *type; // strong
  /// The type's version when this was decided; 0: decide again every time.
  unsigned version;
  Kind kind;
  DLTensorFromObject exchange;
  NegatedProbe negated;

  bool isCurrent() const;
};

/// How objects of `type` are read. Null with an exception set.
TypeInfo *typeInfo(PyTypeObject *type);

struct TensorView {
  uint64_t address;
  Element element;
  bool readOnly = false;
};

/// Reads the tensor or array `object`, of kind Exchange, Array or Protocol.
/// An error when its memory is not on a device of the active driver.
Result readTensor(const TypeInfo &info, PyObject *object, TensorView &view);

} // namespace triton::native

#endif // TRITON_PYTHON_NATIVE_TENSOR_H
